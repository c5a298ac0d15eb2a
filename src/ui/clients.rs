//! Clients of the cluster: what they do, and what they know against what is so.

use super::app::{App, Msg};
use super::faults::small;
use super::tree::{Tree, classes, el, say};
use super::typed::{CLIENT, EVERY};
use raftwerk::raft::ReplicaId;
use raftwerk::session::Session;
use raftwerk::sim::{CallFate, ClientRequest, ClientState, Command, Outcome, client_id, client_number, fate};
use raftwerk::text::en::{self as text, Words};
use raftwerk::view::say;

/// The overlay.
pub fn clients(tree: &mut Tree, app: &App, session: &Session) {
    el!(tree, "section", "class" = "overlay", "aria-label" = "Clients", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Clients");
        tree.leaf("p", Some("unit"), "A client asks whom it believes to lead, follows redirects, and asks again when there is no answer. There are no sessions: what is sent again may be appended again.");
        el!(tree, "p", "class" = "actions"; {
            for number in 0..session.sim().clients().len() {
                let id = client_id(u8::try_from(number).unwrap_or(0));
                tree.button(&text::capital(&text::who(id)), "", Msg::Select(Some(id)));
            }
        });
        tree.leaf("h2", None, "One more");
        el!(tree, "div", "class" = "smalls"; {
            for field in CLIENT..CLIENT + 3 {
                small(tree, app, field);
            }
        });
        el!(tree, "p", "class" = "actions"; {
            tree.button("Add a client", "play", Msg::AddClient);
            tree.button("Close", "", Msg::Close);
        });
    });
}

/// A client in the inspector.
pub fn inspector(tree: &mut Tree, app: &App, session: &Session, id: ReplicaId) {
    let Some(client) = client_number(id) else { return };
    let Some(state) = session.sim().clients().get(usize::from(client)) else { return };
    el!(tree, "section", "class" = "inspector", "aria-label" = text::capital(&text::who(id)); {
        el!(tree, "h2"; {
            tree.text(&text::capital(&text::who(id)));
            tree.button("Close", "plain", Msg::Select(None));
        });
        let tally = state.tally();
        let options = state.options();
        el!(tree, "dl"; {
            for (name, value) in [
                ("believes in", format!("node {}", state.believes())),
                ("acknowledged", tally.acknowledged.to_string()),
                ("refused", tally.refused.to_string()),
                ("unknown", tally.unknown.to_string()),
                ("waits for", format!("{} ms", options.timeout_ms)),
                ("sends at most", format!("{} times", options.attempts)),
            ] {
                tree.leaf("dt", None, name);
                tree.leaf("dd", None, &value);
            }
        });
        tree.when(tally.skipped > 0, |tree| {
            el!(tree, "p", "class" = "notice"; { say!(tree, "{} requests were not even begun: it has more to set than the cluster takes.", tally.skipped) });
        });
        el!(tree, "p", "class" = "actions"; {
            let value = session.position();
            tree.button("Send a request", "play", Msg::Act(Command::ClientRequest { client, key: u16::from(client) + 1, value }));
            if state.every_us() == 0 {
                tree.button("Send steadily", "", Msg::Steadily(client));
            } else {
                tree.button("Send no more", "", Msg::Act(Command::SetRate { client, every_us: 0 }));
            }
        });
        requests(tree, session, client, state);
        small(tree, app, EVERY);
        el!(tree, "details"; {
            tree.leaf("summary", None, "Links");
            el!(tree, "p", "class" = "actions"; {
                for to in session.sim().ids() {
                    tree.button(&format!("Link c{} → {}", client + 1, say::short(session, to)), "", Msg::SelectLink(id, to));
                }
            });
        });
    });
}

fn outcome(words: &Words, request: &ClientRequest) -> String {
    match request.outcome {
        Outcome::Waits => "waits".to_owned(),
        Outcome::Asked => "sent, no answer yet".to_owned(),
        Outcome::Acknowledged { offset } => format!("acknowledged, at {} {}", words.place, words.number(offset)),
        Outcome::Refused => "refused".to_owned(),
        Outcome::Unknown => "unknown".to_owned(),
    }
}

/// What really became of a request, and whether the client would be surprised.
fn truth(session: &Session, client: u8, request: &ClientRequest) -> (String, bool) {
    let fates: Vec<(CallFate, u64)> =
        request.taken.iter().map(|&taken| (fate(session.sim(), client, request.number, taken), taken.offset)).collect();
    let is_good = fates.iter().any(|(fate, _)| *fate == CallFate::Committed);
    let is_bad = fates.iter().any(|(fate, _)| matches!(fate, CallFate::Overwritten | CallFate::Lost));
    let words: Vec<String> = fates
        .iter()
        .map(|(fate, offset)| {
            let word = match fate {
                CallFate::Committed => "committed",
                CallFate::Overwritten => "overwritten",
                CallFate::Lost => "lost",
                CallFate::Open => "not decided",
            };
            format!("{word} at {}", say::words(session).number(*offset))
        })
        .collect();
    let text = if words.is_empty() { "nobody took it".to_owned() } else { words.join(", ") };
    (text, is_bad && !is_good)
}

fn requests(tree: &mut Tree, session: &Session, client: u8, state: &ClientState) {
    el!(tree, "table", "class" = "followers requests"; {
        tree.leaf("caption", None, "Requests, the newest first");
        el!(tree, "thead"; {
            el!(tree, "tr"; {
                for head in ["request", "sets", "the client knows", "in truth"] {
                    el!(tree, "th", "scope" = "col"; { tree.text(head) });
                }
            });
        });
        el!(tree, "tbody"; {
            for request in state.requests().rev().take(12) {
                let (truth, is_bad) = truth(session, client, request);
                el!(tree, "tr"; {
                    tree.key(&request.number.to_string());
                    el!(tree, "th", "scope" = "row"; { say!(tree, "{}", request.number) });
                    el!(tree, "td"; { say!(tree, "{} = {}", request.key, request.value) });
                    tree.leaf("td", None, &outcome(say::words(session), request));
                    el!(tree, "td", "class" = classes("truth", &[("bad", is_bad)]); { tree.text(&truth) });
                });
            }
        });
    });
}
