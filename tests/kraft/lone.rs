//! One client by itself, on a mock executor, with a test in the place of all its peers.
//!
//! The local node is 0, as in the scenario tables; its peers are 1, 2 and so on. Nothing is sent anywhere: what the
//! client sends is collected, and the test answers what it likes.

use raftwerk::executor::{EventExecutor, MICROS_PER_MILLI, MockEventExecutor, MockTime, NEVER, TaskId};
use raftwerk::raft::kraft::{
    Address, Answer, Body, Bootstrap, Disk, ErrorCode, FetchOutcome, KRaft, KRaftMessage, KRaftReplica, KRaftSettings,
    QuorumDescription, QuorumRecord, Rules, Successors,
};
use raftwerk::raft::{
    ClientSettings, Effects, Failure, Form, LocalClock, Log, Luck, Payload, Purpose, RaftClient, RaftClientDriver, Ran,
    Records, Replica, ReplicaId, ReplicaSet, Request, RoleShape, Standing, Surroundings, Task, TaskError, TaskKind,
    Timer, TimerKind,
};

/// Election timeout of the tables, in milliseconds.
pub const ET: u64 = 10_000;
/// Both forms of a client's work; each row of the tables runs in both.
pub const FORMS: [Form; 2] = [Form::SeparateEvents, Form::OnePoll];

/// The settings of the tables.
pub fn settings() -> KRaftSettings {
    KRaftSettings {
        election_timeout_ms: 10_000,
        fetch_timeout_ms: 50_000,
        election_backoff_max_ms: 100,
        request_timeout_ms: 5_000,
        retry_backoff_ms: 50,
        fetch_max_wait_ms: 0,
        linger_ms: 0,
        observers: ReplicaSet::default(),
        observers_flush: false,
        bootstrap: Bootstrap::Nobody,
        rules: Rules::default(),
    }
}

/// The same random part for every election timeout.
struct Part(u32);

impl Luck for Part {
    fn below(&mut self, purpose: Purpose, bound: u32) -> u32 {
        match purpose {
            Purpose::Election => self.0.min(bound.saturating_sub(1)),
            Purpose::Bootstrap => 0,
        }
    }
}

/// What it runs on.
pub type Executor = MockEventExecutor<Task<KRaftMessage>>;

/// A client, its clock and what it has sent.
pub struct Lone {
    time: MockTime,
    driver: RaftClientDriver<KRaft, Executor>,
    settings: KRaftSettings,
    luck: Part,
    effects: Effects<KRaft>,
    failure: Option<Failure>,
    sent: Vec<(ReplicaId, KRaftMessage)>,
    correlation: u32,
}

/// A disk that says so much.
pub fn disk(epoch: u32, leader: Option<u8>, voted: Option<u8>) -> Disk {
    let quorum = QuorumRecord { epoch, leader: leader.map(ReplicaId), voted: voted.map(ReplicaId) };
    Disk { quorum, ..Disk::default() }
}

/// What a client starts from.
pub struct Given {
    id: u8,
    replicas: u8,
    form: Form,
    part: u32,
    disk: Disk,
    settings: KRaftSettings,
    executor: Executor,
}

impl Given {
    /// Node 0 of `voters`, with nothing on disk.
    pub fn voter(voters: u8, form: Form) -> Self {
        let executor = MockEventExecutor::for_simulation();
        Self { id: 0, replicas: voters, form, part: 0, disk: disk(0, None, None), settings: settings(), executor }
    }

    /// An observer beside `voters`; its id is the first after theirs.
    pub fn observer(voters: u8, form: Form) -> Self {
        let mut given = Self::voter(voters + 1, form);
        given.id = voters;
        given.settings.observers.insert(ReplicaId(voters));
        given
    }

    /// With one observer more, which is not the local node.
    pub fn beside_an_observer(mut self) -> Self {
        self.settings.observers.insert(ReplicaId(self.replicas));
        self.replicas += 1;
        self
    }

    /// The random part of every election timeout, in milliseconds.
    pub fn part(self, part: u32) -> Self {
        Self { part, ..self }
    }

    /// What is on disk.
    pub fn disk(self, disk: Disk) -> Self {
        Self { disk, ..self }
    }

    /// Quorum state on disk, beside the log that is there.
    pub fn stored(mut self, epoch: u32, leader: Option<u8>, voted: Option<u8>) -> Self {
        self.disk.quorum = disk(epoch, leader, voted).quorum;
        self
    }

