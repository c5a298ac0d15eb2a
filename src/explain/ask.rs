//! Questions about a moment, answered from the state: why something is not so.
//!
//! An answer is a code with the numbers that decide it, from the state or from the trace of the step that decided;
//! nothing is guessed.

use crate::raft::{Any, AnyNote, Entry, Protocol, Replica, ReplicaId, ReplicaSet, RoleShape, Theme};
use crate::sim::{Sim, TraceEvent, What};

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Why is the entry at this offset not committed?
    WhyNotCommitted {
        /// The offset.
        offset: u64,
    },
    /// Why was the request refused that this message answers?
    WhyRefused {
        /// Who refused.
        by: ReplicaId,
        /// Whom.
        to: ReplicaId,
        /// The answer's number on its link.
        number: u32,
    },
    /// Why can nobody be elected now?
    WhyNobodyElected,
    /// Why can this node not be elected now?
    WhyNotElected {
        /// Which.
        replica: ReplicaId,
    },
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Because {
    /// It is: a node knows of a high watermark above it.
    IsCommitted {
        /// Who has it.
        holders: ReplicaSet,
    },
    /// Nobody has it.
    NoSuchEntry,
    /// Nobody leads, so nobody can commit.
    NoLeader {
        /// Who has it.
        holders: ReplicaSet,
    },
    /// The leader does not have it; it will be cut.
    NotInTheLeadersLog {
        /// Who leads.
        leader: ReplicaId,
    },
    /// A majority may have it, but not yet the leader's first record of its epoch (KAFKA-12619, Raft §5.4.2).
    OfAnOlderEpoch {
        /// Who leads.
        leader: ReplicaId,
        /// Where its epoch starts.
        epoch_start: u64,
    },
    /// Too few voters have told the leader that they have it.
    TooFewHaveIt {
        /// Who has told.
        told: ReplicaSet,
        /// How many are needed.
        need: u8,
    },
    /// It leads already.
    Leads,
    /// It does not run.
    IsDown,
    /// It stands still.
    IsPaused,
    /// Who leads, who could be elected, and what stands in the way of the others.
    Standings {
        /// Who leads.
        leading: ReplicaSet,
        /// Whose way is free.
        free: ReplicaSet,
        /// Who does not run, or stands still.
        stopped: ReplicaSet,
        /// Who reaches too few.
        apart: ReplicaSet,
        /// Whose log is behind those of too many in reach.
        behind: ReplicaSet,
        /// Who would be refused by those who follow a leader.
        refused: ReplicaSet,
        /// How many votes are needed.
        need: u8,
    },
    /// Observers do not campaign.
    IsObserver,
    /// Fewer than a majority of the voters can both hear it and be heard.
    TooFewInReach {
        /// Whom it reaches, itself included.
        reach: ReplicaSet,
        /// How many are needed.
        need: u8,
    },
    /// Of those in reach, too few have logs that do not end after its own.
    LogBehind {
        /// Who has more.
        ahead: ReplicaSet,
        /// Who would grant, itself included.
        rest: ReplicaSet,
        /// How many are needed.
        need: u8,
    },
    /// Those who follow a leader and have fetched from it refuse (KAFKA-17641).
    OthersFollow {
        /// Who refuses.
        refusing: ReplicaSet,
        /// The leader they follow.
        leader: ReplicaId,
    },
    /// Nothing stands in its way but time.
    Nothing,
    /// It was refused, by a rule.
    Refused {
        /// Who refused.
        by: ReplicaId,
        /// Why.
        note: AnyNote,
    },
    /// It was not refused.
    NotRefused,
    /// The step in which it was sent is too far back.
    Forgotten,
}

/// Answers a question about a moment. `steps` are the traces of the steps that led to it, the newest first, as far as they
/// are remembered.
#[must_use]
pub fn ask<'a>(sim: &Sim<Any>, steps: impl IntoIterator<Item = &'a [TraceEvent<Any>]>, question: Question) -> Because {
    match question {
        Question::WhyRefused { by, to, number } => {
            let sent = |event: &TraceEvent<Any>| {
                event.replica == by
                    && matches!(event.what, What::Sent { to: whom, number: n, .. } if (whom, n) == (to, number))
            };
            let step = steps.into_iter().find(|trace| trace.iter().any(sent));
            step.map_or(Because::Forgotten, |trace| why_refused(trace, by))
        }
        Question::WhyNotCommitted { offset } => why_not_committed(sim, offset),
        Question::WhyNotElected { replica } => why_not_elected(sim, replica),
        Question::WhyNobodyElected => standings(sim),
    }
}

fn set(ids: impl Iterator<Item = ReplicaId>) -> ReplicaSet {
    let mut set = ReplicaSet::default();
    for id in ids {
        set.insert(id);
    }
    set
}

fn small(count: u32) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

