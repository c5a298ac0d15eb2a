//! The push-protocol cases P01, P02, P05, P06, P08, P10, P12, P19 and P22, each under its number.
//!
//! P13, P15, P17 and P18 take time and links, and stand in `tests/partial_connectivity.rs` for both protocols. P24, P26,
//! P28, P30, P32 and P34 need transfer, membership change, snapshots and reads, which come later.

use super::lab::{Lab, append, disk, is_yes, log, pre_vote, request_vote, settings};
use raftwerk::raft::classic::{
    AppendOutcome, Backtracking, ClassicMessage, ClassicSettings, Disk, Note, Place, Refusal, Rules,
};
use raftwerk::raft::{Replica, RoleShape};

fn no_start_entry() -> ClassicSettings {
    ClassicSettings { rules: Rules::default(), ..settings() }
}

#[test]
fn p01_who_gets_the_vote() {
    let rows: [(&[u32], Place, bool); 9] = [
        (&[1], (1, 1), true),
        (&[1], (1, 2), true),
        (&[1, 1], (1, 1), false),
        (&[1], (2, 1), true),
        (&[1], (2, 2), true),
        (&[1, 1], (2, 1), true),
        (&[2], (1, 1), false),
        (&[2], (1, 2), false),
        (&[2, 2], (1, 1), false),
    ];
    for (terms, last, is_granted) in rows {
        let mut lab = Lab::of(settings(), vec![disk(2, None, terms), disk(2, None, terms)]);
        lab.bring(2, 1, request_vote(3, last));
        assert_eq!(is_yes(&lab.take(1, 2)), is_granted, "log {terms:?}, last {last:?}");
        assert_eq!((lab.at(1).term(), lab.voted(1)), (3, is_granted.then_some(2)));
    }
    // The same term: request and voter at 4, log [2,2], the candidate's last (2,3).
    let three = |voted| Lab::of(settings(), vec![disk(4, voted, &[2, 2]), Disk::default(), Disk::default()]);
    for (voted, is_granted) in [(None, true), (Some(2), true), (Some(3), false), (Some(1), false)] {
        let mut lab = three(voted);
        lab.bring(2, 1, request_vote(4, (2, 3)));
        assert_eq!(is_yes(&lab.take(1, 2)), is_granted, "voted {voted:?}");
    }
    // It has voted for itself: as candidate and as leader, even against a log that is better still.
    let mut lab = Lab::of(settings(), vec![disk(3, None, &[2, 2]), Disk::default(), Disk::default()]);
    lab.campaign(1);
    lab.bring(2, 1, request_vote(4, (3, 3)));
    lab.lose(|flight| matches!(flight.message, ClassicMessage::RequestVote { .. }));
    assert!(!is_yes(&lab.take(1, 2)), "a candidate");
    lab.bring(3, 1, ClassicMessage::Vote { term: 4, granted: true, pre_vote: false });
    assert!(lab.leads(1, 4));
    lab.lose(|_| true);
    lab.bring(2, 1, request_vote(4, (3, 3)));
    assert!(!is_yes(&lab.take(1, 2)), "a leader");
    // A pre-candidate that was candidate of that term, and one that has not voted in it.
    let rules = Rules { pre_vote: true, ..Rules::default() };
    for (voted, is_granted) in [(Some(1), false), (None, true)] {
        let settings = ClassicSettings { rules, ..settings() };
        let mut lab = Lab::of(settings, vec![disk(4, voted, &[2, 2]), Disk::default(), Disk::default()]);
        lab.campaign(1);
        assert_eq!(lab.role(1), RoleShape::Prospective);
        lab.lose(|_| true);
        lab.bring(2, 1, request_vote(4, (2, 3)));
        assert_eq!(is_yes(&lab.take(1, 2)), is_granted, "a pre-candidate that voted {voted:?}");
    }
}

