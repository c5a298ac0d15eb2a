//! The JavaScript package: a run without a page. `docs/api.md` shows it.
//!
//! Plain data goes in and comes out; what goes in passes the one validator. 64-bit numbers are text in data and `bigint` where
//! they stand alone. Every call either does all it says or throws and changes nothing.

mod errors;
mod shapes;

use crate::executor::NEVER;
use crate::explain::{Question, explain};
use crate::raft::{Any, Log, ReplicaId, RoleShape};
use crate::scenario::v1;
use crate::scenario::{Code, Record, command_to_wire, into_command, into_record, link, read_json, to_wire};
use crate::session::{Difference, Jump, Search, Session, Until};
use crate::sim::{Command, EventName, Sim};
use crate::text::en as text;
use crate::view::{export, inspect, pending, say};
use errors::{act_error, error, input_error, link_error};
use js_sys::{BigInt, JSON};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shapes::{
    Asked, Condition, Differs, Digest, Line, Message, Node, Options, Pending, RoleWord, Said, State, Stopped, Violated,
    Whole as Number,
};
use wasm_bindgen::prelude::*;

/// Steps at most in one `run` that names no number.
const RUN_STEPS: u64 = 1_000_000;
/// The most events listed as pending, and steps as trace.
const LIST_MAX: usize = 10_000;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

#[wasm_bindgen]
extern "C" {
    /// `Scenario`
    #[wasm_bindgen(typescript_type = "Scenario")]
    pub type ScenarioValue;
    /// `Command`
    #[wasm_bindgen(typescript_type = "Command")]
    pub type CommandValue;
    /// `bigint | number | string`
    #[wasm_bindgen(typescript_type = "Whole")]
    pub type Whole;
    /// `RunOptions`
    #[wasm_bindgen(typescript_type = "Options")]
    pub type OptionsValue;
    /// `Question`
    #[wasm_bindgen(typescript_type = "Asked")]
    pub type QuestionValue;
    /// `State`
    #[wasm_bindgen(typescript_type = "State")]
    pub type StateValue;
    /// `Pending[]`
    #[wasm_bindgen(typescript_type = "Pending[]")]
    pub type PendingValue;
    /// `Line[]`
    #[wasm_bindgen(typescript_type = "Line[]")]
    pub type LinesValue;
    /// `Said`
    #[wasm_bindgen(typescript_type = "Said")]
    pub type SaidValue;
    /// `Violated[]`
    #[wasm_bindgen(typescript_type = "Violated[]")]
    pub type ViolatedValue;
    /// `Digest`
    #[wasm_bindgen(typescript_type = "Digest")]
    pub type DigestValue;
    /// `Stopped`
    #[wasm_bindgen(typescript_type = "Stopped")]
    pub type StoppedValue;
    /// `Differs | null`
    #[wasm_bindgen(typescript_type = "Differs | null")]
    pub type DiffersValue;
}

/// Reads plain data. It goes through JSON text, a `bigint` as decimal text: so the one reader of the house, with its limits,
/// finds what is too deep, too long, misspelt or goes round in a circle.
fn read<T: DeserializeOwned>(what: &str, value: &JsValue) -> Result<T, JsValue> {
    let mut replace = |_, value: JsValue| {
        // JSON would make nothing of it.
        if value.as_f64().is_some_and(|number| !number.is_finite()) {
            return Err(JsError::new("it is no number"));
        }
        let text = value.dyn_ref::<BigInt>().and_then(|big| big.to_string(10).ok());
        Ok(Some(text.map_or(value, Into::into)))
    };
    let text = JSON::stringify_with_replacer_func(value, &mut replace, None).ok().and_then(|text| text.as_string());
    let text = text.ok_or_else(|| error(Code::Shape.name(), what, "it is not plain data"))?;
    read_json(what, &text).map_err(|problem| input_error(&problem))
}

/// Writes plain data: objects, arrays, text, numbers that JavaScript does not round.
fn write<T: Serialize, V: JsCast>(value: &T) -> Result<V, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    Ok(value.serialize(&serializer).map_err(JsValue::from)?.unchecked_into())
}

fn node(path: &str, number: u32, replicas: u8) -> Result<ReplicaId, JsValue> {
    let id = number.checked_sub(1).and_then(|id| u8::try_from(id).ok()).filter(|&id| id < replicas);
    id.map(ReplicaId).ok_or_else(|| error(Code::NoSuch.name(), path, &format!("there is no node {number}")))
}

