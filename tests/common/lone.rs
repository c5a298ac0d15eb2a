//! One client by itself, on a mock executor, with a test in the place of all its peers.
//!
//! The local node is 0, as in the scenario tables; its peers are 1, 2 and so on. Nothing is sent anywhere: what the
//! client sends is collected, and the test answers what it likes.

use raftwerk::executor::{EventExecutor, MICROS_PER_MILLI, MockEventExecutor, MockTime, TaskId};
use raftwerk::raft::kraft::{
    Answer, Body, Bootstrap, Disk, ErrorCode, KRaft, KRaftMessage, KRaftReplica, KRaftSettings, QuorumRecord, Rules,
    Successors,
};
use raftwerk::raft::{
    ClientSettings, Effects, Failure, Form, LocalClock, Luck, Purpose, RaftClient, RaftClientDriver, Ran, Replica,
    ReplicaId, Request, RoleShape, Standing, Surroundings, Task, TaskError, TaskKind,
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

impl Lone {
    /// Starts node 0 of `voters` from `disk`, without its first poll.
    pub fn new(voters: u8, form: Form, part: u32, disk: Disk) -> Self {
        Self::started(0, voters, form, part, disk, MockEventExecutor::for_simulation())
    }

    /// Starts an observer beside `voters`.
    pub fn observer(voters: u8, form: Form, disk: Disk) -> Self {
        Self::started(voters, voters, form, 0, disk, MockEventExecutor::for_simulation())
    }

    /// The same on an executor of one's own.
    pub fn with_executor(voters: u8, form: Form, disk: Disk, executor: Executor) -> Self {
        Self::started(0, voters, form, 0, disk, executor)
    }

    fn started(id: u8, voters: u8, form: Form, part: u32, disk: Disk, executor: Executor) -> Self {
        let (time, settings) = (MockTime::at(0), settings());
        let (mut luck, mut effects) = (Part(part), Effects::default());
        let mut around = Surroundings { settings: &settings, luck: &mut luck, effects: &mut effects };
        let client = ClientSettings { form, poll_state_max_age_ms: 0 };
        let client = RaftClient::new(ReplicaId(id), voters, disk, executor, client, LocalClock::default(), &mut around);
        let mut driver = RaftClientDriver::new(client);
        driver.start(&mut around);
        let sent = Vec::new();
        Self { time, driver, settings, luck, effects, failure: None, sent, correlation: 1_000 }
    }

    /// Node 0 as the leader of `epoch` of `voters`, BeginQuorumEpoch answered by all.
    pub fn leader(voters: u8, form: Form, epoch: u32) -> Self {
        Self::leader_from(voters, form, disk(epoch - 1, None, None))
    }

    /// Node 0 as the leader of the epoch after that on `disk`.
    pub fn leader_from(voters: u8, form: Form, disk: Disk) -> Self {
        let mut lone = Self::new(voters, form, 0, disk);
        lone.run();
        if voters > 1 {
            lone.sleep(ET);
            for _ in 0..2 {
                let asked = lone.take_sent();
                lone.grant(1, &asked);
            }
            let told = lone.take_sent();
            assert_eq!(told.len(), usize::from(voters) - 1, "{told:?}");
            for (to, message) in told {
                lone.reply(to.0, message, |answer| Body::BeginQuorumEpochResponse { answer });
            }
        }
        assert_eq!(lone.role(), RoleShape::Leader);
        lone.take_sent();
        lone
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
        let correlation = self.request_later(from, body);
        self.run();
        self.answer_to(from, correlation).expect("it is answered at once")
    }

    /// A request arrives and nothing runs yet; gives its correlation id.
    pub fn request_later(&mut self, from: u8, body: Body) -> u32 {
        self.correlation += 1;
        self.receive(from, KRaftMessage { correlation: self.correlation, body });
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
        self.receive(from, KRaftMessage { correlation: request.correlation, body: body(answer) });
        self.run();
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
                return ran.result;
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

/// `EndQuorumEpoch(epoch, leader, successors)`.
pub fn end_quorum(epoch: i32, leader: u8, successors: &[u8]) -> Body {
    let successors = Successors::new(successors.iter().map(|&id| ReplicaId(id)));
    Body::EndQuorumEpochRequest { leader: ReplicaId(leader), epoch, successors }
}

/// `BeginQuorumEpoch(epoch, leader)`.
pub fn begin_quorum(epoch: i32, leader: u8) -> Body {
    Body::BeginQuorumEpochRequest { leader: ReplicaId(leader), epoch }
}
