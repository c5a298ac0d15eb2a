//! Going somewhere: to the next or the last thing of a kind, and on until something is so.

use super::app::{App, Msg};
use super::faults::small;
use super::tree::{Tree, el, say};
use super::typed::OFFSET;
use raftwerk::session::{Jump, Session, Until};
use raftwerk::view::say;

/// Jumps, with their names; the last two only lead on.
const JUMPS: [(Jump, &str); 6] = [
    (Jump::Election, "election"),
    (Jump::RoleChange, "role change"),
    (Jump::Commit, "commit"),
    (Jump::Fault, "fault"),
    (Jump::Message, "message"),
    (Jump::Timer, "timer"),
];

/// What is chosen in the form: a node (0: any), a role and a kind.
#[derive(Clone, Copy, Default)]
pub struct Choice {
    /// 0: any node, else its number from 1.
    pub node: usize,
    /// A place among the roles.
    pub role: usize,
    /// A place among the kinds.
    pub kind: usize,
}

/// The overlay.
pub fn go(tree: &mut Tree, app: &App, session: &Session) {
    let choice = app.choice();
    let words = say::words(session);
    let (roles, kinds) = (words.roles, words.kinds);
    el!(tree, "section", "class" = "overlay", "aria-label" = "Go to", "tabindex" = "-1"; {
        tree.leaf("h2", None, "The last or the next");
        el!(tree, "dl", "class" = "jumps"; {
            for (jump, name) in JUMPS {
                tree.leaf("dt", None, name);
                el!(tree, "dd"; {
                    if matches!(jump, Jump::Message | Jump::Timer) {
                        tree.text("");
                    } else {
                        let last = session.last_before(jump);
                        el!(tree, "button", "type" = "button", "aria-label" = format_args!("Last {name}"), "disabled" = last.is_none(); {
                            tree.click(Msg::GoTo(last.unwrap_or(0)));
                            tree.text("Last");
                        });
                    }
                    tree.named("Next", &format!("Next {name}"), "", Msg::Until(Until::Next(jump)));
                });
            }
        });
        tree.leaf("h2", None, "Run until");
        el!(tree, "div", "class" = "untils"; {
            el!(tree, "p"; {
                let nodes = std::iter::once("any node".to_owned()).chain(session.sim().ids().map(|id| say::node(session, id)));
                tree.choose(Some("Which node"), nodes, choice.node, |node| Msg::Choose(0, node));
                tree.text(" is ");
                tree.choose(Some("Which role"), roles.iter().map(|&role| words.role(role).to_owned()), choice.role.min(roles.len() - 1), |role| Msg::Choose(1, role));
                let replica = choice.node.checked_sub(1).and_then(|index| session.sim().ids().nth(index));
                let until = Until::Role { replica, role: roles[choice.role.min(roles.len() - 1)] };
                tree.named("Run", "Run until a node has that role", "", Msg::Until(until));
            });
            el!(tree, "p"; {
                tree.text("two nodes lead at once ");
                tree.named("Run", "Run until two nodes lead at once", "", Msg::Until(Until::TwoLeaders));
            });
            el!(tree, "p"; {
                small(tree, app, OFFSET);
                tree.text(" is committed ");
                tree.named("Run", "Run until that offset is committed", "", Msg::UntilCommitted);
            });
            el!(tree, "p"; {
                tree.choose(Some("Which message"), kinds.iter().map(|(_, name)| (*name).to_owned()), choice.kind.min(kinds.len() - 1), |kind| Msg::Choose(2, kind));
                tree.text(" is sent ");
                let (kind, _) = kinds[choice.kind.min(kinds.len() - 1)];
                tree.named("Run", "Run until such a message is sent", "", Msg::Until(Until::Sent { kind }));
            });
            el!(tree, "p"; {
                tree.text("nothing is left to do ");
                tree.named("Run", "Run until nothing is left to do", "", Msg::Until(Until::NothingLeft));
            });
        });
        el!(tree, "p", "class" = "actions"; { tree.button("Close", "", Msg::Close) });
    });
}

/// How far a search has come, and how to stop it.
pub fn progress(tree: &mut Tree, app: &App) {
    let Some((done, most)) = app.progress() else { return };
    el!(tree, "div", "class" = "progress"; {
        el!(tree, "progress", "max" = u64::from(most), "value" = u64::from(done), "aria-label" = "Running until it is so");
        el!(tree, "span"; { say!(tree, "{done} events") });
        tree.button("Cancel", "", Msg::CancelSearch);
    });
}
