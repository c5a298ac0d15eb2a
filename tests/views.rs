//! What is drawn, as plain data.
#![cfg(not(target_arch = "wasm32"))]

use raftwerk::raft::ReplicaId;
use raftwerk::scenario::{Record, Start};
use raftwerk::session::Session;
use raftwerk::view::{CellState, log_table};

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
