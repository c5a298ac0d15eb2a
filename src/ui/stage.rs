//! The stage as SVG.

use super::app::{App, Msg};
use super::frame::{head_transform, label_transform};
use raftwerk::raft::{ReplicaId, RoleShape};
use raftwerk::view::{Arrow, Extent, LinkLine, NodeView, Px, StageView, arc_path, shape_path};
use yew::prelude::*;
use yew::virtual_dom::Key;

/// The class that gives an epoch its hue; see `epochs.css`.
pub fn epoch_class(epoch: u32) -> String {
    format!("e{}", epoch % 144)
}

fn role_class(role: Option<RoleShape>) -> &'static str {
    match role {
        None => "crashed",
        Some(RoleShape::Unattached) => "unattached",
        Some(RoleShape::Prospective) => "prospective",
        Some(RoleShape::Candidate) => "candidate",
        Some(RoleShape::Leader) => "leader",
        Some(RoleShape::Follower) => "follower",
        Some(RoleShape::Resigned) => "resigned",
    }
}

fn key_of(text: &str) -> Key {
    Key::from(text.to_owned())
}

fn arrow(arrow: &Arrow, playhead_us: u64) -> Html {
    let (x, y, _) = arrow.head(playhead_us);
    let class = classes!(
        "arrow",
        epoch_class(arrow.epoch),
        arrow.is_answer.then_some("answer"),
        arrow.is_refused.then_some("refused"),
        arrow.is_quiet.then_some("quiet"),
        arrow.is_lost.then_some("lost"),
        arrow.is_copy.then_some("copy"),
        arrow.is_loop.then_some("loop"),
    );
    #[expect(clippy::cast_precision_loss, reason = "a label is short")]
    let width = arrow.label.chars().count() as f64 * 5.9 + 12.0;
    html! {
        <g key={key_of(&arrow.key)} {class}>
            <line class="trail" x1={fmt(arrow.from.0)} y1={fmt(arrow.from.1)} x2={fmt(x)} y2={fmt(y)} />
            <g transform={head_transform(arrow, playhead_us)}>
                if arrow.is_lost {
                    <path class="cross" d="M-6 -6L6 6M-6 6L6 -6" />
                } else {
                    <path class="head" d="M5 0L-7 -5L-4 0L-7 5Z" />
                    if arrow.is_refused {
                        <path class="bar" d="M9 -6V6" />
                    }
                }
            </g>
            <g transform={label_transform(arrow, playhead_us)}>
                <rect class="pill" x={fmt(-width / 2.0)} y="-9" width={fmt(width)} height="17" rx="4" />
                <text class="label" y="3.5">{&arrow.label}</text>
            </g>
        </g>
    }
}

fn fmt(value: f64) -> String {
    Px(value).to_string()
}

fn strip(node: &NodeView) -> Html {
    if node.strip.is_empty() {
        return Html::default();
    }
    #[expect(clippy::cast_precision_loss, reason = "at most six boxes")]
    let at = |index: usize| (index as f64 - node.strip.len() as f64 / 2.0) * 13.0;
    let committed = node.strip.iter().filter(|(_, is_committed)| *is_committed).count();
    html! {
        <g class="strip" transform={format!("translate(0 {})", Px(node.radius + 16.0))}>
            { for node.strip.iter().enumerate().map(|(index, (epoch, is_committed))| html! {
                <rect class={classes!("entry", epoch_class(*epoch), (!is_committed).then_some("open"))}
                    x={fmt(at(index))} y="0" width="11" height="11" rx="2" />
            }) }
            if committed > 0 {
                <line class="commit" x1={fmt(at(0))} x2={fmt(at(committed) - 2.0)} y1="15" y2="15" />
            }
        </g>
    }
}

