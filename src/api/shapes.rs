//! What comes out of the package, and small things that go in, as plain data. `types.d.ts` holds the scenario's own.

use crate::scenario::v1::{self, Big};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use tsify::Tsify;

/// Something that can happen next.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Pending {
    /// Its name: `link 2>3 #17`, `timer 3 election timeout #4`.
    pub name: String,
    /// When it is due, in microseconds.
    #[tsify(type = "Big")]
    pub at_us: Big,
    /// What it is.
    pub text: String,
    /// The command that makes it happen now.
    pub run_now: v1::Command,
}

/// A whole number below 2^64, as a number or as text.
#[derive(Clone, Copy)]
pub struct Whole(pub u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        const EXPECTED: &str =
            "a whole number from 0 to 18446744073709551615 is needed; from 2^53 on as a bigint or as text";
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(u64),
            Text(Big),
        }
        match Form::deserialize(source) {
            Ok(Form::Number(number)) if number < 1 << 53 => Ok(Self(number)),
            Ok(Form::Text(Big(number))) => Ok(Self(number)),
            _ => Err(serde::de::Error::custom(EXPECTED)),
        }
    }
}

/// When a run stops. The first that is so counts.
#[derive(Default, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Options {
    /// At this time, in microseconds.
    #[tsify(optional, type = "Whole")]
    pub until: Option<Whole>,
    /// After so many events; a million without.
    #[tsify(optional)]
    pub max_events: Option<u32>,
    /// When this is so.
    #[tsify(optional)]
    pub condition: Option<Condition>,
}

/// The roles of both protocols.
#[derive(Clone, Copy, Deserialize, Tsify)]
#[serde(rename_all = "snake_case")]
pub enum RoleWord {
    Follower,
    Unattached,
    Prospective,
    Candidate,
    Leader,
    Resigned,
}

/// What a run can go on to.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// A node, or any, has a role.
    Role {
        #[serde(default)]
        #[tsify(optional)]
        node: Option<u32>,
        role: RoleWord,
    },
    /// Two nodes lead at once.
    TwoLeaders,
    /// The record at an offset, from 0, is committed.
    Committed {
        #[tsify(type = "Whole")]
        offset: Whole,
    },
    /// Nothing is left to do.
    NothingLeft,
    /// Somebody is elected.
    Election,
    /// A role changes.
    RoleChange,
    /// More is committed.
    Commit,
    /// A message arrives.
    Delivery,
    /// A timer goes off.
    Timer,
}

/// Why a run stopped, and after how many events.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Stopped {
    #[tsify(type = "\"condition\" | \"events\" | \"time\" | \"violation\" | \"end\"")]
    pub reason: &'static str,
    #[tsify(type = "Big")]
    pub events: Big,
}

/// A question about this moment.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(clippy::enum_variant_names, reason = "these are the questions as JavaScript has them")]
pub enum Asked {
    /// Why is the record at this offset, from 0, not committed?
    WhyNotCommitted {
        #[tsify(type = "Whole")]
        offset: Whole,
    },
    /// Why can this node not be elected?
    WhyNotElected { node: u32 },
    /// Why can nobody be elected?
    WhyNobodyElected,
}

/// The cluster at a moment.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct State {
    pub protocol: &'static str,
    #[tsify(type = "Big")]
    pub position: Big,
    #[tsify(type = "Big")]
    pub now_us: Big,
    /// Who leads: the leader with the highest epoch.
    pub leader: Option<u8>,
    pub nodes: Vec<Node>,
    /// The messages in flight.
    pub messages: Vec<Message>,
}

/// A node.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Node {
    pub node: u8,
    pub name: String,
    pub is_up: bool,
    pub is_paused: bool,
    /// Its role; `null` while it is down.
    pub role: Option<&'static str>,
    /// Its epoch or term.
    pub epoch: u32,
    pub leader: Option<u8>,
    pub voted: Option<u8>,
    /// Its log, as runs: an epoch or term, and how many records have it.
    pub log: Vec<(u32, u32)>,
    /// Up to where it knows records to be committed.
    #[tsify(type = "Big | null")]
    pub committed: Option<Big>,
    /// Every field by the protocol's own name, for people.
    #[tsify(type = "Record<string, string>")]
    pub fields: BTreeMap<&'static str, String>,
}

/// A message in flight. Clients of the cluster are numbered from 101.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Message {
    pub name: String,
    pub from: u8,
    pub to: u8,
    #[tsify(type = "Big")]
    pub at_us: Big,
    pub text: String,
    pub is_held: bool,
}

/// A step.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Line {
    /// The position after it.
    #[tsify(type = "Big")]
    pub step: Big,
    #[tsify(type = "Big")]
    pub at_us: Big,
    #[tsify(type = "\"began\" | \"command\" | \"delivery\" | \"timer\" | \"task\" | \"client\"")]
    pub kind: &'static str,
    pub text: String,
    /// Where to read more; may be empty.
    pub reference: &'static str,
}

/// A sentence, where to read more, and the rule behind it.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Said {
    pub text: String,
    pub reference: &'static str,
    pub rule: Option<&'static str>,
}

/// A safety property that was broken.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Violated {
    pub property: &'static str,
    #[tsify(type = "Big")]
    pub step: Big,
    pub node: u8,
    pub text: String,
}

/// Digests, as sixteen hexadecimal digits each.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Digest {
    pub state: String,
    pub protocol: String,
    pub run: String,
}

/// Where a replay first differs from the run that was shared: by this command (from 0), or, without one, by the moment.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Differs {
    pub command: Option<u32>,
}
