//! Sharing: links, files, embedding, and a run as text or picture for elsewhere.

use super::app::{App, Msg, Open};
use super::browser;
use super::faults::small;
use super::tree::{Tree, el, say};
use super::typed::{FROM, TO};
use gloo_timers::callback::Timeout;
use raftwerk::scenario::{Record, link, plain, to_json};
use raftwerk::view::export;
use wasm_bindgen_futures::JsFuture;
use yew::Context;

/// Longer addresses are cut by some programs.
const LONG: usize = 2_000;
/// The clipboard may stay silent; then the text is selected.
const CLIPBOARD_MS: u32 = 1_500;
/// The most steps that are written out.
const STEPS_MAX: u64 = 20_000;

/// What a link is to.
pub const KINDS: [&str; 3] = ["This moment", "The start", "A figure for another page (embed code)"];
const START: usize = 1;
const EMBED: usize = 2;

/// What can be taken away as a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// The scenario, as JSON.
    Scenario,
    /// The events, as text.
    Text,
    /// The events, as JSON lines.
    JsonLines,
    /// The events, as a sequence diagram.
    Mermaid,
    /// The stage, as a drawing.
    Svg,
    /// The stage, as a picture.
    Png,
}

/// Text as an attribute of HTML.
fn attribute(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            _ => out.push(letter),
        }
    }
    out
}

/// A file's name made of a title: letters, digits and hyphens.
fn file_name(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    name.truncate(60);
    if name.is_empty() { "raftwerk".into() } else { name }
}

impl App {
    /// The record that is shared.
    fn to_share(&self) -> Option<Record> {
        let session = self.session.as_ref()?;
        Some(if self.share_kind == START {
            session.record().rewound()
        } else {
            Record { shown: self.share_shown, ..session.record() }
        })
    }

    /// Opens the panel with the link to this moment.
    pub(super) fn share(&mut self, ctx: &Context<Self>) {
        self.share_kind = 0;
        self.share_shown = self.shown();
        if let Some(session) = &self.session {
            let here = session.begun();
            self.typed.put(FROM, here.saturating_sub(50).max(1).to_string());
            self.typed.put(TO, here.max(1).to_string());
        }
        self.show_overlay(Open::Share);
        self.make_link(ctx);
    }

    /// Makes the link that is chosen, puts it into the address bar, and copies it.
    pub(super) fn make_link(&mut self, ctx: &Context<Self>) {
        let Some(record) = self.to_share() else { return };
        let fragment = link::encode(&record);
        self.shared = if self.share_kind == EMBED {
            let title = plain(&record.title, 80);
            let title = attribute(if title.is_empty() { "Raftwerk" } else { &title });
            format!(
                "<iframe src=\"{}?embed#{fragment}\" title=\"{title}\" width=\"640\" height=\"460\" loading=\"lazy\"></iframe>",
                attribute(&browser::page())
            )
        } else {
            browser::show_fragment(&fragment);
            format!("{}#{fragment}", browser::page())
        };
        self.shared_digest = self.session.as_ref().filter(|_| self.share_kind != START).map(|it| it.digests().run);
        self.copied = None;
        self.copies += 1;
        let which = self.copies;
        let link = ctx.link().clone();
        match browser::copy(&self.shared) {
            Some(promise) => {
                wasm_bindgen_futures::spawn_local({
                    let link = link.clone();
                    async move { link.send_message(Msg::Copied(which, JsFuture::from(promise).await.is_ok())) }
                });
                self.clipboard_timeout =
                    Some(Timeout::new(CLIPBOARD_MS, move || link.send_message(Msg::Copied(which, false))));
            }
            None => link.send_message(Msg::Copied(which, false)),
        }
    }

