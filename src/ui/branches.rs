//! Branches: which futures there are, where they parted, and two of them side by side.

use super::app::{App, Msg};
use super::frame::{head_transform, translate};
use super::own;
use super::stage::{arrow_class, client_words, figure, figure_class, head, link, regions};
use super::tree::{Tree, classes, el, say};
use raftwerk::session::{BranchView, Edit, Session};
use raftwerk::text::en as text;
use raftwerk::view::say;
use raftwerk::view::{CLIENT, Extent, Looks, Px, stage};

/// What a branch is called.
pub fn name(branch: &BranchView) -> String {
    match (branch.name.as_str(), branch.id) {
        ("", 0) => "The first".to_owned(),
        ("", id) => format!("Branch {}", id + 1),
        (name, _) => name.to_owned(),
    }
}

fn edit(session: &Session, edit: &Edit) -> String {
    match edit {
        Edit::Act(command) | Edit::Plan(command) => say::command(session, command),
        Edit::Name(_) => "the name of a branch".to_owned(),
        Edit::Remove(_) => "a removed branch".to_owned(),
    }
}

/// The overlay.
pub fn branches(tree: &mut Tree, app: &App, session: &Session) {
    let all = session.branches();
    el!(tree, "section", "class" = "overlay", "aria-label" = "Branches", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Branches");
        tree.leaf("p", Some("unit"), "Whatever you do in the past begins a new branch; what was known of the run stays as another.");
        el!(tree, "ol", "class" = "branches"; {
            for branch in &all {
                line(tree, app, session, &all, branch);
            }
        });
        el!(tree, "p", "class" = "actions"; {
            el!(tree, "button", "type" = "button", "disabled" = session.to_undo().is_none() && !app.has_previous(); {
                tree.click(Msg::Undo);
                tree.text("Undo");
            });
            el!(tree, "button", "type" = "button", "disabled" = session.to_redo().is_none(); {
                tree.click(Msg::Redo);
                tree.text("Redo");
            });
            tree.button("Lay the other protocol beside", "", Msg::CompareProtocols);
            tree.button("Close", "", Msg::Close);
        });
        tree.group(|tree| {
            if let Some(what) = session.to_undo() {
                el!(tree, "p", "class" = "unit"; { say!(tree, "Undo takes back: {}", edit(session, what)) });
            }
            if let Some(what) = session.to_redo() {
                el!(tree, "p", "class" = "unit"; { say!(tree, "Redo does again: {}", edit(session, what)) });
            }
        });
        tree.group(|tree| own::list(tree, app));
    });
}

fn line(tree: &mut Tree, app: &App, session: &Session, all: &[BranchView], branch: &BranchView) {
    let id = branch.id;
    let called = name(branch);
    el!(tree, "li", "class" = classes("branch", &[("here", branch.is_current)]), "aria-current" = branch.is_current.then_some("true"); {
        el!(tree, "input", "type" = "text", "aria-label" = format_args!("Name of {called}"), "maxlength" = "80"; {
            tree.value(&called);
            tree.settle(move |value| Msg::NameBranch(id, value));
        });
        el!(tree, "p", "class" = "unit"; {
            match branch.fork {
                None => say!(tree, "from the start; {} events", branch.length),
                Some(fork) => {
                    let from = all.iter().find(|other| other.id == fork.from).map_or_else(|| "a removed branch".to_owned(), name);
                    say!(tree, "left “{from}” at {}, after event {}: {} {} events.", text::time(fork.at_us), fork.step, say::command(session, &fork.command), branch.length);
                }
            }
        });
        el!(tree, "p", "class" = "actions"; {
            if branch.is_current {
                tree.leaf("span", Some("unit"), "you are here");
            } else {
                tree.named("Go there", &format!("Go there: {called}"), "", Msg::Switch(id));
                let is_beside = app.has_branch_beside(id);
                if is_beside {
                    tree.named("Put away", &format!("Put away: {called}"), "", Msg::Compare(None));
                } else {
                    tree.named("Lay beside", &format!("Lay beside: {called}"), "", Msg::Compare(Some(id)));
                }
                tree.named("Remove", &format!("Remove {called}"), "plain", Msg::RemoveBranch(id));
            }
        });
    });
}

/// Another branch at the same time, beside the stage.
pub fn beside(tree: &mut Tree, app: &App, session: &Session, other: &Session) {
    let Extent { width, height } = app.extent();
    let looks = Looks {
        extent: app.extent(),
        hidden: app.prefs().kinds,
        moved: app.moved().to_vec(),
        is_still: app.is_still(),
    };
    let view = stage(other, &looks);
    let protocol = |session: &Session| session.settings().protocol.family();
    let is_other = protocol(session) != protocol(other);
    let called = if is_other {
        say::words(other).protocol.to_owned()
    } else {
        let all = session.branches();
        all.iter().find(|branch| branch.id == other.branch()).map(name).unwrap_or_default()
    };
    let at_us = app.drawn_us();
    el!(tree, "section", "class" = "beside", "aria-label" = format_args!("{called}, at the same time"); {
        el!(tree, "p", "class" = "beside-head"; {
            el!(tree, "span"; { say!(tree, "{called} · {}", text::position(other.position(), 0, other.length())) });
            tree.group(|tree| {
                if let Some(step) = session.first_difference(other).filter(|_| !is_other) {
                    tree.named("First difference", "Go to the first difference", "", Msg::GoTo(step + 1));
                }
            });
            tree.when(app.is_behind(), |tree| tree.leaf("span", Some("unit"), "catching up …"));
            tree.icon("×", if is_other { "Put the other protocol away" } else { "Put the other branch away" }, Msg::Compare(None));
        });
        el!(tree, "svg", "viewBox" = format_args!("0 0 {} {}", Px(width), Px(height)), "role" = "img",
            "aria-label" = view.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>().join("; "); {
            regions(tree, &view);
            for line in &view.links {
                link(tree, app, line);
            }
            for (client, (x, y)) in &view.clients {
                el!(tree, "g", "class" = "client", "transform" = translate(*x, *y); {
                    tree.key(&client.label);
                    let (half_width, half_height) = CLIENT;
                    el!(tree, "rect", "class" = "node", "x" = -half_width, "y" = -half_height, "width" = half_width * 2.0, "height" = half_height * 2.0, "rx" = "10");
                    client_words(tree, client);
                });
            }
            el!(tree, "g", "class" = "messages"; {
                for arrow in &view.arrows {
                    let (x, y) = view.head(arrow, at_us);
                    el!(tree, "g", "class" = arrow_class(arrow, false); {
                        tree.key(&arrow.key);
                        el!(tree, "g", "transform" = head_transform(arrow, (x, y)); { head(tree, arrow) });
                        el!(tree, "line", "class" = "trail", "x1" = arrow.from.0, "y1" = arrow.from.1, "x2" = x, "y2" = y);
                    });
                }
            });
            for node in &view.nodes {
                el!(tree, "g", "class" = figure_class(node, false), "transform" = translate(node.x, node.y); {
                    tree.key(&node.number);
                    figure(tree, node);
                });
            }
        });
        el!(tree, "p", "class" = "beside-says"; { tree.text(&say::step(other, other.last_step(), false)) });
    });
}