#[test]
fn p02_a_vote_survives_a_restart() {
    for is_wiped in [false, true] {
        let mut lab = Lab::empty(settings(), 3);
        lab.campaign(1);
        lab.deliver(1, 3);
        lab.crash(3);
        if is_wiped {
            lab.wipe(3);
        }
        lab.restart(3);
        if !is_wiped {
            assert_eq!((lab.role(3), lab.at(3).term(), lab.voted(3)), (RoleShape::Follower, 1, Some(1)));
            assert_eq!(lab.at(3).leader(), None);
        }
        lab.campaign(2);
        lab.deliver(2, 3);
        assert_eq!(lab.voted(3), Some(if is_wiped { 2 } else { 1 }));
        if is_wiped {
            // Forgetting the disk gives two leaders in one term; what flags that is tested in `paper`.
            lab.deliver(3, 1);
            lab.deliver(3, 2);
            assert!(lab.leads(1, 1) && lab.leads(2, 1));
            continue;
        }
        lab.deliver_all();
        assert!(lab.leads(1, 1));
        assert_eq!(
            (lab.terms(1), lab.role(2), lab.at(2).leader().map(|id| id.0)),
            (vec![1], RoleShape::Follower, Some(0))
        );
    }
}

/// The servers of figure 7: the leader-to-be, then a to f. All are in term 7 at most.
fn figure_7(backtracking: Backtracking) -> Lab {
    let logs: [&[u32]; 7] = [
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6],
        &[1, 1, 1, 4],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
        &[1, 1, 1, 4, 4, 4, 4],
        &[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
    ];
    // Those that have an entry in common at one place have the same one: values go by term and place.
    let disks = logs.map(|terms| disk(7, None, terms)).to_vec();
    Lab::of(ClassicSettings { backtracking, ..settings() }, disks)
}

#[test]
fn p05_figure_7_one_leader_repairs_six_logs() {
    for (backtracking, refusals, next) in [
        (Backtracking::OneByOne, [1, 6, 0, 0, 5, 7], None),
        (Backtracking::TwoSidedHint, [1, 1, 0, 0, 1, 1], Some([9, 4, 5, 3])),
        (Backtracking::TermHint, [1, 1, 0, 0, 2, 2], None),
    ] {
        let mut lab = figure_7(backtracking);
        lab.campaign(1);
        let asked: Vec<u8> = lab.flights().iter().map(|flight| flight.to).collect();
        assert_eq!(asked, [2, 3, 4, 5, 6, 7]);
        for shown in 2..=7 {
            lab.deliver(1, shown);
        }
        let granted: Vec<bool> = (2..=7).map(|shown| lab.voted(shown) == Some(1)).collect();
        assert_eq!(granted, [true, true, false, false, true, true], "a, b, e and f grant; c and d refuse");
        for shown in 2..=7 {
            lab.deliver(shown, 1);
        }
        assert!(lab.leads(1, 8));
        assert_eq!(lab.terms(1), [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 8]);
        let probes: Vec<_> = lab.flights().iter().map(|flight| &flight.message).collect();
        let is_first = |probe: &&ClassicMessage| matches!(probe, ClassicMessage::AppendEntries { prev: (6, 10), records: Some(records), .. } if records.entries().len() == 1);
        assert!(probes.len() == 6 && probes.iter().all(is_first), "{probes:?}");
        if let Some(next) = next {
            for shown in 2..=7 {
                lab.deliver(1, shown);
            }
            for (shown, next) in [2, 3, 6, 7].into_iter().zip(next) {
                lab.deliver(shown, 1);
                assert_eq!(lab.progress(1, shown).0, next + 1, "the next probe of {shown} is at {next}");
            }
        }
        // Commit moves with the fourth copy.
        while lab.commit(1) < 11 {
            let held = (2..=7).filter(|&shown| lab.progress(1, shown).1 >= 11).count();
            assert!(held < 3, "{held} acks and no commit");
            let (from, to) = lab.flights().first().map(|flight| (flight.from, flight.to)).expect("it goes on");
            lab.deliver(from, to);
        }
        assert_eq!((2..=7).filter(|&shown| lab.progress(1, shown).1 >= 11).count(), 3);
        lab.deliver_all();
        let seen: Vec<usize> = (2..=7).map(|shown| lab.mismatches(shown)).collect();
        assert_eq!(seen, refusals, "{backtracking:?}");
        for shown in 2..=7 {
            assert_eq!(lab.terms(shown), [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 8], "server {shown}");
        }
        for (shown, cut) in [(4, 1), (5, 2)] {
            let is_cut = |(id, note): &(u8, Note)| {
                *id == shown && matches!(note, Note::Overwrote { from: 11, cut: n, .. } if *n == cut)
            };
            assert!(lab.notes.iter().any(is_cut), "server {shown} loses {cut}");
        }
    }
}

