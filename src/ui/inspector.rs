//! The inspector: every field of the chosen node, message or link, and what can be done with it.

use super::app::{App, Msg};
use super::stage::epoch_class;
use super::tree::{Tree, classes, el, say};
use super::typed::{AGAIN, CLOCK, DELAY};
use super::{clients, faults};
use raftwerk::executor::MICROS_PER_MILLI;
use raftwerk::explain::Question;
use raftwerk::raft::{Any, Form, Protocol, ReplicaId, RoleShape, SHUTDOWN_TIMEOUT_US};
use raftwerk::session::Session;
use raftwerk::sim::{Command, EventName};
use raftwerk::text::en as text;
use raftwerk::view::inspect::{self, MessageView, Row};
use raftwerk::view::say;
use raftwerk::view::{QueuedTask, Thread, tasks};

/// The forms of a client's work, as people read them.
pub const FORMS: [(Form, &str); 2] = [(Form::SeparateEvents, "separate events"), (Form::OnePoll, "one poll event")];

fn rows(tree: &mut Tree, rows: &[Row]) {
    el!(tree, "dl"; {
        for row in rows {
            tree.leaf("dt", None, row.name);
            el!(tree, "dd", "class" = row.is_changed.then_some("changed"); {
                tree.text(&row.value);
                if row.is_changed {
                    tree.leaf("span", Some("unseen"), ", changed");
                }
            });
        }
    });
}

fn heading(tree: &mut Tree, text: &str) {
    el!(tree, "h2"; {
        tree.text(text);
        tree.button("Close", "plain", Msg::Select(None));
    });
}

/// What is chosen.
pub fn inspector(tree: &mut Tree, app: &App, session: &Session) {
    if let Some((name, view)) = app.message() {
        message(tree, app, session, name, view.as_ref());
    } else if let Some((from, to)) = app.chosen_link() {
        link(tree, app, session, from, to);
    } else if let Some(id) = app.selected() {
        if App::is_client(id) {
            clients::inspector(tree, app, session, id);
        } else {
            node(tree, app, session, id);
        }
    } else {
        tree.leaf("p", Some("hint"), "Choose a node or a message to look into it and to change what happens.");
    }
}

fn node(tree: &mut Tree, app: &App, session: &Session, id: ReplicaId) {
    let sim = session.sim();
    let Some(standing) = sim.standing(id) else { return };
    let is_up = sim.replica(id).is_some();
    el!(tree, "section", "class" = "inspector", "aria-label" = say::node(session, id); {
        el!(tree, "h2"; {
            el!(tree, "span", "class" = classes("dot", &[(&epoch_class(standing.epoch), true)]));
            tree.text(&say::node(session, id));
            tree.button("Close", "plain", Msg::Select(None));
        });
        let now = inspect::replica(session, sim, id);
        rows(tree, &match session.before() {
            Some(before) => inspect::marked(now, &inspect::replica(session, before, id)),
            None => now,
        });
        tree.group(|tree| {
            if let Some(failure) = sim.fault(id) {
                tree.leaf("p", Some("notice"), &say::named(session, text::fault(say::words(session), id, failure.fault)));
            }
        });
        el!(tree, "p", "class" = "actions"; {
            if is_up {
                tree.button("Append", "", Msg::Act(Command::Append { replica: id, key: 1, value: session.position(), count: 1 }));
                tree.when(standing.role == RoleShape::Leader && Any::resigns(&sim.settings().protocol), |tree| {
                    tree.button("Resign", "", Msg::Act(Command::Resign { replica: id }));
                });
                tree.button("Shut down", "", Msg::Act(shutdown(id)));
                tree.button("Crash", "fault", Msg::Act(Command::Crash { replica: id, keep_unflushed: false }));
                tree.button("Crash, flushed", "fault", Msg::Act(Command::Crash { replica: id, keep_unflushed: true }));
                if sim.is_paused(id) {
                    tree.button("Resume node", "", Msg::Act(Command::Resume { replica: id }));
                } else {
                    tree.button("Pause node", "", Msg::Act(Command::Pause { replica: id }));
                }
                tree.when(standing.role != RoleShape::Leader, |tree| {
                    tree.button("Why is it not leader?", "", Msg::Ask(Question::WhyNotElected { replica: id }));
                });
                tree.button("Time out now", "", Msg::TimeOut(id));
            } else {
                tree.button("Restart", "", Msg::Act(Command::Restart { replica: id, is_wiped: false }));
                tree.button("Restart with an empty disk", "fault", Msg::Act(Command::Restart { replica: id, is_wiped: true }));
            }
        });
        el!(tree, "div", "class" = "smalls"; {
            faults::when(tree, app);
            faults::small(tree, app, CLOCK);
            tree.button("Set the clock", "", Msg::SetClock(id));
        });
        tree.group(|tree| peers(tree, session, id));
        tree.group(|tree| executor(tree, session, id));
        el!(tree, "details"; {
            tree.leaf("summary", None, "Links and place");
            el!(tree, "p", "class" = "actions"; {
                for to in sim.ids().filter(|&to| to != id) {
                    tree.button(&format!("Link {} → {}", say::short(session, id), say::short(session, to)), "", Msg::SelectLink(id, to));
                }
            });
            el!(tree, "p", "class" = "actions"; {
                tree.icon("←", "Move left on the stage", Msg::Nudge(id, -1, 0));
                tree.icon("→", "Move right on the stage", Msg::Nudge(id, 1, 0));
                tree.icon("↑", "Move up on the stage", Msg::Nudge(id, 0, -1));
                tree.icon("↓", "Move down on the stage", Msg::Nudge(id, 0, 1));
                tree.when(app.is_rearranged(), |tree| tree.button("Tidy", "", Msg::Tidy));
            });
        });
    });
}