/// A log as runs of records of one epoch.
fn runs(log: &Log) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for entry in (0..).map_while(|offset| log.get(offset)) {
        match runs.last_mut() {
            Some((epoch, count)) if *epoch == entry.epoch => *count += 1,
            _ => runs.push((entry.epoch, 1)),
        }
    }
    runs
}

/// A run: a cluster, its network and its clock.
#[wasm_bindgen]
pub struct Simulation(Session);

#[wasm_bindgen]
impl Simulation {
    /// A run at the moment its scenario names; without one, a first election of the paper's Raft.
    ///
    /// # Errors
    /// A `RaftwerkError` that names the field.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: Option<ScenarioValue>) -> Result<Self, JsValue> {
        let given = scenario.map(JsValue::from).filter(|value| !value.is_undefined() && !value.is_null());
        let Some(value) = given else { return Ok(Self(Session::newcomer())) };
        let record = into_record(read::<v1::Scenario>("scenario", &value)?).map_err(|error| input_error(&error))?;
        Session::open(record).map(Self).map_err(|error| input_error(&error))
    }

    /// The run of a link: a whole address, or what stands behind its `#`.
    ///
    /// # Errors
    /// A `RaftwerkError`; also if there is no run in the address.
    #[wasm_bindgen(js_name = fromLink)]
    pub fn from_link(address: &str) -> Result<Simulation, JsValue> {
        let record = link::decode(link::fragment_of(address)).map_err(|problem| link_error(&problem))?;
        let record =
            record.ok_or_else(|| error("empty", "", "there is no run in this address: nothing stands behind its #"))?;
        Session::open(record).map(Self).map_err(|error| input_error(&error))
    }

    /// Where a link's replay first differs from the run that was shared; `null` if it does not.
    ///
    /// # Errors
    /// None.
    pub fn difference(&self) -> Result<DiffersValue, JsValue> {
        write(&self.0.difference().map(|difference| match difference {
            Difference::Command(index) => Differs { command: u32::try_from(index).ok() },
            Difference::Moment => Differs { command: None },
        }))
    }

    /// What can happen next, in order.
    ///
    /// # Errors
    /// None.
    pub fn pending(&self) -> Result<PendingValue, JsValue> {
        let (items, _) = pending(&self.0, LIST_MAX);
        let all: Vec<Pending> = items
            .into_iter()
            .map(|item| Pending {
                name: text::event_name(&item.name),
                at_us: v1::Big(item.at_us),
                text: item.text,
                run_now: command_to_wire(Command::RunNow { event: item.name }),
            })
            .collect();
        write(&all)
    }

    /// Takes the next step, or runs the pending event of that name now. False if nothing is left to do.
    ///
    /// # Errors
    /// A `RaftwerkError` if no event of that name is to come.
    pub fn step(&mut self, name: Option<String>) -> Result<bool, JsValue> {
        let Some(name) = name else { return Ok(self.0.step()) };
        let events = self.0.sim().pending();
        let event: Option<EventName> =
            events.into_iter().map(|event| event.name).find(|event| text::event_name(event) == name);
        let event =
            event.ok_or_else(|| error(Code::NoSuch.name(), "name", &format!("no event “{name}” is to come")))?;
        self.act(Command::RunNow { event })?;
        Ok(true)
    }

    /// Takes one step back.
    #[wasm_bindgen(js_name = stepBack)]
    pub fn step_back(&mut self) {
        self.0.step_back();
    }

    /// Goes on until a time, for so many events, or until something is so; says why it stopped.
    ///
    /// # Errors
    /// A `RaftwerkError` that names the field.
    pub fn run(&mut self, options: Option<OptionsValue>) -> Result<StoppedValue, JsValue> {
        let given = options.map(JsValue::from).filter(|value| !value.is_undefined() && !value.is_null());
        let options: Options = given.map_or_else(|| Ok(Options::default()), |given| read("options", &given))?;
        let until_us = options.until.map_or(NEVER, |until| until.0);
        let most = options.max_events.map_or(RUN_STEPS, u64::from);
        let condition = options.condition.map(|condition| self.condition(&condition)).transpose()?;
        let begin = self.0.position();
        let broken = self.0.sim().violations().len();
        let reason = loop {
            if condition.is_some_and(|condition| self.0.holds(condition)) {
                break "condition";
            }
            if self.0.position() - begin >= most {
                break "events";
            }
            if self.0.next_due_us() > until_us {
                self.0.set_playhead(until_us.max(self.0.playhead_us()));
                break "time";
            }
            let found = match condition {
                Some(condition) => self.0.search(condition, 1),
                None if self.0.step() => Search::Going,
                None => Search::Ended,
            };
            if self.0.sim().violations().len() > broken {
                break "violation";
            }
            match found {
                Search::Found => break "condition",
                Search::Ended => break "end",
                Search::Going => {}
            }
        };
        self.0.look_back();
        write(&Stopped { reason, events: v1::Big(self.0.position() - begin) })
    }

    /// Does something to the cluster, here.
    ///
    /// # Errors
    /// A `RaftwerkError` if it cannot be done; then nothing has changed.
    pub fn apply(&mut self, command: CommandValue) -> Result<(), JsValue> {
        let command = into_command(&read::<v1::Command>("command", &command)?).map_err(|error| input_error(&error))?;
        self.act(command)
    }

    /// Goes to a position, back or forward, as far as the run is known.
    ///
    /// # Errors
    /// A `RaftwerkError` if it is no whole number.
    pub fn seek(&mut self, position: Whole) -> Result<(), JsValue> {
        let step = read::<Number>("position", &position)?.0;
        self.0.seek(step.min(self.0.length()));
        Ok(())
    }

    /// How many events have happened.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.0.position()
    }

    /// How many events are known.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.0.length()
    }

    /// The time, in microseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.0.playhead_us()
    }

    /// The cluster at this moment.
    ///
    /// # Errors
    /// None.
    pub fn state(&self) -> Result<StateValue, JsValue> {
        let sim = self.0.sim();
        let words = say::words(&self.0);
        let nodes = sim.ids().filter_map(|id| {
            let standing = sim.standing(id)?;
            let is_up = sim.replica(id).is_some();
            Some(Node {
                node: id.0 + 1,
                name: say::node(&self.0, id),
                is_up,
                is_paused: sim.is_paused(id),
                role: is_up.then(|| words.role(standing.role)),
                epoch: standing.epoch,
                leader: standing.leader.map(|id| id.0 + 1),
                voted: standing.voted.map(|id| id.0 + 1),
                log: sim.log(id).or_else(|| sim.disk_log(id)).map_or_else(Vec::new, runs),
                committed: standing.committed.map(v1::Big),
                fields: inspect::replica(&self.0, sim, id).into_iter().map(|row| (row.name, row.value)).collect(),
            })
        });
        let messages = sim.flights().map(|(key, flight)| Message {
            name: text::event_name(&EventName::Delivery {
                from: key.from,
                to: key.to,
                number: key.number,
                is_copy: key.is_copy,
            }),
            from: v1::shown(key.from),
            to: v1::shown(key.to),
            at_us: v1::Big(key.at_us),
            text: text::message(&Sim::<Any>::face_of(&flight.message)),
            is_held: flight.held.is_some(),
        });
        write(&State {
            protocol: words.protocol,
            position: v1::Big(self.0.position()),
            now_us: v1::Big(self.0.playhead_us()),
            leader: self.0.leader().map(|(id, _)| id.0 + 1),
            nodes: nodes.collect(),
            messages: messages.collect(),
        })
    }

    /// The steps from one position to another (by the position after each).
    ///
    /// # Errors
    /// A `RaftwerkError` if one is no whole number, or they are too many.
    pub fn trace(&self, from: Whole, to: Whole) -> Result<LinesValue, JsValue> {
        let (first, last) = (read::<Number>("from", &from)?.0, read::<Number>("to", &to)?.0);
        if last.saturating_sub(first) >= LIST_MAX as u64 {
            return Err(error(Code::TooMuch.name(), "to", &format!("at most {LIST_MAX} steps are listed at once")));
        }
        write(&self.lines(first, last))
    }

    /// What happened in the step that ends at a position, and why.
    ///
    /// # Errors
    /// A `RaftwerkError` if there is none.
    pub fn explain(&self, position: Whole) -> Result<SaidValue, JsValue> {
        let step = read::<Number>("position", &position)?.0;
        let mut said = None;
        if (1..=self.0.length()).contains(&step) {
            self.0.visit(step, step, &mut |_, trace| {
                let explanation = explain(trace, false);
                let sentence = say::sentence(&self.0, &explanation);
                said =
                    Some(Said { text: sentence.text, reference: sentence.reference, rule: text::rule(&explanation) });
            });
        }
        let said = said.ok_or_else(|| error(Code::Range.name(), "position", "no step ends there"))?;
        write(&said)
    }

    /// Asks why something is not so at this moment.
    ///
    /// # Errors
    /// A `RaftwerkError` that names the field.
    pub fn ask(&self, question: QuestionValue) -> Result<SaidValue, JsValue> {
        let replicas = self.0.sim().replicas();
        let question = match read::<Asked>("question", &question)? {
            Asked::WhyNotCommitted { offset } => Question::WhyNotCommitted { offset: offset.0 },
            Asked::WhyNotElected { node: number } => {
                Question::WhyNotElected { replica: node("node", number, replicas)? }
            }
            Asked::WhyNobodyElected => Question::WhyNobodyElected,
        };
        let sentence = say::answer(&self.0, question);
        write(&Said { text: sentence.text, reference: sentence.reference, rule: None })
    }

    /// The safety properties that were broken so far.
    ///
    /// # Errors
    /// None.
    pub fn violations(&self) -> Result<ViolatedValue, JsValue> {
        let words = say::words(&self.0);
        let all: Vec<Violated> = self
            .0
            .sim()
            .violations()
            .iter()
            .map(|violation| Violated {
                property: text::property(words, violation.property).0,
                step: v1::Big(violation.step),
                node: violation.replica.0 + 1,
                text: say::named(&self.0, text::violation(words, violation)),
            })
            .collect();
        write(&all)
    }

    /// The digests here: of the state, of what the protocol did, and of the whole run.
    ///
    /// # Errors
    /// None.
    pub fn digest(&self) -> Result<DigestValue, JsValue> {
        let digests = self.0.digests();
        let hex = |digest: u64| format!("{digest:016x}");
        write(&Digest { state: hex(digests.state), protocol: hex(digests.protocol), run: hex(digests.run) })
    }

    /// The run as a scenario, at this moment.
    ///
    /// # Errors
    /// None.
    pub fn scenario(&self) -> Result<ScenarioValue, JsValue> {
        write(&to_wire(&self.0.record()))
    }

    /// A link to the run at this moment: a whole address.
    #[must_use]
    pub fn link(&self, base: Option<String>) -> String {
        let base = base.unwrap_or_else(|| "https://raftwerk.example/".into());
        let base = base.split('#').next().unwrap_or_default();
        let record: Record = self.0.record();
        format!("{base}#{}", link::encode(&record))
    }

    /// The steps from one position to another as a Mermaid sequence diagram.
    ///
    /// # Errors
    /// A `RaftwerkError` if one is no whole number, or they are too many.
    pub fn mermaid(&self, from: Whole, to: Whole) -> Result<String, JsValue> {
        let (first, last) = (read::<Number>("from", &from)?.0, read::<Number>("to", &to)?.0);
        if last.saturating_sub(first) >= LIST_MAX as u64 {
            return Err(error(Code::TooMuch.name(), "to", &format!("at most {LIST_MAX} steps are drawn at once")));
        }
        Ok(export::mermaid(&self.0, first, last))
    }
}

