//! What is drawn, as plain data.
#![cfg(not(target_arch = "wasm32"))]

use raftwerk::raft::{ReplicaId, Verdict};
use raftwerk::scenario::{Record, Start};
use raftwerk::session::Session;
use raftwerk::sim::{ClientOptions, Command, Groups, What};
use raftwerk::view::{CLIENT, CellState, Extent, Kinds, Looks, Part, Sieve, Thread, events, inspect, log_table, stage};

#[test]
fn a_log_that_differs_from_the_leaders_will_go() {
    // Node 1 is about to win with the longer history; node 3 holds records that it does not have.
    let start = |log: &[u32], voted| Start { log: log.to_vec(), epoch: 4, voted, ..Start::default() };
    let starts = vec![start(&[1, 1, 3], Some(ReplicaId(0))), start(&[1, 1, 3], None), start(&[1, 1, 2, 2], None)];
    let mut session = Session::open(Record { replicas: 3, starts, ..Record::default() }).expect("it opens");
    while session.leader().is_none() {
        assert!(session.step());
    }
    session.step();
    let table = log_table(session.sim(), None, 4);
    assert_eq!((table.first, table.end), (0, 4));
    let states = |row: usize| table.rows[row].cells.iter().flatten().map(|cell| cell.state).collect::<Vec<_>>();
    assert_eq!(states(0), [CellState::Uncommitted; 4]);
    assert_eq!(states(2)[..2], [CellState::Uncommitted; 2]);
    assert_eq!(states(2)[2..], [CellState::WillGo; 2]);
    assert_eq!(table.rows[0].cells[3].as_ref().map(|cell| cell.label.as_str()), Some("LC"));
    // A window is as wide as it is asked for, and moves.
    let window = log_table(session.sim(), Some(1), 2);
    assert_eq!((window.first, window.rows[1].cells.len()), (1, 2));
}

fn session(replicas: u8, seed: u64) -> Session {
    Session::open(Record { replicas, seed, ..Record::default() }).expect("it opens")
}

fn looks(extent: Extent) -> Looks {
    Looks { extent, hidden: Kinds(0), moved: Vec::new(), is_still: false }
}

/// Wide, high and small screens.
fn extents() -> [Extent; 4] {
    [
        Extent::of(828.0, 356.0, false),
        Extent::of(1_360.0, 600.0, false),
        Extent::of(390.0, 354.0, true),
        Extent::of(320.0, 340.0, true),
    ]
}

#[test]
fn replicas_stand_apart_and_inside_whatever_their_number() {
    for extent in extents() {
        for count in 1..=25 {
            let view = stage(&session(count, 1), &looks(extent));
            for (index, node) in view.nodes.iter().enumerate() {
                let room = node.radius;
                assert!(node.x >= room && node.x <= extent.width - room, "{count} in {extent:?}: {}", node.x);
                assert!(node.y >= room && node.y <= extent.height - room, "{count} in {extent:?}: {}", node.y);
                for other in &view.nodes[..index] {
                    let (dx, dy) = (node.x - other.x, node.y - other.y);
                    // The outlines; dials may touch on the smallest screens.
                    let apart = (dx * dx + dy * dy).sqrt();
                    assert!(apart >= node.radius + other.radius + 6.0, "{count} in {extent:?}: {apart}");
                }
            }
        }
    }
}

#[test]
fn clients_stand_beside_the_replicas_and_apart_whatever_their_numbers() {
    for (extent, clients, count) in extents()
        .into_iter()
        .flat_map(|extent| [1, 2, 9].map(|clients| (extent, clients)))
        .flat_map(|(extent, clients)| [1, 3, 5, 9, 25].map(|count| (extent, clients, count)))
    {
        let mut session = session(count, 1);
        for _ in 0..clients {
            session.act(Command::AddClient { options: ClientOptions::default() }).expect("there is room");
        }
        let view = stage(&session, &looks(extent));
        assert_eq!(view.clients.len(), clients);
        for (index, (_, (x, y))) in view.clients.iter().enumerate() {
            assert!(
                x - CLIENT.0 >= 0.0 && y - CLIENT.1 >= 0.0 && y + CLIENT.1 <= extent.height,
                "{clients} in {extent:?}"
            );
            for node in &view.nodes {
                let is_left = x + CLIENT.0 <= node.x - node.radius;
                let is_apart = (y - node.y).abs() >= CLIENT.1 + node.radius;
                assert!(is_left || is_apart, "a client covers node {} of {count} in {extent:?}", node.id);
            }
            for (_, (_, other)) in &view.clients[..index] {
                assert!((y - other).abs() >= CLIENT.1 * 2.0, "{clients} clients touch in {extent:?}");
            }
        }
    }
}

#[test]
fn a_partition_is_drawn_as_regions_with_letters_and_told_in_names() {
    let mut session = session(5, 1);
    let mut groups = Groups::default();
    groups.put(ReplicaId(1), 1);
    groups.put(ReplicaId(2), 1);
    groups.put(ReplicaId(3), 2);
    session.act(Command::Partition { groups }).expect("anybody can be parted");
    let view = stage(&session, &looks(extents()[0]));
    assert_eq!(view.regions.iter().map(|region| region.letter.as_str()).collect::<Vec<_>>(), ["A", "B", "C"]);
    assert!(view.nodes[2].name.ends_with(", group B"), "{}", view.nodes[2].name);
    session.act(Command::Heal).expect("it is parted");
    assert!(stage(&session, &looks(extents()[0])).regions.is_empty());
}