/// A leader's view of the others.
fn peers(tree: &mut Tree, session: &Session, id: ReplicaId) {
    let lines = inspect::peers(session.sim(), id);
    if lines.is_empty() {
        return;
    }
    let pushes = lines.iter().any(|line| line.next.is_some());
    let [matched, next, heard, counts] = say::words(session).peers;
    el!(tree, "table", "class" = "followers"; {
        el!(tree, "caption"; { say!(tree, "What {} knows of the others", say::node(session, id)) });
        el!(tree, "thead"; {
            el!(tree, "tr"; {
                for head in ["node", matched, next, heard, counts].into_iter().filter(|head| !head.is_empty()) {
                    el!(tree, "th", "scope" = "col"; { tree.text(head) });
                }
            });
        });
        el!(tree, "tbody"; {
            for line in &lines {
                el!(tree, "tr"; {
                    el!(tree, "th", "scope" = "row"; { say!(tree, "{}{}", say::short(session, line.id), if line.is_voter { "" } else { " (observer)" }) });
                    tree.leaf("td", None, &line.matched);
                    tree.when(pushes, |tree| tree.leaf("td", None, line.next.as_deref().unwrap_or("")));
                    tree.leaf("td", None, &line.heard);
                    tree.leaf("td", None, match (line.is_voter, line.is_counted) {
                        (false, _) => "does not count",
                        (true, true) if pushes => "heard",
                        (true, true) => "has fetched",
                        (true, false) => "waits",
                    });
                });
            }
        });
    });
}

/// A message with all its fields, what it came of and what came of it.
fn message(tree: &mut Tree, app: &App, session: &Session, name: EventName, view: Option<&MessageView>) {
    let EventName::Delivery { from, to, number, is_copy } = name else { return };
    let Some(view) = view else {
        el!(tree, "section", "class" = "inspector", "aria-label" = "Message"; {
            heading(tree, &text::event_name(&name));
            tree.leaf("p", Some("unit"), "It was sent too long ago to be looked into from here.");
        });
        return;
    };
    el!(tree, "section", "class" = "inspector", "aria-label" = "Message"; {
        heading(tree, &view.line);
        rows(tree, &view.rows);
        let flight = session.sim().flights().find(|(key, _)| (key.from, key.to, key.number, key.is_copy) == (from, to, number, is_copy));
        el!(tree, "p", "class" = "actions"; {
            tree.when(view.is_refusal, |tree| {
                tree.button("Why was it refused?", "play", Msg::Ask(Question::WhyRefused { by: from, to, number }));
            });
            if let Some((_, flight)) = flight {
                tree.button("Deliver now", "", Msg::Act(Command::RunNow { event: name }));
                let is_held = flight.held.is_none();
                let verb = if is_held { "Hold" } else { "Release" };
                tree.button(verb, "", Msg::Act(Command::SetHeld { from, to, number, is_copy, is_held }));
                tree.button("Drop", "fault", Msg::Act(Command::Drop { from, to, number, is_copy }));
            }
        });
        tree.when(flight.is_some(), |tree| {
            el!(tree, "div", "class" = "smalls"; {
                faults::small(tree, app, DELAY);
                tree.button("Delay", "", Msg::Delay((from, to, number, is_copy)));
                faults::small(tree, app, AGAIN);
                tree.button("Duplicate", "", Msg::Again(from, to, number));
                let others = App::others_flying(session, name);
                el!(tree, "label", "class" = "small"; {
                    tree.text("Swap with");
                    let shown = others.clone();
                    let names = others.iter().map(text::event_name);
                    let first = std::iter::once("choose a message".to_owned());
                    tree.choose(None, first.chain(names), 0, move |place| {
                        match place.checked_sub(1).and_then(|place| shown.get(place)) {
                            Some(&EventName::Delivery { from: f, to: t, number: n, is_copy: c }) => {
                                Msg::Act(Command::Swap { one: (from, to, number, is_copy), other: (f, t, n, c) })
                            }
                            _ => Msg::Measured,
                        }
                    });
                });
            });
        });
        thread(tree, session, app.thread());
    });
}