impl Simulation {
    /// There is one future here: what was known of another is forgotten.
    fn act(&mut self, command: Command) -> Result<(), JsValue> {
        self.0.forget_others();
        self.0.act(command).map_err(|error| act_error(&error))
    }

    fn lines(&self, first: u64, last: u64) -> Vec<Line> {
        let mut kinds = Vec::new();
        self.0.visit(first, last, &mut |_, trace| kinds.push(export::kind(trace)));
        let lines = export::lines(&self.0, first, last);
        lines
            .into_iter()
            .zip(kinds)
            .map(|(line, kind)| Line {
                step: v1::Big(line.step),
                at_us: v1::Big(line.at_us),
                kind,
                text: line.text,
                reference: line.reference,
            })
            .collect()
    }

    fn condition(&self, condition: &Condition) -> Result<Until, JsValue> {
        Ok(match *condition {
            Condition::Role { node: number, role } => Until::Role {
                replica: number
                    .map(|number| node("condition.role.node", number, self.0.sim().replicas()))
                    .transpose()?,
                role: match role {
                    RoleWord::Follower => RoleShape::Follower,
                    RoleWord::Unattached => RoleShape::Unattached,
                    RoleWord::Prospective => RoleShape::Prospective,
                    RoleWord::Candidate => RoleShape::Candidate,
                    RoleWord::Leader => RoleShape::Leader,
                    RoleWord::Resigned => RoleShape::Resigned,
                },
            },
            Condition::TwoLeaders => Until::TwoLeaders,
            Condition::Committed { offset } => Until::Committed { offset: offset.0 },
            Condition::NothingLeft => Until::NothingLeft,
            Condition::Election => Until::Next(Jump::Election),
            Condition::RoleChange => Until::Next(Jump::RoleChange),
            Condition::Commit => Until::Next(Jump::Commit),
            Condition::Delivery => Until::Next(Jump::Message),
            Condition::Timer => Until::Next(Jump::Timer),
        })
    }
}
