//! Transitions that must not happen (spec 3.3 and 7.5): each is an assertion that fires.

use super::replica::KRaftReplica;
use super::{Cause, Disk, KRaft, KRaftSettings, QuorumRecord};
use crate::raft::ids::{ReplicaId, ReplicaSet};
use crate::raft::protocol::{Context, Driven, Effects, Luck, Purpose, RoleShape};
use std::panic::{AssertUnwindSafe, catch_unwind};

struct Zero;

impl Luck for Zero {
    fn below(&mut self, _: Purpose, _: u32) -> u32 {
        0
    }
}

type Cx<'a> = Context<'a, KRaft>;

/// Runs something with replica 0 of 3 as its disk says; replicas from `observers` on are observers.
fn with<R>(id: u8, disk: Disk, run: impl FnOnce(&mut KRaftReplica, &mut Cx<'_>) -> R) -> R {
    let mut settings = KRaftSettings::default();
    settings.observers.insert(ReplicaId(3));
    let (mut luck, mut effects) = (Zero, Effects::default());
    let mut cx = Context { now_us: 0, settings: &settings, luck: &mut luck, effects: &mut effects };
    let mut replica = KRaftReplica::start(ReplicaId(id), 4, disk, &mut cx);
    run(&mut replica, &mut cx)
}

fn disk(epoch: u32, leader: Option<u8>, voted: Option<u8>) -> Disk {
    let quorum = QuorumRecord { epoch, leader: leader.map(ReplicaId), voted: voted.map(ReplicaId) };
    Disk { quorum, ..Disk::default() }
}

/// Whether a transition is refused.
fn is_illegal(id: u8, disk: &Disk, transition: impl FnOnce(&mut KRaftReplica, &mut Cx<'_>)) -> bool {
    let disk = disk.clone();
    catch_unwind(AssertUnwindSafe(|| with(id, disk, transition))).is_err()
}

const CAUSE: Cause = Cause::HigherEpoch;

fn leader(disk: Disk, transition: impl FnOnce(&mut KRaftReplica, &mut Cx<'_>)) {
    with(0, disk, |replica, cx| {
        replica.become_prospective(CAUSE, cx);
        replica.become_candidate(CAUSE, cx);
        let super::Role::Candidate { tally, .. } = &mut replica.role else { panic!("it is a candidate") };
        tally.granted = ReplicaSet::first(2);
        replica.become_leader(CAUSE, cx);
        transition(replica, cx);
    });
}

#[test]
fn q10_q12_from_unattached() {
    let unattached = disk(5, None, None);
    assert!(is_illegal(0, &unattached, |it, cx| it.become_unattached(5, CAUSE, cx)));
    assert!(is_illegal(0, &unattached, |it, cx| it.become_candidate(CAUSE, cx)));
    assert!(is_illegal(0, &unattached, |it, cx| it.become_leader(CAUSE, cx)));
    assert!(is_illegal(0, &unattached, |it, cx| it.become_resigned(CAUSE, cx)));
    assert!(is_illegal(0, &unattached, |it, cx| it.become_unattached(4, CAUSE, cx)));
    assert!(is_illegal(0, &unattached, |it, cx| it.become_follower(4, ReplicaId(1), CAUSE, cx)));
    assert!(is_illegal(0, &unattached, |it, cx| it.add_vote(ReplicaId(0), cx)));
    assert!(!is_illegal(0, &unattached, |it, cx| it.add_vote(ReplicaId(1), cx)));
    assert!(!is_illegal(0, &unattached, |it, cx| it.become_prospective(CAUSE, cx)));
}

#[test]
fn q18_q20_from_candidate() {
    let candidate = disk(1, None, Some(0));
    assert!(is_illegal(0, &candidate, |it, cx| it.become_unattached(1, CAUSE, cx)));
    assert!(is_illegal(0, &candidate, |it, cx| it.become_leader(CAUSE, cx)), "without a majority");
    assert!(is_illegal(0, &candidate, |it, cx| it.become_resigned(CAUSE, cx)));
    assert!(is_illegal(0, &candidate, |it, cx| it.add_vote(ReplicaId(1), cx)));
    assert!(!is_illegal(0, &candidate, |it, cx| it.become_unattached(5, CAUSE, cx)));
    assert!(!is_illegal(0, &candidate, |it, cx| it.become_follower(1, ReplicaId(1), CAUSE, cx)));
}

#[test]
fn q21_from_leader() {
    let illegal = |transition: fn(&mut KRaftReplica, &mut Cx<'_>)| {
        catch_unwind(AssertUnwindSafe(|| leader(disk(0, None, None), transition))).is_err()
    };
    assert!(illegal(|it, cx| it.become_unattached(1, CAUSE, cx)));
    assert!(illegal(|it, cx| it.become_follower(1, ReplicaId(1), CAUSE, cx)));
    assert!(illegal(|it, cx| it.become_prospective(CAUSE, cx)));
    assert!(illegal(|it, cx| it.become_candidate(CAUSE, cx)));
    assert!(illegal(|it, cx| it.become_leader(CAUSE, cx)));
    assert!(!illegal(|it, cx| it.become_unattached(5, CAUSE, cx)));
    assert!(!illegal(|it, cx| it.become_follower(5, ReplicaId(1), CAUSE, cx)));
    assert!(!illegal(|it, cx| it.become_resigned(CAUSE, cx)));
}

#[test]
fn q22_q24_from_follower() {
    let follower = disk(8, Some(2), None);
    assert!(is_illegal(0, &follower, |it, cx| it.become_follower(8, ReplicaId(1), CAUSE, cx)));
    assert!(is_illegal(0, &follower, |it, cx| it.become_follower(8, ReplicaId(2), CAUSE, cx)));
    assert!(is_illegal(0, &follower, |it, cx| it.become_unattached(8, CAUSE, cx)));
    assert!(is_illegal(0, &follower, |it, cx| it.add_vote(ReplicaId(1), cx)));
    assert!(is_illegal(0, &follower, |it, cx| it.become_follower(9, ReplicaId(0), CAUSE, cx)), "of itself");
}

#[test]
fn q25_from_observer() {
    let observer = disk(5, Some(1), None);
    assert!(is_illegal(3, &observer, |it, cx| it.become_prospective(CAUSE, cx)));
    assert!(is_illegal(3, &observer, |it, cx| it.become_candidate(CAUSE, cx)));
    assert!(is_illegal(3, &observer, |it, cx| it.become_leader(CAUSE, cx)));
    assert!(is_illegal(3, &observer, |it, cx| it.become_resigned(CAUSE, cx)));
    assert!(!is_illegal(3, &observer, |it, cx| it.become_unattached(6, CAUSE, cx)));
}

#[test]
fn q26_from_resigned() {
    let resigned = disk(5, Some(0), None);
    with(0, resigned.clone(), |it, _| assert_eq!(it.role().shape(), RoleShape::Resigned));
    assert!(!is_illegal(0, &resigned, |it, cx| it.become_unattached(6, CAUSE, cx)));
    assert!(is_illegal(0, &resigned, |it, cx| it.become_follower(5, ReplicaId(0), CAUSE, cx)));
    // Legal today, though it should not be (KAFKA-18379); no message gets here.
    assert!(!is_illegal(0, &resigned, |it, cx| it.become_follower(5, ReplicaId(1), CAUSE, cx)));
}
