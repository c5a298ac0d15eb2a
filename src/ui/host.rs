//! What a host page may ask of an embedded one, by messages; `docs/embed.md` describes them. Each is checked like everything
//! from outside, and answered: with where the run stands, or with what is wrong.

use super::app::App;
use super::browser;
use raftwerk::scenario::link::LinkError;
use raftwerk::scenario::{Code, InputError, Record, command_from_json, into_record, link, read_json};
use raftwerk::session::{ActError, Opening};
use raftwerk::view::say;
use serde_json::{Value, json};

fn wrong(error: &InputError) -> Value {
    json!({ "error": { "code": error.code.name(), "path": error.path, "message": error.to_string() } })
}

fn refused(code: &str, message: impl ToString) -> Value {
    json!({ "error": { "code": code, "path": "", "message": message.to_string() } })
}

const NO_RUN: &str = "no run is open";
/// The longest replay for which a host waits.
const STEPS_MAX: u64 = 200_000;

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

    /// Opens a run at once. One with a long replay goes into the address of the frame: there the page asks.
    fn open_for_host(&mut self, record: Record) -> Result<(), InputError> {
        let shown = record.shown;
        let mut opening = Opening::new(record)?;
        let (_, steps) = opening.progress();
        if steps > STEPS_MAX {
            let says =
                format!("there are {steps} events to replay; above {STEPS_MAX} a run is opened by the frame’s address");
            return Err(InputError::new(Code::TooMuch, "view.position", says));
        }
        while !opening.go_on(STEPS_MAX)? {}
        let session = opening.finish()?;
        self.begin(session);
        self.look_at(shown);
        Ok(())
    }

    fn serve(&mut self, word: &str, what: &Value) -> Value {
        let done = match (word, what) {
            ("open", Value::String(text)) => match link::decode(link::fragment_of(text)) {
                Ok(Some(record)) => self.open_for_host(record),
                Ok(None) => return refused("empty", "there is no run in it"),
                Err(LinkError::Invalid(error)) => Err(error),
                Err(error) => return refused(error.code(), error),
            },
            ("scenario", scenario) => {
                let wire = read_json("scenario", &scenario.to_string());
                wire.and_then(into_record).and_then(|record| self.open_for_host(record))
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
                let command = command_from_json(&command.to_string()).map_err(ActError::Input);
                if command.is_ok() {
                    self.halt();
                }
                let Some(session) = &mut self.session else { return refused(Code::CannotBeDone.name(), NO_RUN) };
                // A host has one future to speak of.
                session.forget_others();
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
            (Ok(()), None) => refused(Code::CannotBeDone.name(), NO_RUN),
            (Ok(()), Some(session)) => json!({
                "position": session.position().to_string(),
                "length": session.length().to_string(),
                "now_us": session.playhead_us().to_string(),
                "sentence": say::step(session, session.last_step(), session.is_open()),
                "link": link::encode(&session.record()),
                "is_playing": self.is_playing(),
            }),
        }
    }
}