/// What a message came of, as events to go to.
fn thread(tree: &mut Tree, session: &Session, thread: &Thread) {
    let line =
        |step: u64| session.recent().find(|&(at, _)| at == step).map(|(_, trace)| say::step(session, trace, false));
    tree.leaf("h3", None, "It was sent because");
    el!(tree, "ol", "class" = "thread"; {
        for &step in thread.cause_steps.iter().take(8) {
            el!(tree, "li"; { tree.button(&line(step).unwrap_or_default(), "plain", Msg::GoTo(step)) });
        }
    });
    el!(tree, "p", "class" = "unit"; {
        match thread.arrived {
            None => tree.text("It has not arrived."),
            Some(_) => say!(tree, "{} messages were sent because of it so far.", thread.consequences.len()),
        }
    });
}

/// A link in both directions.
fn link(tree: &mut Tree, app: &App, session: &Session, from: ReplicaId, to: ReplicaId) {
    el!(tree, "section", "class" = "inspector", "aria-label" = format_args!("Link from {} to {}", say::short(session, from), say::short(session, to)); {
        heading(tree, &format!("Link {} → {}", say::short(session, from), say::short(session, to)));
        let now = inspect::link(session, from, to);
        rows(tree, &now);
        el!(tree, "p", "class" = "actions"; {
            for (a, b) in [(from, to), (to, from)] {
                let is_cut = session.sim().is_cut(a, b);
                let verb = if is_cut { "Heal" } else { "Cut" };
                let class = if is_cut { "" } else { "fault" };
                tree.button(&format!("{verb} {} → {}", say::short(session, a), say::short(session, b)), class, Msg::Act(Command::SetCut { from: a, to: b, is_cut: !is_cut }));
            }
            tree.button("Cut both ways", "fault", Msg::CutBoth(from, to, true));
            tree.button("Heal both ways", "", Msg::CutBoth(from, to, false));
            tree.button(&format!("Look at {} → {}", say::short(session, to), say::short(session, from)), "", Msg::SelectLink(to, from));
        });
        faults::when(tree, app);
        faults::conditions(tree, app, Some((from, to)));
    });
}

fn shutdown(replica: ReplicaId) -> Command {
    let timeout_ms = u32::try_from(SHUTDOWN_TIMEOUT_US / MICROS_PER_MILLI).unwrap_or(u32::MAX);
    Command::Shutdown { replica, timeout_ms }
}

/// What waits on a replica's executor, what ran last, and how to interfere.
fn executor(tree: &mut Tree, session: &Session, id: ReplicaId) {
    let sim = session.sim();
    let Some(client) = sim.client(id) else { return };
    let next = sim.open_on().or_else(|| sim.next_event().map(|event| event.replica));
    let (_, ran) = client.executor().counters();
    let form = FORMS.iter().find(|(form, _)| *form == client.settings().form).map_or("", |(_, name)| name);
    el!(tree, "section", "class" = "executor", "aria-label" = format_args!("Executor of node {id}"); {
        el!(tree, "h3"; {
            tree.text("Executor");
            tree.leaf("span", Some("unit"), form);
            tree.group(|tree| {
                if let Some(other) = next.filter(|&next| next != id) {
                    el!(tree, "span", "class" = "unit"; { say!(tree, "the next task is node {other}'s") });
                }
            });
            el!(tree, "button", "type" = "button", "disabled" = next != Some(id); {
                tree.click(Msg::StepTask);
                tree.text("Executor step");
            });
        });
        tree.leaf("p", Some("unit"), &sim.last_ran(id).map_or_else(|| "No task has run yet.".to_owned(), text::last_task));
        tree.leaf("p", Some("unit"), &text::task_counters(ran, client.empty_polls()));
        el!(tree, "ol", "tabindex" = "0", "aria-label" = format_args!("Tasks waiting on the executor of node {id}, in order"); {
            for task in &tasks(sim, id) {
                queued(tree, id, task);
            }
        });
    });
}

fn queued(tree: &mut Tree, replica: ReplicaId, task: &QueuedTask) {
    let Ok(number) = u32::try_from(task.number) else { return };
    let line = format!("task {replica} #{number}: {}", task.text);
    el!(tree, "li", "aria-label" = &line; {
        tree.key(&number.to_string());
        tree.leaf("span", Some("due"), &text::time(task.due_us));
        el!(tree, "span", "class" = "what", "title" = &line; { tree.text(&task.text) });
        tree.named("Cancel", &format!("Cancel {line}"), "plain", Msg::Act(Command::Cancel { replica, number }));
        let event = EventName::Task { replica, number };
        tree.named("Run", &format!("Run this one now: {line}"), "", Msg::Act(Command::RunNow { event }));
    });
}
