//! The log table beside the stage.

use super::app::{App, Msg};
use super::stage::epoch_class;
use raftwerk::explain::Question;
use raftwerk::session::Session;
use raftwerk::text::en as text;
use raftwerk::view::{Cell, CellState, LogRow, log_table};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// How many offsets are shown at once.
const WIDTH: u64 = 7;

/// The table, with a slider once it does not show everything.
pub fn logs(app: &App, ctx: &Context<App>, session: &Session) -> Html {
    let table = log_table(session.sim(), app.first_offset(), WIDTH);
    let last_first = table.end.saturating_sub(WIDTH);
    let on_scroll = ctx.link().callback(move |event: InputEvent| {
        let input: HtmlInputElement = event.target_unchecked_into();
        let first = input.value().parse().unwrap_or(0);
        // At the right end it follows the run.
        Msg::FirstOffset((first < last_first).then_some(first))
    });
    html! {
        <section class="logs" aria-label="Logs">
            <h2>{"Logs"}
                if last_first > 0 {
                    <input type="range" min="0" max={last_first.to_string()} value={table.first.to_string()}
                        aria-label="First offset shown" aria-valuetext={format!("offset {}", table.first)} oninput={on_scroll} />
                }
            </h2>
            <table>
                <thead><tr>
                    <td></td>
                    { for (table.first..table.first + WIDTH).map(|offset| offset_head(ctx, offset, offset < table.end)) }
                    <th scope="col">{"end"}</th><th scope="col"><abbr title="high watermark">{"HW"}</abbr></th>
                </tr></thead>
                <tbody>{ for table.rows.iter().map(row) }</tbody>
            </table>
        </section>
    }
}

fn offset_head(ctx: &Context<App>, offset: u64, is_used: bool) -> Html {
    if !is_used {
        return html! { <th scope="col" class="unused">{ offset }</th> };
    }
    let onclick = ctx.link().callback(move |_| Msg::Ask(Question::WhyNotCommitted { offset }));
    let says = format!("Record {offset}: is it committed, and why");
    html! {
        <th scope="col"><button type="button" class="plain" aria-label={says.clone()} title={says} {onclick}>{ offset }</button></th>
    }
}

fn row(row: &LogRow) -> Html {
    html! {
        <tr class={(!row.is_up).then_some("down")}>
            <th scope="row">{ format!("Node {}", row.id) }</th>
            { for row.cells.iter().map(|cell| match cell {
                None => html! { <td></td> },
                Some(cell) => filled(cell),
            }) }
            <td class="count" title={row.fetch_offset.map(|offset| format!("the leader saw it fetch at {offset}"))}>{ row.end }</td>
            <td class="count">{ row.high_watermark.map_or_else(|| "–".to_owned(), |offset| offset.to_string()) }</td>
        </tr>
    }
}

fn filled(cell: &Cell) -> Html {
    let state = match cell.state {
        CellState::Uncommitted => "open",
        CellState::Committed => "committed",
        CellState::WillGo => "will-go",
    };
    html! {
        <td><span class={classes!("record", state, epoch_class(cell.epoch))} title={text::record(&cell.says, cell.epoch, cell.state == CellState::Committed, cell.state == CellState::WillGo)}>
            { &cell.label }<sub>{ cell.epoch }</sub></span></td>
    }
}
