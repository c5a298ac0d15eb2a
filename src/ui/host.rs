//! What a host page may ask of an embedded one, by messages; `docs/embed.md` describes them. Each is checked like everything
//! from outside, and answered: with where the run stands, or with what is wrong.

use super::app::App;
use super::browser;
use raftwerk::scenario::link::LinkError;
use raftwerk::scenario::{Code, InputError, command_from_json, from_json, link};
use raftwerk::session::{ActError, Session};
use raftwerk::view::say;
use serde_json::{Value, json};

fn wrong(error: &InputError) -> Value {
    json!({ "error": { "code": error.code.name(), "path": error.path, "message": error.says } })
}

fn refused(code: &str, message: impl ToString) -> Value {
    json!({ "error": { "code": code, "path": "", "message": message.to_string() } })
}

impl App {
    /// Does what the host asks for, and answers.
    pub(super) fn ask_of_host(&mut self, text: &str) {
        let Ok((number, request)) = serde_json::from_str::<(u64, String)>(text) else { return };
        let request: Value = serde_json::from_str(&request).unwrap_or_default();
        // A word, or an object with one field.
        let (word, what) = match &request {
            Value::String(word) => (word.as_str(), &Value::Null),
            Value::Object(fields) if fields.len() == 1 => {
                fields.iter().next().map_or(("", &Value::Null), |(word, what)| (word.as_str(), what))
            }
            _ => ("", &Value::Null),
        };
        let answer = self.serve(word, what);
        browser::tell("raftwerk:answer", &json!([number, answer]).to_string());
    }

    fn serve(&mut self, word: &str, what: &Value) -> Value {
        let done = match (word, what) {
            ("open", Value::String(text)) => {
                let fragment = text.split_once('#').map_or(text.as_str(), |(_, fragment)| fragment);
                match link::decode(fragment) {
                    Ok(Some(record)) => Session::open(record).map(|session| self.begin(session)),
                    Ok(None) => return refused("empty", "there is no run in it"),
                    Err(LinkError::Invalid(error)) => Err(error),
                    Err(error) => return refused(error.code(), error),
                }
            }
            ("scenario", scenario) => {
                from_json(&scenario.to_string()).and_then(Session::open).map(|session| self.begin(session))
            }
            ("step", Value::Null) => {
                self.halt();
                self.take_step();
                self.changed();
                Ok(())
            }
            ("step_back", Value::Null) => {
                self.halt();
                if let Some(session) = &mut self.session {
                    session.step_back();
                }
                self.changed();
                Ok(())
            }
            ("play" | "pause", Value::Null) => {
                if self.is_playing() != (word == "play") {
                    self.play_or_pause();
                }
                Ok(())
            }
            ("seek", Value::String(step)) => match step.parse() {
                Ok(step) => {
                    self.seek(step);
                    Ok(())
                }
                Err(_) => Err(InputError::new(Code::Shape, "seek", "a position as text is needed, such as \"12\"")),
            },
            ("apply", command) => {
                self.halt();
                let Some(session) = &mut self.session else {
                    return refused(Code::CannotBeDone.name(), "no run is open");
                };
                let command = command_from_json(&command.to_string()).map_err(ActError::Input);
                match command.and_then(|command| session.act(command)) {
                    Ok(()) => {
                        self.changed();
                        Ok(())
                    }
                    Err(ActError::Input(error)) => Err(error),
                    Err(error) => return refused(Code::CannotBeDone.name(), error),
                }
            }
            ("state", Value::Null) => Ok(()),
            _ => Err(InputError::new(Code::Shape, "do", "nothing of that name can be asked for")),
        };
        match (done, &self.session) {
            (Err(error), _) => wrong(&error),
            (Ok(()), None) => refused(Code::CannotBeDone.name(), "no run is open"),
            (Ok(()), Some(session)) => json!({
                "position": session.position().to_string(),
                "length": session.length().to_string(),
                "now_us": session.sim().now_us().to_string(),
                "sentence": say::step(session, session.last_step(), session.is_open()),
                "link": link::encode(&session.record()),
                "is_playing": self.is_playing(),
            }),
        }
    }
}