/// Figure 8 up to (c): S1 leads term 4 and has copied 2@2 to S3; 3@4 is on S1 alone.
fn figure_8() -> Lab {
    let start = || Disk { commit: 1, ..disk(1, None, &[1]) };
    let mut lab = Lab::of(no_start_entry(), (0..5).map(|_| start()).collect());
    // (a)
    lab.campaign(1);
    lab.deliver_all();
    assert!(lab.leads(1, 2));
    lab.append(1).expect("it leads");
    lab.deliver_among(&[1, 2]);
    assert_eq!((lab.terms(1), lab.terms(2), lab.terms(3)), (vec![1, 2], vec![1, 2], vec![1]));
    // (b)
    lab.crash(1);
    lab.campaign(5);
    lab.deliver_among(&[3, 4, 5]);
    assert!(lab.leads(5, 3));
    lab.append(5).expect("it leads");
    lab.lose(|_| true);
    assert_eq!(lab.terms(5), [1, 3]);
    lab.crash(5);
    // (c): S1 learns of term 3 and wins term 4.
    lab.restart(1);
    lab.campaign(1);
    lab.deliver_among(&[1, 2, 3, 4]);
    assert!(!lab.leads(1, 3), "S3 and S4 have voted in term 3");
    lab.campaign(1);
    lab.deliver(1, 2);
    lab.deliver(1, 3);
    lab.deliver(1, 4);
    for shown in [2, 3, 4] {
        lab.deliver(shown, 1);
    }
    assert!(lab.leads(1, 4));
    // 2@2 is copied to S3.
    lab.lose(|flight| flight.to == 4 || flight.to == 5);
    lab.deliver_among(&[1, 2, 3]);
    assert_eq!((lab.terms(1), lab.terms(2), lab.terms(3), lab.terms(4)), (vec![1, 2], vec![1, 2], vec![1, 2], vec![1]));
    assert_eq!(lab.progress(1, 3).1, 2);
    lab.append(1).expect("it leads");
    lab
}

