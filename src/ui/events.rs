//! The event list beside the diagram: a line a step, searched and sifted; a click goes there.

use super::app::{App, Msg};
use super::tree::{Tree, classes, el};
use raftwerk::raft::ReplicaId;
use raftwerk::session::Session;
use raftwerk::text::en as text;
use raftwerk::view::events;
use raftwerk::view::say;

/// The most lines shown, up to here and after; and while it plays.
const LINES: (usize, usize) = (60, 6);
const LINES_IN_PLAY: (usize, usize) = (8, 0);

/// The list.
pub fn list(tree: &mut Tree, app: &App, session: &Session) {
    let sieve = app.sieve();
    el!(tree, "p", "class" = "events-tools"; {
        el!(tree, "input", "type" = "search", "id" = "find", "aria-label" = "Search the events", "placeholder" = "Find"; {
            tree.value(&sieve.search);
            tree.read(Msg::Search);
        });
        tree.choose(Some("Kind of events"), text::EVENT_KINDS.map(str::to_owned), sieve.kind, Msg::SieveKind);
        let nodes = std::iter::once("all nodes".to_owned()).chain(session.sim().ids().map(|id| say::node(session, id)));
        let chosen = sieve.replica.map_or(0, |id| usize::from(id.0) + 1);
        tree.choose(Some("Node"), nodes, chosen, |index| {
            Msg::SieveNode(index.checked_sub(1).and_then(|index| u8::try_from(index).ok()).map(ReplicaId))
        });
        tree.hide(super::prefs::EVENTS);
    });
    let (most, ahead) = if app.is_playing() { LINES_IN_PLAY } else { LINES };
    let lines = events(session, sieve, most, ahead);
    el!(tree, "ol", "tabindex" = "0", "aria-label" = "Events, the newest first"; {
        for line in &lines {
            let class = classes("event", &[("here", line.is_here), ("ahead", line.is_ahead)]);
            el!(tree, "li", "class" = class; {
                let step = line.step;
                tree.key(&step.to_string());
                el!(tree, "button", "type" = "button", "class" = "plain", "title" = &line.text,
                    "aria-current" = line.is_here.then_some("step"); {
                    tree.click(Msg::GoTo(step));
                    tree.leaf("span", Some("due"), &text::time(line.at_us));
                    tree.leaf("span", Some("what"), &line.text);
                });
            });
        }
    });
    el!(tree, "p", "class" = "unit"; {
        if lines.is_empty() {
            tree.text(if session.begun() == 0 { "Nothing has happened yet." } else { "None of the events remembered here." });
        }
    });
}
