//! Runs that several tests use: with faults of every kind, made from a seed.

use raftwerk::executor::NEVER;
use raftwerk::raft::ProtocolSettings;
use raftwerk::raft::ReplicaId;
use raftwerk::raft::classic::{self, Backtracking, ClassicSettings, Refused};
use raftwerk::raft::kraft::{Bootstrap, KRaftSettings, Rules};
use raftwerk::scenario::Record;
use raftwerk::session::Session;
use raftwerk::sim::{ClientOptions, Command, EventName, FlightName, Groups, LinkConditions, Stream, client_id, scale};

/// A record with settings that depend on the seed: sizes 1 to 9, loss, duplication, reordering, rules; even seeds run KRaft,
/// odd ones the paper's Raft.
pub fn record(seed: u64) -> Record {
    let mut luck = Stream::of_link(seed ^ 0xa5a5, ReplicaId(20), ReplicaId(21));
    let mut draw = |bound| scale(luck.draw(), bound);
    let bootstrap = if draw(2) == 0 { Bootstrap::Voters } else { Bootstrap::Nobody };
    let rules = Rules { pre_vote: draw(4) != 0, check_quorum: draw(4) != 0, fetched_refuses_pre_vote: draw(4) != 0 };
    let kraft = ProtocolSettings::KRaft(KRaftSettings { bootstrap, rules, ..KRaftSettings::default() });
    let links = LinkConditions {
        latency_min_us: 1_000 * (1 + draw(50)),
        latency_max_us: 60_000 + 1_000 * draw(60),
        loss_ppm: 100_000 * draw(3),
        duplicate_ppm: 50_000 * draw(3),
        reorder_ppm: 50_000 * draw(3),
    };
    let replicas = 1 + u8::try_from(draw(9)).expect("below 9");
    let protocol = if seed.is_multiple_of(2) { kraft } else { ProtocolSettings::Classic(classic(&mut luck)) };
    Record { replicas, seed, links, protocol, ..Record::default() }
}

/// Settings of the paper's Raft, of any kind.
fn classic(luck: &mut Stream) -> ClassicSettings {
    let mut draw = |bound| scale(luck.draw(), bound);
    let backtracking = [Backtracking::OneByOne, Backtracking::TermHint, Backtracking::TwoSidedHint][draw(3) as usize];
    ClassicSettings {
        batch: [1, 4, 16][draw(3) as usize],
        backtracking,
        refused: [Refused::Waits, Refused::StepsDown][draw(2) as usize],
        rules: classic::Rules { pre_vote: draw(2) == 0, check_quorum: draw(2) == 0, no_op: draw(2) == 0 },
        ..ClassicSettings::default()
    }
}

/// Plays `steps` steps of a run and does something to it every now and then. Gives the session at its end.
pub fn faulty_run(seed: u64, steps: u64) -> Session {
    run(seed, steps, false)
}

/// The same with executors that are interfered with: steps cut into tasks, tasks run out of turn and cancelled.
#[allow(dead_code, reason = "not every test interferes with executors")]
pub fn run_with_tasks(seed: u64, steps: u64) -> Session {
    run(seed, steps, true)
}

fn run(seed: u64, steps: u64, with_tasks: bool) -> Session {
    let mut session = Session::open(record(seed)).expect("a good record");
    let mut luck = Stream::of_link(seed ^ 0x5a5a, ReplicaId(22), ReplicaId(23));
    while session.position() < steps {
        for _ in 0..if with_tasks { scale(luck.draw(), 4) } else { 0 } {
            session.step_task();
        }
        if scale(luck.draw(), 8) == 0 {
            let count = u32::from(session.sim().replicas());
            let any = |luck: &mut Stream| ReplicaId(u8::try_from(scale(luck.draw(), count)).expect("small"));
            let (replica, from, to) = (any(&mut luck), any(&mut luck), any(&mut luck));
            let command = any_command(&session, &mut luck, (replica, from, to), with_tasks);
            let (now_us, next_us) = (session.sim().now_us(), session.next_due_us());
            if next_us != NEVER {
                session.set_playhead(now_us + (next_us - now_us) / 2);
            }
            // Refused where it makes no sense (restarting what runs): then nothing has changed.
            let _ = session.act(command);
        }
        if !session.step() {
            break;
        }
    }
    session
}