#[test]
fn p06_figure_8_a_majority_copy_of_an_old_term_is_not_committed() {
    let mut lab = figure_8();
    // (c): on three of five, and not committed. S1 itself has forgotten what it knew: commitIndex is volatile.
    assert_eq!((lab.commit(1), lab.commit(2), lab.commit(3)), (0, 1, 1));
    assert!(lab.notes.iter().any(|(id, note)| *id == 1 && *note == Note::OlderTerm { index: 2, term: 2, current: 4 }));
    // (d): 3@4 stays on S1 alone; S5 overwrites 2@2 everywhere.
    lab.lose(|_| true);
    assert_eq!(lab.terms(1), [1, 2, 4]);
    lab.crash(1);
    lab.restart(5);
    lab.campaign(5);
    lab.deliver_all();
    assert!(!lab.leads(5, 4), "S2, S3 and S4 have voted in term 4");
    lab.campaign(5);
    lab.deliver_all();
    assert!(lab.leads(5, 5));
    assert_eq!([2, 3, 4, 5].map(|shown| lab.terms(shown)), [[1, 3]; 4].map(|terms| terms.to_vec()));
    assert!([2, 3, 4, 5].iter().all(|&shown| lab.commit(shown) <= 1), "2@3 is not committed before an entry of term 5");
    lab.append(5).expect("it leads");
    lab.deliver_all();
    assert_eq!(lab.commit(5), 3);
    lab.restart(1);
    lab.beat(5);
    lab.deliver_all();
    assert_eq!(lab.terms(1), [1, 3, 5]);
    // (e): 3@4 is copied first.
    let mut lab = figure_8();
    lab.deliver_among(&[1, 2, 3]);
    assert_eq!(lab.commit(1), 3, "2 and 3 together");
    lab.crash(1);
    lab.restart(5);
    for _ in 0..3 {
        lab.campaign(5);
        lab.lose(|flight| flight.to == 1);
        lab.deliver_all();
        assert_ne!(lab.role(5), RoleShape::Leader);
    }
    assert!([2, 3].iter().all(|&shown| lab.voted(shown) != Some(5)), "S2 and S3 refuse");
    assert_eq!(lab.voted(4), Some(5));
}

#[test]
fn p08_the_receiver_of_append_entries() {
    let follower = || Lab::of(settings(), vec![disk(2, None, &[1, 2]), Disk::default()]);
    #[expect(clippy::type_complexity, reason = "the columns of the case's table")]
    let rows: [(Place, u64, &[u32], bool, u64, u64); 7] = [
        ((3, 2), 3, &[], false, 2, 0),
        ((3, 3), 3, &[], false, 2, 0),
        ((0, 0), 1, &[2], true, 1, 1),
        ((2, 2), 3, &[2, 2], true, 4, 3),
        ((2, 2), 4, &[2], true, 3, 3),
        ((1, 1), 4, &[2], true, 2, 2),
        ((2, 2), 4, &[], true, 2, 2),
    ];
    for (prev, commit, entries, is_success, last, committed) in rows {
        let mut lab = follower();
        lab.bring(2, 1, append(4, prev, entries, commit));
        assert_eq!(is_yes(&lab.take(1, 2)), is_success, "{prev:?}");
        assert_eq!((lab.at(1).last_index(), lab.commit(1)), (last, committed), "{prev:?}");
    }
    let rows: [(Place, &[u32], &[u32]); 4] =
        [((2, 2), &[3], &[1, 2, 3]), ((1, 1), &[3, 4], &[1, 3, 4]), ((0, 0), &[1], &[1, 2]), ((0, 0), &[3], &[3])];
    for (prev, entries, wanted) in rows {
        let mut lab = follower();
        lab.bring(2, 1, append(4, prev, entries, 0));
        assert!(is_yes(&lab.take(1, 2)));
        assert_eq!(lab.terms(1), wanted, "{prev:?}");
    }
    // A lower leaderCommit never lowers commit.
    let mut lab = follower();
    lab.bring(2, 1, append(4, (2, 2), &[], 2));
    lab.bring(2, 1, append(4, (2, 2), &[], 1));
    assert_eq!(lab.commit(1), 2);
}

fn matches(term: u32, index: u64) -> ClassicMessage {
    ClassicMessage::Appended { term, count: 0, outcome: AppendOutcome::Matches { index } }
}

fn refuses(term: u32, prev: u64, hint: Place) -> ClassicMessage {
    ClassicMessage::Appended { term, count: 0, outcome: AppendOutcome::Refused { prev, hint } }
}