    /// A log on disk: (epoch, how many records), each record a batch.
    pub fn log(mut self, runs: &[(u32, u8)]) -> Self {
        for &(epoch, count) in runs {
            for value in 0..count {
                self.disk.log.append_batch(epoch, &[Payload::Set { key: 1, value: value.into() }]);
            }
        }
        self
    }

    /// The disk as it is given so far.
    pub fn taken_disk(self) -> Disk {
        self.disk
    }

    /// Batches of `epoch` on disk, of so many records each.
    pub fn batches(mut self, epoch: u32, sizes: &[u8]) -> Self {
        for &size in sizes {
            let payloads: Vec<_> = (0..size).map(|value| Payload::Set { key: 1, value: value.into() }).collect();
            self.disk.log.append_batch(epoch, &payloads);
        }
        self
    }

    /// Other settings.
    pub fn set(mut self, change: impl FnOnce(&mut KRaftSettings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Another executor.
    pub fn on(self, executor: Executor) -> Self {
        Self { executor, ..self }
    }

    /// Starts it, without its first poll.
    pub fn start(self) -> Lone {
        let Self { id, replicas, form, part, disk, settings, executor } = self;
        let (mut luck, mut effects) = (Part(part), Effects::default());
        let mut around = Surroundings { settings: &settings, luck: &mut luck, effects: &mut effects };
        let client = ClientSettings { form, poll_state_max_age_ms: 0 };
        let clock = LocalClock::default();
        let client = RaftClient::new(ReplicaId(id), replicas, disk, executor, client, clock, &mut around);
        let mut driver = RaftClientDriver::new(client);
        driver.start(&mut around);
        Lone {
            time: MockTime::at(0),
            driver,
            settings,
            luck,
            effects,
            failure: None,
            sent: Vec::new(),
            correlation: 1_000,
        }
    }

    /// Starts it and makes it the leader of the epoch after the one on disk; BeginQuorumEpoch is answered by all.
    pub fn lead(self) -> Lone {
        let voters = self.settings.voters(self.replicas);
        let mut lone = self.start();
        lone.run();
        if voters.len() > 1 {
            lone.win();
            let told = lone.take_sent();
            assert_eq!(told.len(), voters.len() as usize - 1, "{told:?}");
            for (to, message) in told {
                lone.reply(to.0, message, |answer| Body::BeginQuorumEpochResponse { answer });
            }
        }
        assert_eq!(lone.role(), RoleShape::Leader);
        lone.take_sent();
        lone
    }
}

impl Lone {
    /// Starts node 0 of `voters` from `disk`, without its first poll.
    pub fn new(voters: u8, form: Form, part: u32, disk: Disk) -> Self {
        Given::voter(voters, form).part(part).disk(disk).start()
    }

    /// Waits for its election timeout and gets as many votes as it needs.
    pub fn win(&mut self) {
        self.sleep(ET);
        for _ in 0..2 {
            let asked = self.take_sent();
            for voter in 1..=self.replica().voters().len() / 2 {
                self.grant(u8::try_from(voter).expect("small"), &asked);
            }
        }
    }

    /// Node 0 as the leader of `epoch` of `voters`, BeginQuorumEpoch answered by all.
    pub fn leader(voters: u8, form: Form, epoch: u32) -> Self {
        Given::voter(voters, form).stored(epoch - 1, None, None).lead()
    }

    /// From now on, another random part of election timeouts.
    pub fn set_part(&mut self, part: u32) {
        self.luck = Part(part);
    }

    /// The replica.
    pub fn replica(&self) -> &KRaftReplica {
        self.driver.client().replica()
    }

    /// Its standing.
    pub fn standing(&self) -> Standing {
        self.replica().standing()
    }

    /// Its role.
    pub fn role(&self) -> RoleShape {
        self.standing().role
    }

    /// Its driver.
    pub fn driver(&self) -> &RaftClientDriver<KRaft, Executor> {
        &self.driver
    }

    /// What the fault handler was told.
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    fn poll_executor(&mut self) -> Option<Ran> {
        let mut around = Surroundings { settings: &self.settings, luck: &mut self.luck, effects: &mut self.effects };
        let ran = self.driver.poll(&self.time, &mut around, &mut self.failure);
        self.effects.notes.clear();
        self.effects.persisted = false;
        self.sent.append(&mut self.effects.sends);
        ran
    }

    /// Runs tasks until one look at the state has been made; whether there was one.
    pub fn poll(&mut self) -> bool {
        while let Some(ran) = self.poll_executor() {
            if matches!(ran.kind, TaskKind::Poll | TaskKind::PollState | TaskKind::Timer(_)) {
                return true;
            }
        }
        false
    }

    /// Runs all that is due.
    pub fn run(&mut self) {
        while self.poll_executor().is_some() {}
    }

    /// Lets time pass, and runs all that becomes due on the way.
    pub fn sleep(&mut self, ms: u64) {
        let until_us = self.time.now_us() + ms * MICROS_PER_MILLI;
        while self.driver.client().next_due_us() <= until_us {
            self.time.set_us(self.driver.client().next_due_us().max(self.time.now_us()));
            self.run();
        }
        self.time.set_us(until_us);
        self.run();
    }

    /// Lets time pass up to the moment when something is due, and runs nothing then.
    pub fn sleep_only(&mut self, ms: u64) {
        self.time.sleep_us(ms * MICROS_PER_MILLI);
    }

    /// What was sent since the last look.
    pub fn take_sent(&mut self) -> Vec<(ReplicaId, KRaftMessage)> {
        std::mem::take(&mut self.sent)
    }

    /// Whom it sent requests of that kind since the last look.
    pub fn asked(&mut self, is_it: impl Fn(&Body) -> bool) -> Vec<u8> {
        let sent = self.take_sent().into_iter();
        sent.filter(|(_, message)| is_it(&message.body)).map(|(to, _)| to.0).collect()
    }

    fn receive(&mut self, from: u8, message: KRaftMessage) {
        let mut around = Surroundings { settings: &self.settings, luck: &mut self.luck, effects: &mut self.effects };
        let client = self.driver.client_mut();
        client.executor_mut().see(&self.time);
        client.receive(ReplicaId(from), message, &mut around);
    }

    /// A request arrives; gives the answer, which must come at once.
    pub fn request(&mut self, from: u8, body: Body) -> Body {
        self.request_for(Address::default(), from, body)
    }

    /// The same, meant for somebody.
    pub fn request_for(&mut self, address: Address, from: u8, body: Body) -> Body {
        let correlation = self.request_later_for(address, from, body);
        self.run();
        self.answer_to(from, correlation).expect("it is answered at once")
    }

    /// A request arrives and nothing runs yet; gives its correlation id.
    pub fn request_later(&mut self, from: u8, body: Body) -> u32 {
        self.request_later_for(Address::default(), from, body)
    }

    /// The same, meant for somebody.
    pub fn request_later_for(&mut self, address: Address, from: u8, body: Body) -> u32 {
        self.correlation += 1;
        self.receive(from, KRaftMessage { address, correlation: self.correlation, body });
        self.correlation
    }

    /// Takes the answer to a request out of what was sent.
    pub fn answer_to(&mut self, to: u8, correlation: u32) -> Option<Body> {
        let place = self.sent.iter().position(|(peer, message)| peer.0 == to && message.correlation == correlation)?;
        Some(self.sent.remove(place).1.body)
    }

    /// Answers a request without error, with the epoch it carries.
    pub fn reply(&mut self, from: u8, request: KRaftMessage, body: impl FnOnce(Answer) -> Body) {
        let epoch = match request.body {
            Body::VoteRequest { epoch, .. }
            | Body::BeginQuorumEpochRequest { epoch, .. }
            | Body::EndQuorumEpochRequest { epoch, .. }
            | Body::FetchRequest { epoch, .. } => epoch,
            ref other => panic!("not a request: {other:?}"),
        };
        let answer = Answer { error: ErrorCode::None, leader: None, epoch };
        self.receive(
            from,
            KRaftMessage { address: Address::default(), correlation: request.correlation, body: body(answer) },
        );
        self.run();
    }

    /// An answer to a request arrives, as it stands.
    pub fn answer(&mut self, from: u8, request: &KRaftMessage, body: Body) {
        self.receive(from, KRaftMessage { address: Address::default(), correlation: request.correlation, body });
        self.run();
    }

    /// Answers every vote request among `asked`.
    pub fn answer_votes(&mut self, asked: &[(ReplicaId, KRaftMessage)], is_granted: bool) {
        for (to, message) in asked {
            if matches!(message.body, Body::VoteRequest { .. }) {
                self.reply(to.0, message.clone(), |answer| Body::VoteResponse { answer, granted: is_granted });
            }
        }
    }

    /// How long until a timer goes off, in milliseconds; `None` while it is not armed.
    pub fn left_ms(&self, kind: TimerKind) -> Option<u64> {
        let at_us = self.replica().timers().deadline_us(Timer::new(kind));
        (at_us != NEVER).then(|| at_us.saturating_sub(self.time.now_us()) / MICROS_PER_MILLI)
    }

    /// The replica, for what is asked of it directly.
    pub fn describe_quorum(&mut self) -> Result<QuorumDescription, ErrorCode> {
        let client = self.driver.client_mut();
        client.executor_mut().see(&self.time);
        let (replica, now_us) = client.replica_mut();
        replica.describe_quorum(now_us)
    }

    /// Grants the vote requests among `asked` that went to `from`.
    pub fn grant(&mut self, from: u8, asked: &[(ReplicaId, KRaftMessage)]) {
        for (to, message) in asked {
            if to.0 == from && matches!(message.body, Body::VoteRequest { .. }) {
                self.reply(from, message.clone(), |answer| Body::VoteResponse { answer, granted: true });
            }
        }
    }

    /// Asks for something, as its user; nothing runs yet.
    pub fn ask(&mut self, request: Request) -> TaskId {
        let client = self.driver.client_mut();
        client.executor_mut().see(&self.time);
        client.ask(request).expect("it is open")
    }

    /// Asks for something and runs it; gives the request's own outcome.
    pub fn ask_now(&mut self, request: Request) -> Result<(), TaskError> {
        let id = self.ask(request);
        loop {
            let ran = self.poll_executor().expect("the request is due");
            if ran.number == id.number {
                self.run();
                return ran.result.map(|_| ());
            }
        }
    }

    /// Shuts its executor down, as somebody from outside.
    pub fn shut_executor_down(&mut self) {
        let executor = self.driver.client_mut().executor_mut();
        executor.see(&self.time);
        executor.shutdown();
    }
}

/// The answer part of a response.
pub fn answer(body: &Body) -> (ErrorCode, i32, Option<u8>) {
    let (Body::VoteResponse { answer, .. }
    | Body::BeginQuorumEpochResponse { answer }
    | Body::EndQuorumEpochResponse { answer }
    | Body::FetchResponse { answer, .. }) = body
    else {
        panic!("not an answer: {body:?}");
    };
    (answer.error, answer.epoch, answer.leader.map(|id| id.0))
}

/// `Fetch(epoch, offset, last epoch)` as the tables deliver it: high watermark MAX, no wait.
pub fn fetch(epoch: i32, offset: i64, last_epoch: i32) -> Body {
    Body::FetchRequest { epoch, offset, last_epoch, high_watermark: i64::MAX, max_wait_ms: 0 }
}

/// `Vote(epoch, candidate, last = (end offset, last epoch))`.
pub fn vote(epoch: i32, last: (i64, i32)) -> Body {
    Body::VoteRequest { epoch, last_epoch: last.1, last_offset: last.0, pre_vote: false }
}

/// `PreVote` alike.
pub fn pre_vote(epoch: i32, last: (i64, i32)) -> Body {
    Body::VoteRequest { epoch, last_epoch: last.1, last_offset: last.0, pre_vote: true }
}

/// The answer part without an error.
pub fn fine(epoch: i32, leader: Option<u8>) -> Answer {
    Answer { error: ErrorCode::None, leader: leader.map(ReplicaId), epoch }
}

/// An answer to a fetch: the records of a log from an offset on, and the leader's high watermark.
pub fn fetched(answer: Answer, high_watermark: i64, records: Option<Records>) -> Body {
    Body::FetchResponse { answer, high_watermark, outcome: FetchOutcome::Records(records) }
}

/// Records as a leader's log gives them: `base` records of `before`, then runs of (epoch, how many) that are read.
pub fn records(base: (u32, u8), runs: &[(u32, u8)]) -> Option<Records> {
    let mut log = Log::default();
    let payloads = |count: u8| (0..count).map(|value| Payload::Set { key: 2, value: value.into() }).collect::<Vec<_>>();
    for _ in 0..base.1 {
        log.append_batch(base.0, &payloads(1));
    }
    for &(epoch, count) in runs {
        log.append_batch(epoch, &payloads(count));
    }
    log.read(base.1.into())
}

/// Whether a vote was granted.
pub fn granted(body: &Body) -> bool {
    matches!(body, Body::VoteResponse { granted: true, .. })
}

/// `EndQuorumEpoch(epoch, leader, successors)`.
pub fn end_quorum(epoch: i32, leader: u8, successors: &[u8]) -> Body {
    let successors = Successors::new(successors.iter().map(|&id| ReplicaId(id)));
    Body::EndQuorumEpochRequest { leader: ReplicaId(leader), epoch, successors }
}

/// `BeginQuorumEpoch(epoch, leader)`.
pub fn begin_quorum(epoch: i32, leader: u8) -> Body {
    Body::BeginQuorumEpochRequest { leader: ReplicaId(leader), epoch }
}