/// A command of any kind; not every one can be carried out where it is given.
pub fn any_command(
    session: &Session,
    luck: &mut Stream,
    (replica, from, to): (ReplicaId, ReplicaId, ReplicaId),
    with_tasks: bool,
) -> Command {
    let sim = session.sim();
    let pending = sim.pending();
    let place = scale(luck.draw(), u32::try_from(pending.len()).expect("few"));
    let event = pending.get(place as usize).map(|event| event.name);
    let deliveries: Vec<FlightName> = pending
        .iter()
        .filter_map(|event| match event.name {
            EventName::Delivery { from, to, number, is_copy } => Some((from, to, number, is_copy)),
            EventName::Timer { .. } | EventName::Task { .. } | EventName::Client { .. } => None,
        })
        .collect();
    let delivery = deliveries.first().copied();
    let waiting = sim.client(replica).map(|client| client.queue()).unwrap_or_default();
    let task = waiting.first().map(|&(_, number, _)| u32::try_from(number).expect("few"));
    let client = u8::try_from(scale(luck.draw(), 3)).expect("small");
    match (scale(luck.draw(), 30), event, delivery) {
        (0 | 1, ..) if with_tasks && task.is_some() => match (scale(luck.draw(), 2), task) {
            (0, Some(number)) => Command::Cancel { replica, number },
            (_, number) => Command::RunNow { event: EventName::Task { replica, number: number.unwrap_or_default() } },
        },
        (8, ..) => Command::Resign { replica },
        (10 | 11, ..) => {
            let value = u64::from(scale(luck.draw(), 1_000));
            let count = 1 + u8::try_from(scale(luck.draw(), 5)).expect("small");
            let leader = session.leader().map_or(replica, |(leader, _)| leader);
            Command::Append { replica: leader, key: 1, value, count }
        }
        (9, ..) => Command::Shutdown { replica, timeout_ms: 1_000 + scale(luck.draw(), 4_000) },
        (0, ..) => Command::Crash { replica, keep_unflushed: scale(luck.draw(), 2) == 0 },
        (1 | 2, ..) => Command::Restart { replica, is_wiped: false },
        (3, Some(event), _) => Command::RunNow { event },
        (4, _, Some((from, to, number, is_copy))) => Command::Drop { from, to, number, is_copy },
        (12, _, Some((from, to, number, is_copy))) => {
            Command::SetHeld { from, to, number, is_copy, is_held: scale(luck.draw(), 3) > 0 }
        }
        (5, _, Some((from, to, number, _))) => Command::Duplicate { from, to, number, after_us: 5_000 },
        (6, ..) => Command::SetCut { from, to, is_cut: scale(luck.draw(), 2) == 0 },
        (13, _, Some((from, to, number, is_copy))) => {
            Command::Delay { from, to, number, is_copy, by_us: scale(luck.draw(), 500_000) }
        }
        (14, _, Some(one)) => Command::Swap { one, other: deliveries[deliveries.len() - 1] },
        (15, Some(event @ (EventName::Timer { .. } | EventName::Client { .. })), _) => {
            Command::PushBack { event, by_us: scale(luck.draw(), 2_000_000) }
        }
        (16, ..) => Command::SpaceTimers { apart_us: scale(luck.draw(), 3) * 150_000 },
        (17, ..) => Command::Pause { replica },
        (18 | 19, ..) => {
            let paused = sim.ids().find(|&id| sim.is_paused(id));
            Command::Resume { replica: paused.unwrap_or(replica) }
        }
        (20, ..) => Command::SetClock { replica, rate_ppm: 500_000 + scale(luck.draw(), 1_500_000) },
        (21, ..) => {
            let mut groups = Groups::default();
            for id in
                sim.ids().chain((0..sim.clients().len()).map(|client| client_id(u8::try_from(client).expect("few"))))
            {
                groups.put(id, u8::try_from(scale(luck.draw(), 2)).expect("small"));
            }
            Command::Partition { groups }
        }
        (22 | 23, ..) => Command::Heal,
        (24, ..) => Command::AddClient {
            options: ClientOptions { timeout_ms: 300 + scale(luck.draw(), 2_000), ..ClientOptions::default() },
        },
        (25 | 26, ..) => Command::ClientRequest { client, key: 7, value: scale(luck.draw(), 1_000).into() },
        (27, ..) => Command::SetRate { client, every_us: scale(luck.draw(), 3) * 200_000 },
        _ => Command::SetLink {
            link: Some((from, to)),
            conditions: LinkConditions { loss_ppm: 300_000, ..LinkConditions::default() },
        },
    }
}