#[test]
fn p10_reordered_answers_never_move_match_or_commit_backwards() {
    // a: a heartbeat is delayed.
    let mut lab = Lab::empty(no_start_entry(), 3);
    lab.campaign(1);
    lab.deliver_among(&[1, 3]);
    assert!(lab.leads(1, 1));
    lab.beat(1);
    let delayed = lab.take(1, 2);
    assert!(matches!(delayed, ClassicMessage::AppendEntries { prev: (0, 0), records: None, .. }));
    lab.lose(|_| true);
    lab.append(1).expect("it leads");
    lab.deliver(1, 2);
    lab.deliver(2, 1);
    assert_eq!((lab.progress(1, 2).1, lab.commit(1)), (1, 1));
    lab.bring(1, 2, delayed);
    let answer = lab.take(2, 1);
    assert!(matches!(answer, ClassicMessage::Appended { outcome: AppendOutcome::Matches { index: 0 }, .. }));
    lab.bring(2, 1, answer);
    assert_eq!((lab.progress(1, 2).1, lab.commit(1)), (1, 1));

    // b: rejections for what is known to match.
    let mut lab = Lab::empty(no_start_entry(), 3);
    lab.campaign(1);
    lab.deliver_all();
    for _ in 0..2 {
        lab.append(1).expect("it leads");
    }
    lab.deliver_all();
    for _ in 0..2 {
        lab.append(1).expect("it leads");
    }
    assert_eq!(lab.progress(1, 2), (5, 2), "3 and 4 are on their way");
    let before = lab.flights().len();
    lab.bring(2, 1, refuses(1, 2, (0, 1)));
    lab.bring(2, 1, refuses(1, 1, (0, 0)));
    assert_eq!(lab.progress(1, 2), (5, 2));
    assert_eq!(lab.flights().len(), before, "nothing is tried out");
    lab.deliver_all();
    assert_eq!((lab.progress(1, 2), lab.terms(2)), ((5, 4), vec![1; 4]));

    // c: a new leader knows of less.
    let mut lab = Lab::empty(settings(), 3);
    lab.campaign(1);
    lab.deliver_all();
    lab.append(1).expect("it leads");
    lab.deliver_all();
    lab.beat(1);
    lab.deliver(1, 3);
    lab.lose(|_| true);
    assert_eq!(lab.commits(), [2, 1, 2]);
    lab.campaign(2);
    lab.lose(|flight| flight.to == 1);
    lab.deliver_among(&[2, 3]);
    assert_eq!(lab.at(2).term(), 2);
    lab.bring(2, 1, append(2, (1, 2), &[], 1));
    assert_eq!(lab.commit(1), 2);

    // d: two appends, entries 1 and 2, then 3, arrive in the other order; the leader is trying out again when the refusal
    // comes.
    let mut lab = Lab::empty(no_start_entry(), 2);
    lab.campaign(1);
    lab.deliver_all();
    for _ in 0..3 {
        lab.append(1).expect("it leads");
    }
    let (one, two, second) = (lab.take(1, 2), lab.take(1, 2), lab.take(1, 2));
    assert!(matches!(second, ClassicMessage::AppendEntries { prev: (1, 2), .. }));
    // Entries 1 and 2 go in one message.
    for message in [one, two] {
        assert!(matches!(message, ClassicMessage::AppendEntries { records: Some(_), .. }));
    }
    let first = append(1, (0, 0), &[1, 1], 0);
    lab.bring(1, 2, second);
    let refusal = lab.take(2, 1);
    assert!(matches!(refusal, ClassicMessage::Appended { outcome: AppendOutcome::Refused { prev: 2, .. }, .. }));
    lab.bring(1, 2, first);
    lab.deliver(2, 1);
    assert_eq!(lab.progress(1, 2), (4, 2));
    // The link is bad: another entry is refused for the gap, and the leader tries out from the match on. That is lost too.
    lab.append(1).expect("it leads");
    let gap = lab.take(1, 2);
    assert!(matches!(gap, ClassicMessage::AppendEntries { prev: (1, 3), .. }));
    lab.bring(1, 2, gap);
    lab.deliver(2, 1);
    assert_eq!(lab.progress(1, 2), (3, 2), "probe mode, next 3");
    lab.lose(|_| true);
    lab.bring(2, 1, refusal);
    assert_eq!(lab.progress(1, 2), (3, 2), "the delayed refusal changes nothing");
    assert!(matches!(lab.notes.last(), Some((1, Note::Contradicts { matched: 2, .. }))));
    let next = if lab.flights().is_empty() {
        lab.beat(1);
        lab.take(1, 2)
    } else {
        lab.take(1, 2)
    };
    assert!(
        matches!(next, ClassicMessage::AppendEntries { prev: (1, 2), .. }),
        "at its match index, not below: {next:?}"
    );
}

