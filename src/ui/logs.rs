//! The log table beside the stage.

use super::app::{App, Msg};
use super::stage::epoch_class;
use super::tree::{Tree, classes, el, say};
use raftwerk::explain::Question;
use raftwerk::session::Session;
use raftwerk::text::en::{self as text, Words};
use raftwerk::view::say;
use raftwerk::view::{Cell, CellState, LogRow, LogTable, log_table};

/// How many offsets are shown at once.
const WIDTH: u64 = 7;

/// The table, with a slider once it does not show everything.
pub fn logs(tree: &mut Tree, app: &App, session: &Session) {
    let table = log_table(session.sim(), app.first_offset(), WIDTH);
    let words = say::words(session);
    let last_first = table.end.saturating_sub(WIDTH);
    el!(tree, "h2"; {
        tree.text("Logs");
        tree.when(last_first > 0, |tree| {
            el!(tree, "input", "type" = "range", "min" = "0", "max" = last_first, "aria-label" = format_args!("First {} shown", words.place),
                "aria-valuetext" = format_args!("{} {}", words.place, words.number(table.first)); {
                tree.value(&table.first.to_string());
                tree.read(move |value| {
                    let first = value.parse().unwrap_or(0);
                    // At the right end it follows the run.
                    Msg::FirstOffset((first < last_first).then_some(first))
                });
            });
        });
        tree.hide(super::prefs::LOGS);
    });
    el!(tree, "table"; {
        el!(tree, "thead"; {
            el!(tree, "tr"; {
                el!(tree, "td");
                for offset in table.first..table.first + WIDTH {
                    offset_head(tree, words, offset, offset < table.end);
                }
                el!(tree, "th", "scope" = "col", "class" = "count"; { tree.text("end") });
                el!(tree, "th", "scope" = "col", "class" = "count broad"; { el!(tree, "abbr", "title" = words.committed.0; { tree.text(words.committed.1) }) });
                tree.when(table.pushes, |tree| {
                    el!(tree, "th", "scope" = "col", "class" = "count broad"; {
                        el!(tree, "abbr", "title" = "matchIndex and nextIndex, as the leader has them"; { tree.text("m→n") });
                    });
                });
            });
        });
        el!(tree, "tbody"; {
            for line in &table.rows {
                row(tree, session, &table, line);
            }
        });
    });
}

fn offset_head(tree: &mut Tree, words: &Words, offset: u64, is_used: bool) {
    let number = words.number(offset);
    el!(tree, "th", "scope" = "col"; {
        if is_used {
            let says = format!("{} {number}: is it committed, and why", text::capital(words.entry));
            el!(tree, "button", "type" = "button", "class" = "plain", "aria-label" = &says, "title" = &says; {
                tree.click(Msg::Ask(Question::WhyNotCommitted { offset }));
                say!(tree, "{number}");
            });
        } else {
            say!(tree, "{number}");
        }
    });
}

fn row(tree: &mut Tree, session: &Session, table: &LogTable, row: &LogRow) {
    el!(tree, "tr", "class" = (!row.is_up).then_some("down"); {
        el!(tree, "th", "scope" = "row"; { tree.text(&say::node(session, row.id)) });
        for (offset, cell) in (table.first..).zip(&row.cells) {
            // Where leaders push, both are drawn at the entries themselves.
            let is_match = table.pushes && row.matched == Some(offset + 1);
            let is_next = row.next == Some(offset);
            let class = classes("", &[("is-match", is_match), ("is-next", is_next)]);
            el!(tree, "td", "class" = (is_match || is_next).then_some(class); {
                if let Some(cell) = cell {
                    filled(tree, cell);
                }
            });
        }
        el!(tree, "td", "class" = "count"; {
            say!(tree, "{}", row.end);
            if let Some(offset) = row.matched.filter(|_| !table.pushes) {
                el!(tree, "sub", "title" = format_args!("the leader saw it fetch from offset {offset}"); { say!(tree, "↑{offset}") });
            }
        });
        el!(tree, "td", "class" = "count"; {
            match row.high_watermark {
                None => tree.text("–"),
                Some(offset) => say!(tree, "{offset}"),
            }
        });
        tree.when(table.pushes, |tree| {
            el!(tree, "td", "class" = "count"; {
                if let (Some(matched), Some(next)) = (row.matched, row.next) {
                    say!(tree, "{matched}→{}", say::words(session).number(next));
                }
            });
        });
    });
}

fn filled(tree: &mut Tree, cell: &Cell) {
    let state = match cell.state {
        CellState::Uncommitted => "open",
        CellState::Committed => "committed",
        CellState::Applied => "applied",
        CellState::WillGo => "will-go",
    };
    let class = classes("record", &[(state, true), (&epoch_class(cell.epoch), true)]);
    el!(tree, "span", "class" = class, "title" = &cell.says; {
        tree.leaf("span", None, &cell.label);
        el!(tree, "sub"; { say!(tree, "{}", cell.epoch) });
    });
}
