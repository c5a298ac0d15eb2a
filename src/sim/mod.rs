//! A whole cluster as one deterministic value: replicas on their executors, disks, links, one clock.
//!
//! [`Sim`] is `Clone`; a clone has the same future. Nothing in it reads a clock, draws luck from outside, or depends on
//! the order of a hash map. [`History`] remembers where it has been.

mod clients;
mod cluster;
mod command;
mod compiled;
mod history;
mod invariants;
mod luck;
mod network;
mod settings;
mod trace;

pub use clients::{
    Alarm, Ask, CLIENTS_MAX, CallFate, CallNote, ClientOptions, ClientRequest, ClientState, Mail, Outcome, Reply, Says,
    Taken, Tally, WAITING_MAX, client_id, client_number, fate,
};
pub use cluster::{Digests, NextEvent, Sim};
pub use command::{Command, CommandError, EventName, Groups, Placed, Plan};
pub use compiled::Compiled;
pub use history::History;
pub use invariants::{Property, Violation};
pub use luck::{DRAWS_PER_MESSAGE, PPM, Stream, scale};
pub use network::{DeliveryKey, Fate, Flight, FlightName};
pub use settings::{LinkConditions, SimSettings};
pub use trace::{Mark, Marked, TraceEvent, What};