#[test]
fn p12_backtracking_the_exact_number_of_refusals() {
    let threes = || [&[1, 2, 2][..], &[3; 8]].concat();
    #[expect(clippy::type_complexity, reason = "the columns of the case's table")]
    let rows: [(Vec<u32>, Vec<u32>, [usize; 3], Option<u64>); 8] = [
        (vec![1, 2, 2, 4, 4, 4, 4], threes(), [4, 1, 1], Some(3)),
        (vec![1, 2, 2, 3, 4, 4, 4, 5], threes(), [4, 1, 1], Some(4)),
        (vec![1; 4], vec![1, 2, 2, 4], [3, 2, 1], Some(1)),
        (vec![1; 6], vec![1, 2, 2, 4], [5, 3, 1], Some(1)),
        (vec![1; 4], vec![1, 2, 2, 4, 4, 4], [3, 2, 1], Some(1)),
        (vec![1, 1, 1, 4, 5], vec![1, 1, 1, 4], [1, 1, 1], Some(4)),
        ([&[2][..], &[5; 8]].concat(), [&[2][..], &[4; 5]].concat(), [8, 2, 1], Some(1)),
        (vec![2; 5], [&[2][..], &[4; 7]].concat(), [4, 1, 1], Some(1)),
    ];
    for (leader, follower, counts, hinted) in rows {
        let all = [Backtracking::OneByOne, Backtracking::TermHint, Backtracking::TwoSidedHint];
        for (backtracking, count) in all.into_iter().zip(counts) {
            // The third votes, so that the leader need not have the better log of the two.
            let disks = vec![disk(9, None, &leader), disk(9, None, &follower), disk(9, None, &leader)];
            let settings = ClassicSettings { backtracking, rules: Rules::default(), ..settings() };
            let mut lab = Lab::of(settings, disks);
            lab.campaign(1);
            lab.lose(|flight| flight.to == 2);
            lab.deliver(1, 3);
            lab.deliver(3, 1);
            assert!(lab.leads(1, 10));
            lab.lose(|flight| flight.to == 3);
            if backtracking == Backtracking::TwoSidedHint {
                lab.deliver(1, 2);
                lab.deliver(2, 1);
                assert_eq!(lab.progress(1, 2).0.checked_sub(1), hinted, "{leader:?} {follower:?}");
            }
            lab.deliver_all();
            assert_eq!(lab.mismatches(2), count, "{leader:?} {follower:?} {backtracking:?}");
            // Once one more entry of the leader's own term is there, the logs are equal.
            lab.append(1).expect("it leads");
            lab.deliver_all();
            assert_eq!(lab.terms(2), lab.terms(1), "{leader:?} {follower:?} {backtracking:?}");
        }
    }
}