fn why_refused(trace: &[TraceEvent<Any>], by: ReplicaId) -> Because {
    let is_refusal = |note: &AnyNote| matches!(Any::gist(note).theme, Theme::Refusal | Theme::VoteRefused);
    let note = trace.iter().find_map(|event| match event.what {
        What::Note(note) if event.replica == by && is_refusal(&note) => Some(note),
        _ => None,
    });
    note.map_or(Because::NotRefused, |note| Because::Refused { by, note })
}

fn why_not_committed(sim: &Sim<Any>, offset: u64) -> Because {
    let entry = |id: ReplicaId| sim.log(id).and_then(|log| log.get(offset));
    // Of contradicting entries the one that is meant: what is committed, or else the leader's, or else the newest.
    let knows = |id: ReplicaId| sim.replica(id).and_then(|it| it.standing().committed).is_some_and(|hw| offset < hw);
    let committed = sim.ids().find(|&id| knows(id)).and_then(entry);
    let leads = sim.leader().and_then(|(id, _)| entry(id));
    let newest = || sim.ids().filter_map(entry).max_by_key(|entry| entry.epoch);
    let meant = committed.or(leads).or_else(newest);
    let is_meant = |it: Entry| meant.is_some_and(|meant| (it.epoch, it.payload) == (meant.epoch, meant.payload));
    let holders = set(sim.ids().filter(|&id| entry(id).is_some_and(is_meant)));
    if sim.ids().any(knows) {
        return Because::IsCommitted { holders };
    }
    if holders.is_empty() {
        return Because::NoSuchEntry;
    }
    let Some((leads, running)) = sim.leader().and_then(|(id, _)| Some((id, sim.replica(id)?))) else {
        return Because::NoLeader { holders };
    };
    let (Some(peers), Some(epoch_start)) = (running.peers(), running.commits_from()) else {
        return Because::NoLeader { holders };
    };
    if !holders.contains(leads) {
        return Because::NotInTheLeadersLog { leader: leads };
    }
    let voters = running.face().voters;
    let told = set(peers.iter().filter(|it| it.is_voter && it.matched.is_some_and(|end| end > offset)).map(|it| it.id));
    if told.len() < voters.majority() {
        return Because::TooFewHaveIt { told, need: small(voters.majority()) };
    }
    Because::OfAnOlderEpoch { leader: leads, epoch_start }
}

/// What stands in each voter's way.
fn standings(sim: &Sim<Any>) -> Because {
    let voters = Any::voters(&sim.settings().protocol, sim.replicas());
    let [mut leading, mut free, mut stopped, mut apart, mut behind, mut refused] = [ReplicaSet::default(); 6];
    for id in voters.iter() {
        let among = match why_not_elected(sim, id) {
            Because::Leads => &mut leading,
            Because::IsDown | Because::IsPaused => &mut stopped,
            Because::TooFewInReach { .. } => &mut apart,
            Because::LogBehind { .. } => &mut behind,
            Because::OthersFollow { .. } => &mut refused,
            _ => &mut free,
        };
        among.insert(id);
    }
    Because::Standings { leading, free, stopped, apart, behind, refused, need: small(voters.majority()) }
}

fn why_not_elected(sim: &Sim<Any>, replica: ReplicaId) -> Because {
    let Some(running) = sim.replica(replica) else {
        return Because::IsDown;
    };
    if sim.is_paused(replica) {
        return Because::IsPaused;
    }
    if running.standing().role == RoleShape::Leader {
        return Because::Leads;
    }
    let voters = running.face().voters;
    if !voters.contains(replica) {
        return Because::IsObserver;
    }
    let need = small(voters.majority());
    let hears = |id: ReplicaId| {
        let works = sim.replica(id).is_some() && !sim.is_paused(id);
        id == replica || (works && !sim.is_blocked(replica, id) && !sim.is_blocked(id, replica))
    };
    let reach = set(voters.iter().filter(|&id| hears(id)));
    if reach.len() < voters.majority() {
        return Because::TooFewInReach { reach, need };
    }
    let position = |id: ReplicaId| sim.log(id).map(|log| (log.last_epoch(), log.end_offset()));
    let ahead = set(reach.iter().filter(|&id| position(id) > position(replica)));
    let rest = reach.without(ahead);
    if rest.len() < voters.majority() {
        return Because::LogBehind { ahead, rest, need };
    }
    let protocol = &sim.settings().protocol;
    let stands_by = |id: ReplicaId| {
        let now_us = sim.clock(id).local_us(sim.now_us());
        sim.replica(id).and_then(|it| it.stands_by(protocol, now_us)).filter(|&leader| leader != replica)
    };
    let refusing = set(rest.iter().filter(|&id| id != replica && stands_by(id).is_some()));
    if rest.without(refusing).len() < voters.majority()
        && let Some(leader) = refusing.iter().find_map(stands_by)
    {
        return Because::OthersFollow { refusing, leader };
    }
    Because::Nothing
}
