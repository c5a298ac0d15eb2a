//! What arrives and what is sent: between replicas, and between them and clients of the cluster.

use super::{NextEvent, Sim};
use crate::raft::{Protocol, Replica, ReplicaId, Request, RequestError};
use crate::sim::clients::{Act, Alarm, Ask, Call, CallNote, ClientState, Mail, Reply, Says, client_id, client_number};
use crate::sim::network::{DeliveryKey, Flight};
use crate::sim::trace::What;

impl<P: Protocol> Sim<P> {
    pub(super) fn deliver(&mut self, key: DeliveryKey, flight: Flight<Mail<P::Message>>) {
        let face = Self::face_of(&flight.message);
        let is_wasted = client_number(key.to).is_none() && self.client(key.to).is_none();
        self.scratch.run_encoder.u8(key.from.0);
        self.scratch.run_encoder.u32(key.number);
        self.trace(key.to, What::Delivered { from: key.from, number: key.number, face, is_wasted });
        match flight.message {
            Mail::Peer(message) => self.receive(key.from, key.to, message),
            Mail::Ask(ask) => self.take_request(key.from, key.to, ask),
            Mail::Reply(reply) => {
                let (now_us, replicas) = (self.now_us(), self.replicas());
                if let Some(client) = client_number(key.to) {
                    self.with_client(client, |state, acts| state.hear(key.from, reply, replicas, now_us, acts));
                }
            }
        }
    }

    fn receive(&mut self, from: ReplicaId, to: ReplicaId, message: P::Message) {
        self.drive(to, |client, around| client.receive(from, message, around));
    }

    /// Lets a client do something and carries out what comes of it.
    pub(super) fn with_client(&mut self, client: u8, act: impl FnOnce(&mut ClientState, &mut Vec<Act>)) {
        let mut acts = Vec::new();
        act(&mut self.clients[usize::from(client)], &mut acts);
        for act in acts {
            match act {
                Act::Note(note) => self.trace(client_id(client), What::Call(note)),
                Act::Send(to, ask) => self.send(client_id(client), to, Mail::Ask(ask)),
            }
        }
    }

    /// The first alarm of a client goes off.
    pub(super) fn wake_client(&mut self, client: u8) {
        let (_, alarm) = self.clients[usize::from(client)].first_alarm();
        if let Some(NextEvent { name, .. }) = self.executor_event(client_id(client)) {
            self.trace(client_id(client), What::Fired { event: name });
        }
        self.ring(client, alarm);
    }

    pub(super) fn ring(&mut self, client: u8, alarm: Alarm) {
        let (now_us, replicas) = (self.now_us(), self.replicas());
        self.with_client(client, |state, acts| state.wake(alarm, client, replicas, now_us, acts));
    }

    /// A request comes to a node, which submits it to its Raft client as an append in the epoch it is in.
    pub(super) fn take_request(&mut self, from: ReplicaId, to: ReplicaId, ask: Ask) {
        let (Some(client), Some(epoch)) =
            (client_number(from), self.client(to).map(|it| it.replica().standing().epoch))
        else {
            return;
        };
        let request = Request::Append { epoch, key: ask.key, value: ask.value, count: 1 };
        if let Some(task) = self.ask(to, request) {
            self.desk.take_in(to, Call { client, number: ask.number, attempt: ask.attempt }, task);
        }
    }

    /// An append of a client was carried out or refused.
    pub(super) fn note_request(&mut self, replica: ReplicaId, task: u64, result: Result<Option<u64>, RequestError>) {
        let Some(standing) = self.standing(replica) else { return };
        let carried_out = self.desk.carried_out(replica, task, standing.epoch, result, standing.leader);
        let Some((call, taken)) = carried_out else { return };
        match taken {
            Ok(taken) => {
                let Call { client, number, .. } = call;
                self.clients[usize::from(client)].note_taken(number, taken);
                self.trace(replica, What::Call(CallNote::Taken { client, number, offset: taken.offset }));
            }
            Err(says) => self.reply(replica, call, says),
        }
    }

    pub(super) fn reply(&mut self, replica: ReplicaId, call: Call, says: Says) {
        let Call { client, number, attempt } = call;
        let note = match says {
            Says::Committed { offset } => CallNote::Committed { client, number, offset },
            Says::Declined { leader } => CallNote::Declined { client, number, leader },
            Says::Full => CallNote::Full { client, number },
            Says::NoLonger => CallNote::NoLonger { client, number },
        };
        self.trace(replica, What::Call(note));
        self.send(replica, client_id(client), Mail::Reply(Reply { number, attempt, says }));
    }

    /// Answers what a node can answer now.
    pub(super) fn answer_requests(&mut self, replica: ReplicaId) {
        let standing = self.standings[replica.index()];
        for (call, says) in self.desk.answers(replica, &standing) {
            self.reply(replica, call, says);
        }
    }

    pub(super) fn send(&mut self, from: ReplicaId, to: ReplicaId, mail: Mail<P::Message>) {
        let now_us = self.time.now_us();
        let face = Self::face_of(&mail);
        let out = &mut self.scratch.encoder;
        out.u8(1);
        out.u8(from.0);
        out.u8(to.0);
        out.u64(now_us);
        mail.encode(out, P::encode_message);
        let sent = self.network.send(from, to, mail, now_us);
        self.trace(from, What::Sent { to, number: sent.number, at_us: sent.at_us, fate: sent.fate, face });
    }

    /// Asks a running client for something; gives the number of the task.
    pub(super) fn ask(&mut self, replica: ReplicaId, request: Request) -> Option<u64> {
        // The executor of a running client of a simulation is open and has room.
        self.drive(replica, |client, _| client.ask(request).ok().map(|task| task.number)).flatten()
    }
}
