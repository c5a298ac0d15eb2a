//! The safety properties as lights, and what to do when one goes out.

use super::app::Msg;
use super::tree::{Tree, classes, el, say};
use raftwerk::session::Session;
use raftwerk::sim::Property;
use raftwerk::text::en as text;
use raftwerk::view::say;

/// The overlay.
pub fn safety(tree: &mut Tree, session: &Session) {
    let violations = session.sim().violations();
    let words = say::words(session);
    el!(tree, "section", "class" = "overlay", "aria-label" = "Safety", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Safety properties");
        tree.leaf("p", Some("unit"), "Looked at after every event, by somebody who sees all nodes at once.");
        el!(tree, "dl", "class" = "safety"; {
            for property in Property::ALL {
                let (name, meaning) = text::property(words, property);
                let broken = violations.iter().filter(|violation| violation.property == property);
                let count = broken.clone().count();
                el!(tree, "dt"; {
                    el!(tree, "span", "class" = classes("lights", &[("broken", count > 0)]); {
                        say!(tree, "{name}: {}", if count > 0 { "broken" } else { "holds" });
                    });
                });
                el!(tree, "dd"; {
                    tree.leaf("p", None, &meaning);
                    for violation in broken.take(5) {
                        el!(tree, "p", "class" = "notice"; { tree.text(&say::named(session, text::violation(words, violation))) });
                        el!(tree, "p", "class" = "actions"; {
                            tree.named("Go to the step before", &format!("Go to the step before event {}", violation.step), "", Msg::GoTo(violation.step - 1));
                            tree.named("Go there", &format!("Go there: event {}", violation.step), "", Msg::GoTo(violation.step));
                        });
                    }
                });
            }
        });
        el!(tree, "p", "class" = "actions"; { tree.button("Close", "", Msg::Close) });
    });
}
