//! The log table beside the stage.

use super::app::{App, Msg};
use super::stage::epoch_class;
use super::tree::{Tree, classes, el, say};
use raftwerk::explain::Question;
use raftwerk::session::Session;
use raftwerk::view::{Cell, CellState, LogRow, log_table};

/// How many offsets are shown at once.
const WIDTH: u64 = 7;

/// The table, with a slider once it does not show everything.
pub fn logs(tree: &mut Tree, app: &App, session: &Session) {
    let table = log_table(session.sim(), app.first_offset(), WIDTH);
    let last_first = table.end.saturating_sub(WIDTH);
    el!(tree, "h2"; {
        tree.text("Logs");
        tree.when(last_first > 0, |tree| {
            el!(tree, "input", "type" = "range", "min" = "0", "max" = last_first, "aria-label" = "First offset shown",
                "aria-valuetext" = format_args!("offset {}", table.first); {
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
                    offset_head(tree, offset, offset < table.end);
                }
                el!(tree, "th", "scope" = "col"; { tree.text("end") });
                el!(tree, "th", "scope" = "col"; { el!(tree, "abbr", "title" = "high watermark"; { tree.text("HW") }) });
            });
        });
        el!(tree, "tbody"; {
            for line in &table.rows {
                row(tree, line);
            }
        });
    });
}

fn offset_head(tree: &mut Tree, offset: u64, is_used: bool) {
    el!(tree, "th", "scope" = "col"; {
        if is_used {
            let says = format!("Record {offset}: is it committed, and why");
            el!(tree, "button", "type" = "button", "class" = "plain", "aria-label" = &says, "title" = &says; {
                tree.click(Msg::Ask(Question::WhyNotCommitted { offset }));
                say!(tree, "{offset}");
            });
        } else {
            say!(tree, "{offset}");
        }
    });
}

fn row(tree: &mut Tree, row: &LogRow) {
    el!(tree, "tr", "class" = (!row.is_up).then_some("down"); {
        el!(tree, "th", "scope" = "row"; { say!(tree, "Node {}", row.id) });
        for cell in &row.cells {
            el!(tree, "td"; {
                if let Some(cell) = cell {
                    filled(tree, cell);
                }
            });
        }
        el!(tree, "td", "class" = "count"; {
            say!(tree, "{}", row.end);
            if let Some(offset) = row.fetch_offset {
                el!(tree, "sub", "title" = format_args!("the leader saw it fetch from offset {offset}"); { say!(tree, "↑{offset}") });
            }
        });
        el!(tree, "td", "class" = "count"; {
            match row.high_watermark {
                None => tree.text("–"),
                Some(offset) => say!(tree, "{offset}"),
            }
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
        tree.text(&cell.label);
        el!(tree, "sub"; { say!(tree, "{}", cell.epoch) });
    });
}