fn node(app: &App, ctx: &Context<App>, view: &NodeView) -> Html {
    let id = view.id;
    let select = ctx.link().callback(move |_: MouseEvent| Msg::Select(Some(id)));
    let press = ctx.link().batch_callback(move |event: KeyboardEvent| {
        matches!(event.key().as_str(), "Enter" | " ").then(|| {
            event.prevent_default();
            event.stop_propagation();
            Msg::Select(Some(id))
        })
    });
    let is_selected = app.selected() == Some(id);
    let badge = format!("e{}", view.epoch);
    #[expect(clippy::cast_precision_loss, reason = "a badge is short")]
    let badge_width = badge.len() as f64 * 7.0 + 12.0;
    let corner = view.radius * 0.74;
    let small = view.radius < 25.0;
    html! {
        <g key={key_of(&view.number)} class={classes!("replica", role_class(view.role), epoch_class(view.epoch),
                is_selected.then_some("selected"))}
            transform={format!("translate({} {})", Px(view.x), Px(view.y))}>
            <g aria-hidden="true">
            <path class="body" d={shape_path(view.role, view.radius)} />
            { for view.votes.iter().map(|vote| html! {
                <circle class={classes!("vote", match vote.answer {
                    Some(true) => "granted", Some(false) => "refused", None => "unheard" })}
                    cx={fmt(vote.x)} cy={fmt(vote.y)} r="4" />
            }) }
            if view.role.is_none() {
                <path class="cross" d="M-14 -14L14 14M-14 14L14 -14" />
                <text class="word below" y={fmt(view.radius + 16.0)}>{format!("{} · {}", view.number, view.word)}</text>
            } else if small {
                <text class="number small" y="5">{&view.number}</text>
            } else {
                <text class="number" y="2">{&view.number}</text>
                <text class="word" y="17">{view.word}</text>
            }
            if view.role.is_some() {
                <g transform={format!("translate({} {})", Px(corner), Px(-corner - 4.0))}>
                    <rect class="badge" x="-8" y="-9" width={fmt(badge_width)} height="18" rx="9" />
                    <text class="badge-text" x={fmt(badge_width / 2.0 - 8.0)} y="4">{badge}</text>
                </g>
                { strip(view) }
            }
            </g>
            <circle class="node" r={fmt(view.radius + 15.0)} role="button" tabindex="0"
                aria-label={view.name.clone()} aria-pressed={is_selected.to_string()}
                onclick={select} onkeydown={press} />
        </g>
    }
}

fn link(line: &LinkLine) -> Html {
    let middle = (f64::midpoint(line.from.0, line.to.0), f64::midpoint(line.from.1, line.to.1));
    html! {
        <g key={key_of(&line.key)} class="link cut">
            <line x1={fmt(line.from.0)} y1={fmt(line.from.1)} x2={fmt(line.to.0)} y2={fmt(line.to.1)} />
            <path class="cross" transform={format!("translate({} {})", Px(middle.0), Px(middle.1))} d="M-5 -5L5 5M-5 5L5 -5" />
        </g>
    }
}

/// The text alternative of the drawing.
fn table(view: &StageView) -> Html {
    html! {
        <div class="unseen"><table>
            <caption>{"The nodes"}</caption>
            <thead><tr><th scope="col">{"Node"}</th><th scope="col">{"Role"}</th><th scope="col">{"Epoch"}</th>
                <th scope="col">{"End offset"}</th><th scope="col">{"High watermark"}</th></tr></thead>
            <tbody>
                { for view.nodes.iter().map(|node| html! {
                    <tr><th scope="row">{&node.number}</th><td>{node.word}</td><td>{node.epoch}</td>
                        <td>{node.end_offset}</td>
                        <td>{node.committed.map_or_else(|| "unknown".to_owned(), |hw| hw.to_string())}</td></tr>
                }) }
            </tbody>
        </table></div>
    }
}

/// The whole stage.
pub fn stage(app: &App, ctx: &Context<App>, view: &StageView, extent: Extent, playhead_us: u64) -> Html {
    let chosen: Option<ReplicaId> = app.selected();
    html! {
        <section class="stage" aria-label="Stage">
            <svg viewBox={format!("0 0 {} {}", Px(extent.width), Px(extent.height))} role="group" aria-label="Cluster"
                data-chosen={chosen.map(|id| id.to_string())}>
                <g>{ for view.links.iter().map(link) }</g>
                <g ref={app.timer_layer()} class="timers" aria-hidden="true">
                    { for view.nodes.iter().map(|line| html! {
                        <g key={key_of(&line.number)} transform={format!("translate({} {})", Px(line.x), Px(line.y))}>
                            <circle class={if line.role.is_some() { "dial" } else { "dial off" }} r={fmt(line.radius + 9.0)} />
                            <path class="arc" d={arc_path(line.radius + 9.0, line.timer_left(playhead_us))} />
                        </g>
                    }) }
                </g>
                <g>{ for view.nodes.iter().map(|line| node(app, ctx, line)) }</g>
                <g ref={app.message_layer()} class="messages" aria-hidden="true">
                    { for view.arrows.iter().map(|line| arrow(line, playhead_us)) }
                </g>
            </svg>
            { table(view) }
        </section>
    }
}