#[test]
fn p19_duelling_candidates_and_pre_candidates() {
    for has_pre_vote in [false, true] {
        // The pre-vote half needs no lease: by then nobody has heard from the leader within the shortest timeout.
        let rules = Rules { pre_vote: has_pre_vote, no_op: true, ..Rules::default() };
        let mut lab = Lab::empty(ClassicSettings { rules, heartbeat_ms: 100_000, ..settings() }, 3);
        lab.part = 900;
        for shown in 1..=3 {
            lab.crash(shown);
            lab.restart(shown);
        }
        lab.cut(1, 3, true);
        lab.campaign(1);
        lab.deliver_all();
        assert!(lab.leads(1, 1));
        assert_eq!((lab.terms(1), lab.terms(2)), (vec![1], vec![1]));
        // The lease is over, and nobody's timeout has run out.
        lab.pass(lab.settings.election_min_ms);
        lab.campaign(3);
        lab.deliver_all();
        if has_pre_vote {
            let refused = |(id, note): &(u8, Note)| {
                *id == 2 && matches!(note, Note::Refused { pre_vote: true, why: Refusal::VotedFor(_), .. })
            };
            assert!(lab.notes.iter().any(refused), "not for the lease: {:?}", lab.notes.last());
            assert_eq!((lab.role(3), lab.at(3).term()), (RoleShape::Follower, 1), "n2 names term 1");
        } else {
            assert_eq!((lab.role(3), lab.at(3).term()), (RoleShape::Candidate, 1));
            let refused = |(id, note): &(u8, Note)| *id == 2 && matches!(note, Note::Refused { .. });
            assert!(lab.notes.iter().any(refused));
        }
        lab.cut(1, 3, false);
        lab.campaign(3);
        // No ticks and no heartbeats: only what the campaign itself brings.
        lab.deliver_all();
        let terms: Vec<u32> = (1..=3).map(|shown| lab.at(shown).term()).collect();
        let lasts: Vec<u64> = (1..=3).map(|shown| lab.at(shown).last_index()).collect();
        assert_eq!(lasts, [1, 1, 0]);
        if has_pre_vote {
            assert_eq!((terms, lab.role(1)), (vec![1; 3], RoleShape::Leader));
        } else {
            assert_eq!((terms, (1..=3).all(|shown| lab.role(shown) == RoleShape::Follower)), (vec![2; 3], true));
        }
    }
}

#[test]
fn p22_check_quorum_tick_by_tick() {
    // An election timeout of three ticks.
    const TICK_MS: u32 = 100;
    let rules = Rules { check_quorum: true, no_op: true, ..Rules::default() };
    let settings = ClassicSettings {
        election_min_ms: 3 * TICK_MS,
        election_max_ms: 3 * TICK_MS,
        heartbeat_ms: TICK_MS,
        rules,
        ..settings()
    };
    let led = || {
        let mut lab = Lab::of(settings.clone(), vec![disk(0, None, &[]), Disk::default(), Disk::default()]);
        lab.campaign(1);
        lab.deliver_all();
        for _ in 0..10 {
            lab.append(1).expect("it leads");
        }
        lab.deliver_all();
        lab.beat(1);
        lab.deliver_all();
        assert_eq!((lab.commits(), lab.terms(1)), (vec![11; 3], vec![1; 11]));
        lab
    };
    let tick = |lab: &mut Lab, shown: u8| {
        lab.pass(TICK_MS);
        lab.look(shown);
    };
    let mut lab = led();
    // (1)
    lab.campaign(2);
    lab.deliver_among(&[1, 2, 3]);
    let ignored =
        |(id, note): &(u8, Note)| (*id != 2) && matches!(note, Note::Ignored { from, term: 2 } if from.0 == 1);
    assert_eq!(lab.notes.iter().filter(|line| ignored(line)).count(), 2, "n1 and n3 ignore it");
    assert!(lab.leads(1, 1));
    assert_eq!([1, 2, 3].map(|shown| lab.at(shown).term()), [1, 2, 1]);
    // (2): whom it heard in this window still counts. What n3 answers is not read, and n2 and n3 do not tick.
    for _ in 0..3 {
        tick(&mut lab, 1);
    }
    assert!(lab.leads(1, 1));
    // (3)
    for _ in 0..3 {
        tick(&mut lab, 1);
    }
    assert_eq!((lab.role(1), lab.at(1).term()), (RoleShape::Follower, 1), "it steps down at its own term");
    // (4): its heartbeats arrive, and n2 answers with term 2.
    while lab.flights().iter().any(|flight| flight.to == 2) {
        lab.deliver(1, 2);
    }
    lab.deliver(2, 1);
    assert_eq!(lab.at(1).term(), 2);
    lab.lose(|_| true);

    // (5) in a run whose clock has not moved for n3.
    let mut lab = led();
    lab.campaign(2);
    lab.lose(|_| true);
    lab.bring(2, 1, ClassicMessage::Appended { term: 2, count: 0, outcome: AppendOutcome::Stale });
    assert_eq!((lab.role(1), lab.at(1).term()), (RoleShape::Follower, 2));
    lab.campaign(2);
    lab.deliver(2, 1);
    lab.deliver(2, 3);
    assert!(matches!(lab.notes.last(), Some((3, Note::Ignored { term: 3, .. }))), "n3 has not ticked");
    lab.deliver(1, 2);
    assert!(lab.leads(2, 3), "2 of 3");
    lab.deliver_all();
    assert_eq!((lab.terms(2).last(), lab.commit(2)), (Some(&3), 12));

    // Stranded: n1 leads, n3 campaigns twice against n2.
    let mut lab = led();
    lab.cut(1, 2, true);
    lab.cut(1, 3, true);
    for _ in 0..2 {
        lab.campaign(3);
        lab.deliver_all();
    }
    assert_eq!(lab.at(3).term(), lab.at(2).term() + 2);
    lab.cut(1, 2, false);
    lab.cut(1, 3, false);
    lab.beat(1);
    lab.deliver_all();
    assert_eq!((lab.role(1), lab.at(1).term()), (RoleShape::Follower, 3));
    lab.campaign(3);
    lab.deliver_all();
    assert!(lab.leads(3, 4), "with n1's vote");
}