#[test]
fn labels_cover_neither_replicas_nor_each_other_and_stay_inside() {
    for (count, extent) in [3, 5, 9, 25].into_iter().flat_map(|count| extents().map(|extent| (count, extent))) {
        let mut session = session(count, 3);
        for _ in 0..u32::from(count) * 20 {
            session.step();
            let view = stage(&session, &looks(extent));
            let spots: Vec<[f64; 4]> = view
                .arrows
                .iter()
                .zip(view.labels(session.playhead_us()))
                .filter_map(|(arrow, place)| {
                    let (x, y) = place?;
                    let half = arrow.label_width() / 2.0;
                    Some([x - half, y - 8.5, x + half, y + 8.5])
                })
                .collect();
            for (index, [left, top, right, bottom]) in spots.iter().copied().enumerate() {
                assert!(left >= 0.0 && top >= 0.0 && right <= extent.width && bottom <= extent.height);
                for node in &view.nodes {
                    let r = node.radius;
                    let covers = left < node.x + r && right > node.x - r && top < node.y + r && bottom > node.y - r;
                    assert!(!covers, "a label covers node {}", node.id);
                }
                for other in &spots[..index] {
                    let touches = left < other[2] && other[0] < right && top < other[3] && other[1] < bottom;
                    assert!(!touches, "two labels touch");
                }
            }
        }
    }
}

#[test]
fn nothing_that_is_hidden_by_kind_is_drawn() {
    let mut session = session(5, 3);
    let mut seen = 0;
    for _ in 0..200 {
        session.step();
        let votes = Looks { hidden: Kinds(0).toggled(0), ..looks(extents()[0]) };
        let all = stage(&session, &looks(extents()[0])).arrows;
        let rest = stage(&session, &votes).arrows;
        seen += all.len() - rest.len();
        assert!(
            rest.iter().all(|arrow| !["Vote", "PreVote", "granted"].iter().any(|word| arrow.label.starts_with(word)))
        );
    }
    assert!(seen > 50);
}

#[test]
fn the_thread_of_an_answer_leads_back_to_a_timeout_and_on_to_the_election() {
    let mut session = session(5, 3);
    let mut answer = None;
    while session.leader().is_none() {
        assert!(session.step());
        // The first vote that is granted, as it is sent.
        answer = answer.or_else(|| {
            session.last_step().iter().find_map(|event| match event.what {
                What::Sent { to, number, face, .. } if face.verdict == Verdict::Granted => {
                    Some((event.replica, to, number))
                }
                _ => None,
            })
        });
    }
    let thread = Thread::of(&session, answer.expect("a vote was granted"));
    assert_eq!(thread.causes.len(), 1, "the request");
    assert_eq!(thread.cause_steps.len(), 2, "the step that answered, and the timeout that asked");
    assert!(thread.arrived.is_some());
    let first = thread.cause_steps[1];
    let (_, trace) = session.recent().find(|&(step, _)| step == first).expect("it is remembered");
    assert!(trace.iter().any(|event| matches!(event.what, What::Fired { .. })));
    for id in &thread.consequences {
        assert_eq!(thread.part(*id), Some(Part::Consequence));
    }
}

#[test]
fn the_event_list_knows_what_came_and_what_comes() {
    let mut session = session(5, 3);
    while session.leader().is_none() {
        session.step();
    }
    let end = session.position();
    session.seek(end / 2);
    let all = events(&session, &Sieve::default(), 60, 6);
    assert_eq!(all.iter().filter(|line| line.is_here).count(), 1);
    assert_eq!(all.iter().filter(|line| line.is_ahead).count(), 6);
    assert!(all.windows(2).all(|pair| pair[0].step > pair[1].step), "the newest first");
    session.seek(end);
    let search = Sieve { search: "LEADER OF EPOCH".into(), ..Sieve::default() };
    let found = events(&session, &search, 60, 0);
    assert!(!found.is_empty() && found.iter().all(|line| line.text.contains("leader of epoch")));
    let changes = Sieve { kind: 1, replica: Some(ReplicaId(0)), ..Sieve::default() };
    for line in events(&session, &changes, 60, 0) {
        let (_, trace) = session.recent().find(|&(step, _)| step == line.step).expect("it is remembered");
        assert!(trace.iter().any(|event| event.replica == ReplicaId(0)));
    }
}

#[test]
fn what_the_last_step_changed_is_marked_whichever_way_one_came() {
    let mut session = session(5, 3);
    while session.leader().is_none() {
        session.step_and_look();
    }
    let (leader, _) = session.leader().expect("it has one");
    let marked = |session: &Session| {
        let before = session.before().expect("it is kept");
        inspect::marked(inspect::replica(session, session.sim(), leader), &inspect::replica(session, before, leader))
    };
    let forward = marked(&session);
    assert!(forward.iter().any(|row| row.name == "role" && row.is_changed));
    assert!(forward.iter().any(|row| row.name == "membership" && !row.is_changed));
    session.step_and_look();
    session.step_back();
    assert_eq!(marked(&session), forward);
}
