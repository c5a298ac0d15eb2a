//! What concerns the whole cluster: partitions, all links, timers against each other, and what waits for its time.

use super::app::{App, Msg};
use super::tree::{Tree, el, say};
use super::typed::{APART, AT, LINK, SMALL};
use raftwerk::raft::ReplicaId;
use raftwerk::session::Session;
use raftwerk::sim::{Command, LinkConditions};
use raftwerk::text::en as text;
use raftwerk::view::say;

/// A small field with its label and its unit.
pub fn small(tree: &mut Tree, app: &App, field: usize) {
    let it = SMALL[field];
    el!(tree, "label", "class" = "small"; {
        tree.text(it.label);
        el!(tree, "input", "type" = "text", "inputmode" = "decimal", "autocomplete" = "off"; {
            tree.value(app.typed().text(field));
            tree.read(move |value| Msg::Type(field, value));
        });
        tree.leaf("span", Some("unit"), it.unit);
    });
}

/// When what is chosen next is to happen.
pub fn when(tree: &mut Tree, app: &App) {
    small(tree, app, AT);
}

/// How one link, or all, treat messages.
pub fn conditions(tree: &mut Tree, app: &App, link: Option<(ReplicaId, ReplicaId)>) {
    el!(tree, "div", "class" = "smalls"; {
        for field in LINK..LINK + 5 {
            small(tree, app, field);
        }
    });
    el!(tree, "p", "class" = "actions"; {
        if let (Some((from, to)), Some(session)) = (link, app.session()) {
            let (a, b) = (say::short(session, from), say::short(session, to));
            tree.button(&format!("Set {a} → {b}"), "", Msg::SetLinks(vec![Some((from, to))]));
            tree.button("Set both ways", "", Msg::SetLinks(vec![Some((from, to)), Some((to, from))]));
        }
        tree.button("Set all links", "", Msg::SetLinks(vec![None]));
    });
}

/// The fields of a link, as numbers.
pub const fn numbers(c: LinkConditions) -> [u32; 5] {
    [c.latency_min_us, c.latency_max_us, c.loss_ppm, c.duplicate_ppm, c.reorder_ppm]
}

/// The overlay.
pub fn faults(tree: &mut Tree, app: &App, session: &Session) {
    el!(tree, "section", "class" = "overlay", "aria-label" = "Faults", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Partition");
        tree.leaf("p", Some("unit"), "Drag across nodes and clients to put them into a group of their own, or choose one to move it to the next group.");
        el!(tree, "p", "class" = "actions"; {
            let word = if app.is_parting() { "Groups are chosen: done" } else { "Choose groups on the stage" };
            tree.button(word, "play", Msg::Parting);
            tree.button("Heal all", "", Msg::Act(Command::Heal));
        });
        tree.leaf("h2", None, "All links");
        conditions(tree, app, None);
        tree.leaf("h2", None, "Timeouts to seek votes");
        small(tree, app, APART);
        el!(tree, "p", "class" = "actions"; {
            tree.button("Align: all at once", "", Msg::Act(Command::SpaceTimers { apart_us: 0 }));
            tree.button("Spread", "", Msg::Spread);
            tree.button("Why can nobody be elected?", "", Msg::Ask(raftwerk::explain::Question::WhyNobodyElected));
        });
        tree.leaf("h2", None, "At a time");
        tree.leaf("p", Some("unit"), "With a time here, whatever you do to nodes, links and clients waits for it; what concerns one message or timer does not.");
        when(tree, app);
        el!(tree, "ol", "class" = "plans"; {
            for &plan in session.plans() {
                let line = format!("{}: {}", text::time(plan.at_us), say::command(session, &plan.command));
                el!(tree, "li"; {
                    el!(tree, "span"; { tree.text(&line) });
                    tree.named("Take back", &format!("Take back {line}"), "plain", Msg::Unplan(plan));
                });
            }
            for (plan, why) in session.missed() {
                el!(tree, "li"; { say!(tree, "{}: {} It could not be done: {why}.", text::time(plan.at_us), say::command(session, &plan.command)) });
            }
        });
        el!(tree, "p", "class" = "actions"; { tree.button("Close", "", Msg::Close) });
    });
}
