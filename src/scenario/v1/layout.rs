//! How a record lies in a link: postcard, with settings that differ from the defaults as lists, and commands in columns.
//!
//! `docs/link-format.md` says it byte by byte. The first byte says whether the rest is deflated, which it is only when that
//! makes it shorter.
//!
//! Frozen, with the types of `wire` that lie in it whole: links, raft client, starts, commands, flights and chapters.

use super::bounds::at_most;
use super::convert::is_known;
use super::wire::{self, Big};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// The most bytes of a record.
const UNPACKED_MAX: usize = 2 * 1024 * 1024;
/// The first byte: as it is, or deflated.
const PLAIN: u8 = 0;
const DEFLATED: u8 = 1;
/// The strongest that deflates small texts; what a link holds is small.
const STRENGTH: u8 = 9;

/// Why bytes are no record of this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// They are of another format or behaviour, or use what came later.
    Unknown,
    /// They make no sense.
    Senseless,
    /// They are more than a record may have.
    TooMuch,
}

/// Options of a struct that differ from its defaults, as a list that can grow.
macro_rules! sparse {
    ($options:ident of $wire:ident { $($name:ident($field:ident: $type:ty),)* } $(and $rest:ident)?) => {
        #[derive(Serialize, Deserialize)]
        enum $options { $($name($type),)* }

        impl $options {
            fn of(wire: &wire::$wire) -> Vec<Self> {
                let usual = wire::$wire::default();
                // Without `..`: whoever adds a field is led here.
                let wire::$wire { $($field,)* $($rest: _)? } = wire;
                let mut all = Vec::new();
                $(if *$field != usual.$field { all.push(Self::$name($field.clone())); })*
                all
            }

            fn set(self, wire: &mut wire::$wire) {
                match self { $(Self::$name(value) => wire.$field = value,)* }
            }
        }
    };
}

sparse! {
    KRaftOption of KRaft {
        ElectionTimeout(election_timeout_ms: u32),
        FetchTimeout(fetch_timeout_ms: u32),
        ElectionBackoffMax(election_backoff_max_ms: u32),
        RequestTimeout(request_timeout_ms: u32),
        RetryBackoff(retry_backoff_ms: u32),
        FetchMaxWait(fetch_max_wait_ms: u32),
        Linger(linger_ms: u32),
        Observers(observers: Vec<u8>),
        ObserversFlush(observers_flush: bool),
        Bootstrap(bootstrap: wire::Bootstrap),
    } and rules
}

sparse! {
    KRaftRule of KRaftRules {
        PreVote(pre_vote: bool),
        CheckQuorum(check_quorum: bool),
        FetchedRefusesPreVote(fetched_refuses_pre_vote: bool),
    }
}

sparse! {
    ClassicOption of Classic {
        ElectionMin(election_min_ms: u32),
        ElectionMax(election_max_ms: u32),
        Heartbeat(heartbeat_ms: u32),
        Batch(batch: u8),
        Backtracking(backtracking: wire::Backtracking),
        Refused(refused: wire::Refused),
    } and rules
}

sparse! {
    ClassicRule of ClassicRules {
        PreVote(pre_vote: bool),
        CheckQuorum(check_quorum: bool),
        NoOp(no_op: bool),
    }
}

#[derive(Serialize, Deserialize)]
enum Protocol {
    Kraft(Vec<KRaftOption>, Vec<KRaftRule>),
    Classic(Vec<ClassicOption>, Vec<ClassicRule>),
}