    /// Gives somebody a file.
    pub(super) fn take(&mut self, take: Take) {
        let Some(session) = &self.session else { return };
        let title = plain(&session.settings().title, 80);
        let name = file_name(&title);
        if let Take::Svg | Take::Png = take {
            let kind = if take == Take::Svg { "svg" } else { "png" };
            browser::tell("raftwerk:picture", &serde_json::json!([name, kind, title]).to_string());
            return;
        }
        let (ending, kind, text) = if take == Take::Scenario {
            let record = Record { shown: self.share_shown, ..session.record() };
            ("json", "application/json", to_json(&record) + "\n")
        } else {
            let range = (self.typed.number(FROM), self.typed.number(TO));
            let (first, last) = match range {
                (Ok(first), Ok(last)) if first <= last => (u64::from(first), u64::from(last)),
                (Ok(_), Ok(_)) => {
                    self.notice = "The first event comes after the last one. Nothing was saved.".into();
                    return;
                }
                (Err(error), _) | (_, Err(error)) => {
                    self.notice = format!("{}: {}. Nothing was saved.", error.path, error.says);
                    return;
                }
            };
            if last - first >= STEPS_MAX {
                self.notice = format!("At most {STEPS_MAX} events are written out. Nothing was saved.");
                return;
            }
            match take {
                Take::Mermaid => ("mmd", "text/plain", export::mermaid(session, first, last)),
                Take::JsonLines => {
                    ("jsonl", "application/jsonl", export::as_json_lines(&export::lines(session, first, last)))
                }
                _ => ("txt", "text/plain", export::as_text(&export::lines(session, first, last))),
            }
        };
        browser::tell("raftwerk:save", &serde_json::json!([format!("{name}.{ending}"), kind, text]).to_string());
        self.announced = format!("Saved {name}.{ending}.");
    }
}

/// The panel.
pub fn share(tree: &mut Tree, app: &App) {
    let (address, copied) = app.shared();
    let Some(session) = app.session() else { return };
    el!(tree, "section", "class" = "overlay sharing", "aria-label" = "Share", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Share");
        el!(tree, "label", "class" = "field"; {
            tree.leaf("span", None, "Title");
            el!(tree, "input", "type" = "text", "maxlength" = "200", "autocomplete" = "off"; {
                tree.value(&session.settings().title);
                tree.settle(Msg::Title);
            });
        });
        el!(tree, "label", "class" = "field"; {
            tree.leaf("span", None, "Opens at");
            tree.choose(None, KINDS.map(str::to_owned), app.share_kind, Msg::ShareKind);
        });
        el!(tree, "p", "role" = "status"; {
            tree.text(match copied {
                None => "Copying …",
                Some(true) if app.share_kind == EMBED => "Copied. Put it into the text of your page.",
                Some(true) if app.share_kind == START => "Copied. Whoever opens the link sees the same run from its start.",
                Some(true) => "Copied. Whoever opens the link sees the same run at this moment.",
                Some(false) if app.is_selected => "Copy it with your copy keys: it is selected.",
                Some(false) => "It could not be copied. Go to the field and copy it with your copy keys.",
            });
        });
        el!(tree, "input", "type" = "text", "readonly" = true, "aria-label" = if app.share_kind == EMBED { "Embed code" } else if app.share_kind == START { "Link to the start" } else { "Link to this moment" }; {
            tree.value(address);
        });
        el!(tree, "p", "class" = "unit"; {
            say!(tree, "{} characters", address.len());
            if address.len() > LONG {
                tree.text(": some programs cut links longer than 2,000. A file is never cut.");
            }
        });
        if let Some(digest) = app.shared_digest {
            el!(tree, "p", "class" = "unit"; { say!(tree, "Digest of this moment: {digest:016x}") });
        }
        tree.leaf("h2", None, "Files");
        el!(tree, "p", "class" = "actions"; {
            tree.named("Save", "Save the scenario as a file", "", Msg::Take(Take::Scenario));
            tree.named("Open …", "Open a scenario file", "", Msg::ChooseFile);
            tree.leaf("span", Some("unit"), "or drop or paste one, or a link, anywhere on the page");
        });
        tree.leaf("h2", None, "For a slide");
        el!(tree, "p", "class" = "actions"; {
            tree.named("SVG", "Save the stage as SVG", "", Msg::Take(Take::Svg));
            tree.named("PNG", "Save the stage as PNG", "", Msg::Take(Take::Png));
        });
        tree.leaf("h2", None, "Events as text");
        el!(tree, "p", "class" = "small"; {
            small(tree, app, FROM);
            small(tree, app, TO);
        });
        el!(tree, "p", "class" = "actions"; {
            tree.named("Text", "Save these events as text", "", Msg::Take(Take::Text));
            tree.named("JSON lines", "Save these events as JSON lines", "", Msg::Take(Take::JsonLines));
            tree.named("Mermaid", "Save these events as a Mermaid sequence diagram", "", Msg::Take(Take::Mermaid));
        });
        el!(tree, "p", "class" = "actions"; { tree.button("Close", "", Msg::Close) });
    });
}
