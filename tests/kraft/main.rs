//! KRaft by its tables: the scenario rows of Kafka's own tests, one test a row, under its number.
//!
//! Each row runs one client on its executor, with the test in the place of its peers, and in both forms of the client's
//! work. The numbers, names and values are those of the rows; so are the settings, unless a row says otherwise.
//!
//! | file | rows |
//! | --- | --- |
//! | `elections` | C01 to C32: start-up and elections |
//! | `resignation` | C33 to C50: resignation, heartbeats, check-quorum, shutdown; the driver |
//! | `replication` | C51 to C75: replication and listeners |
//! | `pre_vote` | V01 to V15 and F01 to F03 |
//! | `quorum_state` | Q01 to Q26: what is stored, and the transitions |
//! | `leader_state` | L01 to L14: high watermark and check-quorum |
//! | `peers` | the KRaft cases P36, P37, P38, P41 and P43 |
//! | `bugs` | Kafka's own bugs that must not be here |
//! | `garbage` | whatever else arrives |
//!
//! Rows that cannot be said here, and why: C38's anonymous observer and Q09 and the end of Q25 (a node without an id has no
//! place in a cluster of numbered replicas); Q22's "one more endpoint" and Q24's "empty endpoints" (nodes have no
//! endpoints); C69's separate schedule call. S, R, L04 to L07, L11's voter changes and L15 come with snapshots and voter
//! changes.
#![cfg(not(target_arch = "wasm32"))]

mod bugs;
mod elections;
mod garbage;
mod leader_state;
mod lone;
mod peers;
mod pre_vote;
mod quorum_state;
mod replication;
mod resignation;