#[test]
fn a_pre_vote_moves_no_term_and_promises_nothing() {
    let rules = Rules { pre_vote: true, ..Rules::default() };
    let mut lab =
        Lab::of(ClassicSettings { rules, ..settings() }, vec![disk(2, None, &[1]), Disk::default(), Disk::default()]);
    for from in [2, 3] {
        lab.bring(from, 1, pre_vote(3, (1, 1)));
        let answer = lab.take(1, from);
        assert!(is_yes(&answer));
        assert!(matches!(answer, ClassicMessage::Vote { term: 3, pre_vote: true, .. }));
    }
    assert_eq!((lab.at(1).term(), lab.voted(1)), (2, None));
    lab.bring(2, 1, pre_vote(2, (0, 0)));
    assert!(matches!(lab.notes.last(), Some((1, Note::Refused { why: Refusal::LogBehind, .. }))));
    // The lease: it has just heard from a leader.
    lab.bring(3, 1, append(2, (1, 1), &[], 0));
    lab.lose(|_| true);
    lab.bring(2, 1, pre_vote(3, (1, 1)));
    assert!(!is_yes(&lab.take(1, 2)));
    lab.pass(lab.settings.election_min_ms);
    lab.bring(2, 1, pre_vote(3, (1, 1)));
    lab.lose(|flight| matches!(flight.message, ClassicMessage::RequestVote { .. }));
    assert!(is_yes(&lab.take(1, 2)), "the lease is over");
    assert_eq!(log(&[1]).end_offset(), 1);
}

#[test]
fn an_answer_that_matches_more_than_before_moves_match_and_no_other_does() {
    let mut lab = Lab::empty(settings(), 3);
    lab.campaign(1);
    lab.deliver_all();
    assert_eq!(lab.progress(1, 2), (2, 1));
    lab.bring(2, 1, matches(1, 0));
    assert_eq!(lab.progress(1, 2), (2, 1));
    // Beyond its own log a leader believes nobody.
    lab.bring(2, 1, matches(1, 7));
    assert_eq!(lab.progress(1, 2).1, 1);
    assert_eq!(lab.at(1).standing().committed, Some(1));
}
