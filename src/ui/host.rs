//! What a host page may ask of an embedded one, by messages; `docs/embed.md` describes them. Each is checked like everything
//! from outside, and answered: with where the run stands, or with what is wrong.

use super::app::{App, Msg};
use super::browser;
use raftwerk::scenario::v1::{self, Big};
use raftwerk::scenario::{InputError, into_command, into_record, link};
use raftwerk::session::{ActError, Session};
use raftwerk::view::say;
use serde::Deserialize;
use serde_json::{Value, json};
use yew::Context;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// A link, or what stands behind its `#`.
    Open(String),
    Scenario(Box<v1::Scenario>),
    Step,
    StepBack,
    Play,
    Pause,
    Seek(Big),
    Apply(v1::Command),
    State,
}

fn wrong(error: &InputError) -> Value {
    json!({ "error": { "code": error.code.name(), "path": error.path, "message": error.says } })
}

fn refused(code: &str, message: impl ToString) -> Value {
    json!({ "error": { "code": code, "path": "", "message": message.to_string() } })
}

impl App {
    /// Does what the host asks for, and answers.
    pub(super) fn ask_of_host(&mut self, ctx: &Context<Self>, text: &str) {
        let Ok((number, request)) = serde_json::from_str::<(u64, String)>(text) else { return };
        let answer = match serde_json::from_str::<Request>(&request) {
            Ok(request) => self.serve(ctx, request),
            Err(error) => refused("shape", error),
        };
        browser::tell("raftwerk:answer", &json!([number, answer]).to_string());
    }

    fn serve(&mut self, ctx: &Context<Self>, request: Request) -> Value {
        let done = match request {
            Request::Open(text) => {
                let fragment = text.split_once('#').map_or(text.as_str(), |(_, fragment)| fragment);
                match link::decode(fragment) {
                    Ok(Some(record)) => Session::open(record).map(|session| self.begin(session)),
                    Ok(None) => return refused("link", "there is no run in it"),
                    Err(error) => return refused("link", error),
                }
            }
            Request::Scenario(wire) => into_record(*wire).and_then(Session::open).map(|session| self.begin(session)),
            Request::Step => {
                self.halt();
                self.take_step();
                self.changed();
                Ok(())
            }
            Request::StepBack => {
                self.halt();
                if let Some(session) = &mut self.session {
                    session.step_back();
                }
                self.changed();
                Ok(())
            }
            Request::Play | Request::Pause => {
                if self.is_playing() != matches!(request, Request::Play) {
                    ctx.link().send_message(Msg::PlayPause);
                }
                Ok(())
            }
            Request::Seek(Big(step)) => {
                self.seek(step);
                Ok(())
            }
            Request::Apply(wire) => {
                self.halt();
                let Some(session) = &mut self.session else { return refused("link", "no run is open") };
                match into_command(&wire).map_err(ActError::Input).and_then(|command| session.act(command)) {
                    Ok(()) => {
                        self.changed();
                        Ok(())
                    }
                    Err(ActError::Input(error)) => Err(error),
                    Err(error) => return refused("cannot_be_done", error),
                }
            }
            Request::State => Ok(()),
        };
        match (done, &self.session) {
            (Err(error), _) => wrong(&error),
            (Ok(()), None) => refused("link", "no run is open"),
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