/// Commands, in columns: that way what is alike lies together.
#[derive(Serialize, Deserialize)]
struct Commands {
    /// How many steps after the one before.
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    steps: Vec<u64>,
    /// How many microseconds after the one before.
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    times: Vec<u64>,
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    commands: Vec<wire::Command>,
    /// Those within a step: which, and after how many tasks.
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    within: Vec<(u32, u32)>,
    /// Those that were planned.
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    planned: Vec<u32>,
    /// Those without a check byte.
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    unchecked: Vec<u32>,
    /// The check bytes of the others.
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    checks: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Plans {
    /// How many microseconds after the one before.
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    times: Vec<u64>,
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    commands: Vec<wire::Command>,
}

/// Each at most once; what is not there is empty, or as usual.
#[derive(Serialize, Deserialize)]
enum Section {
    Title(String),
    Names(#[serde(deserialize_with = "at_most::<25, _, _>")] Vec<String>),
    Links(wire::Links),
    RaftClient(wire::RaftClient),
    Starts(#[serde(deserialize_with = "at_most::<25, _, _>")] Vec<wire::Start>),
    Commands(Commands),
    Plans(Plans),
    Chapters(#[serde(deserialize_with = "at_most::<1_000, _, _>")] Vec<wire::Chapter>),
    Moment { position: u64, tasks: u32, playhead_us: u64, digest: Option<u32> },
    Shown { selection: Option<wire::Selection>, panel: Option<wire::Panel> },
}

impl Section {
    const fn number(&self) -> u32 {
        match self {
            Self::Title(_) => 0,
            Self::Names(_) => 1,
            Self::Links(_) => 2,
            Self::RaftClient(_) => 3,
            Self::Starts(_) => 4,
            Self::Commands(_) => 5,
            Self::Plans(_) => 6,
            Self::Chapters(_) => 7,
            Self::Moment { .. } => 8,
            Self::Shown { .. } => 9,
        }
    }
}

/// Sections, each at most once: whoever repeats one ends before it takes memory.
fn once_each<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Section>, D::Error> {
    struct Sections;

    impl<'de> Visitor<'de> for Sections {
        type Value = Vec<Section>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("sections")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Vec<Section>, A::Error> {
            let (mut all, mut seen) = (Vec::new(), 0u32);
            while let Some(section) = source.next_element::<Section>()? {
                let bit = 1 << section.number();
                if seen & bit != 0 {
                    return Err(A::Error::custom("a section stands twice"));
                }
                seen |= bit;
                all.push(section);
            }
            Ok(all)
        }
    }

    source.deserialize_seq(Sections)
}

#[derive(Serialize, Deserialize)]
struct Layout {
    format: u16,
    behaviour: u16,
    protocol: Protocol,
    replicas: u8,
    seed: u64,
    #[serde(deserialize_with = "once_each")]
    sections: Vec<Section>,
}

/// Each number less the one before it.
fn steps_between(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut before = 0u64;
    let less = |number: u64| number.wrapping_sub(std::mem::replace(&mut before, number));
    numbers.map(less).collect()
}

/// The other way round.
fn sums(steps: &[u64]) -> impl Iterator<Item = u64> {
    steps.iter().scan(0u64, |sum, step| {
        *sum = sum.wrapping_add(*step);
        Some(*sum)
    })
}

fn index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

fn commands_out(all: Vec<wire::Placed>) -> Commands {
    let mut out = Commands {
        steps: steps_between(all.iter().map(|placed| placed.step.0)),
        times: steps_between(all.iter().map(|placed| placed.at_us.0)),
        commands: Vec::new(),
        within: Vec::new(),
        planned: Vec::new(),
        unchecked: Vec::new(),
        checks: Vec::new(),
    };
    for (place, placed) in all.into_iter().enumerate() {
        let wire::Placed { step: _, tasks, at_us: _, command, is_planned, check } = placed;
        out.commands.push(command);
        if tasks > 0 {
            out.within.push((index(place), tasks));
        }
        if is_planned {
            out.planned.push(index(place));
        }
        match check {
            Some(check) => out.checks.push(check),
            None => out.unchecked.push(index(place)),
        }
    }
    out
}

fn commands_in(all: Commands) -> Option<Vec<wire::Placed>> {
    let count = all.commands.len();
    if all.steps.len() != count || all.times.len() != count || all.unchecked.len() + all.checks.len() != count {
        return None;
    }
    let (mut within, mut planned) = (all.within.iter().peekable(), all.planned.iter().peekable());
    let (mut unchecked, mut checks) = (all.unchecked.iter().peekable(), all.checks.iter());
    let places = sums(&all.steps).zip(sums(&all.times));
    let placed = all.commands.into_iter().zip(places).enumerate().map(|(place, (command, (step, at_us)))| {
        let place = index(place);
        wire::Placed {
            step: Big(step),
            tasks: within.next_if(|within| within.0 == place).map_or(0, |within| within.1),
            at_us: Big(at_us),
            command,
            is_planned: planned.next_if(|&&planned| planned == place).is_some(),
            check: if unchecked.next_if(|&&it| it == place).is_some() { None } else { checks.next().copied() },
        }
    });
    let placed: Vec<wire::Placed> = placed.collect();
    // Nothing is said of commands that are not there.
    let is_used = within.next().is_none() && planned.next().is_none() && unchecked.next().is_none();
    is_used.then_some(placed)
}

fn out(record: wire::Scenario) -> Layout {
    let wire::Scenario {
        format,
        behaviour,
        title,
        protocol,
        replicas,
        names,
        seed,
        links,
        raft_client,
        starts,
        commands,
        plans,
        chapters,
        view: wire::View { position, tasks, playhead_us, selection, panel, digest },
    } = record;
    let mut sections = Vec::new();
    let mut section = |is_there: bool, section: Section| {
        if is_there {
            sections.push(section);
        }
    };
    section(!title.is_empty(), Section::Title(title));
    section(!names.is_empty(), Section::Names(names));
    section(links != wire::Links::default(), Section::Links(links));
    section(raft_client != wire::RaftClient::default(), Section::RaftClient(raft_client));
    section(!starts.is_empty(), Section::Starts(starts));
    section(!commands.is_empty(), Section::Commands(commands_out(commands)));
    let times = steps_between(plans.iter().map(|plan| plan.at_us.0));
    let planned = plans.into_iter().map(|plan| plan.command).collect();
    section(!times.is_empty(), Section::Plans(Plans { times, commands: planned }));
    section(!chapters.is_empty(), Section::Chapters(chapters));
    section(
        position.0 > 0 || tasks > 0 || playhead_us.0 > 0 || digest.is_some(),
        Section::Moment { position: position.0, tasks, playhead_us: playhead_us.0, digest },
    );
    section(selection.is_some() || panel.is_some(), Section::Shown { selection, panel });
    let protocol = match protocol {
        wire::Protocol::Kraft(it) => Protocol::Kraft(KRaftOption::of(&it), KRaftRule::of(&it.rules)),
        wire::Protocol::Classic(it) => Protocol::Classic(ClassicOption::of(&it), ClassicRule::of(&it.rules)),
    };
    Layout { format, behaviour, protocol, replicas, seed: seed.0, sections }
}

fn into_record(layout: Layout) -> Option<wire::Scenario> {
    let protocol = match layout.protocol {
        Protocol::Kraft(options, rules) => {
            let mut it = wire::KRaft::default();
            options.into_iter().for_each(|option| option.set(&mut it));
            rules.into_iter().for_each(|rule| rule.set(&mut it.rules));
            wire::Protocol::Kraft(it)
        }
        Protocol::Classic(options, rules) => {
            let mut it = wire::Classic::default();
            options.into_iter().for_each(|option| option.set(&mut it));
            rules.into_iter().for_each(|rule| rule.set(&mut it.rules));
            wire::Protocol::Classic(it)
        }
    };
    let mut record = wire::Scenario {
        format: layout.format,
        behaviour: layout.behaviour,
        title: String::new(),
        protocol,
        replicas: layout.replicas,
        names: Vec::new(),
        seed: Big(layout.seed),
        links: wire::Links::default(),
        raft_client: wire::RaftClient::default(),
        starts: Vec::new(),
        commands: Vec::new(),
        plans: Vec::new(),
        chapters: Vec::new(),
        view: wire::View::default(),
    };
    for section in layout.sections {
        match section {
            Section::Title(title) => record.title = title,
            Section::Names(names) => record.names = names,
            Section::Links(links) => record.links = links,
            Section::RaftClient(raft_client) => record.raft_client = raft_client,
            Section::Starts(starts) => record.starts = starts,
            Section::Commands(commands) => record.commands = commands_in(commands)?,
            Section::Plans(Plans { times, commands }) => {
                if times.len() != commands.len() {
                    return None;
                }
                let plan = |(at_us, command)| wire::Plan { at_us: Big(at_us), command };
                record.plans = sums(&times).zip(commands).map(plan).collect();
            }
            Section::Chapters(chapters) => record.chapters = chapters,
            Section::Moment { position, tasks, playhead_us, digest } => {
                let (position, playhead_us) = (Big(position), Big(playhead_us));
                record.view = wire::View { position, tasks, playhead_us, digest, ..record.view };
            }
            Section::Shown { selection, panel } => record.view = wire::View { selection, panel, ..record.view },
        }
    }
    Some(record)
}

/// The bytes of a record.
///
/// # Panics
/// Never: every record has a binary form.
pub fn pack(record: wire::Scenario) -> Vec<u8> {
    let plain = postcard::to_allocvec(&out(record)).expect("every record has a binary form");
    let deflated = compress_to_vec(&plain, STRENGTH);
    let (how, bytes) = if deflated.len() < plain.len() { (DEFLATED, deflated) } else { (PLAIN, plain) };
    let mut all = vec![how];
    all.extend(bytes);
    all
}

/// What bytes say.
pub fn unpack(bytes: &[u8]) -> Result<wire::Scenario, Unreadable> {
    let (&how, body) = bytes.split_first().ok_or(Unreadable::Senseless)?;
    let inflated;
    let plain = match how {
        PLAIN => body,
        DEFLATED => {
            inflated = decompress_to_vec_with_limit(body, UNPACKED_MAX).map_err(|error| match error.status {
                miniz_oxide::inflate::TINFLStatus::HasMoreOutput => Unreadable::TooMuch,
                _ => Unreadable::Senseless,
            })?;
            &inflated
        }
        _ => return Err(Unreadable::Unknown),
    };
    if plain.len() > UNPACKED_MAX {
        return Err(Unreadable::TooMuch);
    }
    let ((format, behaviour), _) = postcard::take_from_bytes::<(u16, u16)>(plain).map_err(|_| Unreadable::Senseless)?;
    if !is_known(format, behaviour) {
        return Err(Unreadable::Unknown);
    }
    let (layout, rest) = postcard::take_from_bytes::<Layout>(plain).map_err(|_| Unreadable::Senseless)?;
    if !rest.is_empty() {
        return Err(Unreadable::Senseless);
    }
    into_record(layout).ok_or(Unreadable::Senseless)
}
