//! The space-time diagram below the stage: it is the timeline.

use super::app::{App, Msg};
use super::stage::epoch_class;
use raftwerk::raft::RoleShape;
use raftwerk::text::en as text;
use raftwerk::view::{Diagram, HEAD, LANE, Lane, Line, MARGIN, Px, between};
use yew::prelude::*;
use yew::virtual_dom::Key;

/// The lengths of time that can be shown, in microseconds, and how they are named. The last is everything.
pub const SPANS: [(Option<u64>, &str); 5] = [
    (Some(300_000), "0.3 s"),
    (Some(1_500_000), "1.5 s"),
    (Some(6_000_000), "6 s"),
    (Some(30_000_000), "30 s"),
    (None, "everything"),
];

const NOW: &str = "now-line";

/// Moves the line of the present, without rendering.
pub fn draw_now(diagram: &Diagram, playhead_us: u64) {
    if let Some(line) = super::gloo_document().get_element_by_id(NOW) {
        let x = Px(between(diagram.x(playhead_us), MARGIN, diagram.size.0)).to_string();
        let _ = line.set_attribute("transform", &format!("translate({x} 0)"));
    }
}

fn role_class(role: Option<RoleShape>) -> &'static str {
    match role {
        None => "down",
        Some(RoleShape::Leader) => "leader",
        Some(RoleShape::Candidate) => "candidate",
        Some(RoleShape::Prospective) => "prospective",
        Some(RoleShape::Resigned) => "resigned",
        Some(RoleShape::Follower) => "follower",
        Some(RoleShape::Unattached) => "unattached",
    }
}

fn lane(lane: &Lane) -> Html {
    html! {
        <g key={lane.id.to_string()} class="lane">
            <text class="lane-name" x="0" y={Px(lane.y + 4.0).to_string()}>{ format!("Node {}", lane.id) }</text>
            { for lane.stretches.iter().map(|stretch| html! {
                <line class={classes!("stretch", role_class(stretch.role), epoch_class(stretch.epoch))}
                    x1={Px(stretch.x.0).to_string()} x2={Px(stretch.x.1).to_string()}
                    y1={Px(lane.y).to_string()} y2={Px(lane.y).to_string()} />
            }) }
        </g>
    }
}

fn line(line: &Line) -> Html {
    html! {
        <line key={Key::from(line.key.clone())}
            class={classes!("flight", epoch_class(line.epoch), line.is_answer.then_some("answer"),
                line.is_lost.then_some("lost"), line.is_quiet.then_some("quiet"))}
            x1={Px(line.from.0).to_string()} y1={Px(line.from.1).to_string()}
            x2={Px(line.to.0).to_string()} y2={Px(line.to.1).to_string()}>
            <title>{ &line.says }</title>
        </line>
    }
}

/// The diagram with its scrubber.
pub fn diagram(app: &App, ctx: &Context<App>, diagram: &Diagram) -> Html {
    let (width, height) = diagram.size;
    let seek = |event: &MouseEvent| Msg::SeekAt(event.client_x());
    let onmousedown = ctx.link().callback(move |event: MouseEvent| seek(&event));
    let onmousemove =
        ctx.link().batch_callback(move |event: MouseEvent| (event.buttons() & 1 == 1).then(|| seek(&event)));
    let (position, length) = app.session().map_or((0, 0), |session| (session.position(), session.length()));
    let onslide = ctx.link().callback(|event: InputEvent| {
        let input: web_sys::HtmlInputElement = event.target_unchecked_into();
        Msg::Seek(input.value().parse().unwrap_or(0))
    });
    let time = app.session().map(|session| text::time(session.playhead_us())).unwrap_or_default();
    let zoom = |by: i8| ctx.link().callback(move |_| Msg::Zoom(by));
    let bottom = HEAD + LANE * f64::from(u8::try_from(diagram.lanes.len()).unwrap_or(u8::MAX));
    html! {
        <section class="time" aria-label="Time">
            <p class="time-tools">
                <label>{"event "}<input type="range" class="scrub" min="0" max={length.to_string()} value={position.to_string()}
                    aria-label="Event" aria-valuetext={format!("event {position} of {length}, at {time}")} oninput={onslide} /></label>
                <span class="space"></span>
                <button type="button" class="plain" aria-label="Zoom in" onclick={zoom(-1)}>{"+"}</button>
                <span class="unit">{ SPANS[app.span()].1 }</span>
                <button type="button" class="plain" aria-label="Zoom out" onclick={zoom(1)}>{"−"}</button>
            </p>
            <svg class="diagram" viewBox={format!("0 0 {} {}", Px(width), Px(height))} role="img" {onmousedown} {onmousemove}
                aria-label="Messages and roles over time; the slider above goes to any event">
                { for diagram.ticks.iter().map(|tick| html! {
                    <g key={tick.label.clone()}>
                        <line class="tick" x1={Px(tick.x).to_string()} x2={Px(tick.x).to_string()} y1={Px(HEAD).to_string()} y2={Px(bottom).to_string()} />
                        <text class="tick-label" x={Px(tick.x).to_string()} y="12">{ &tick.label }</text>
                    </g>
                }) }
                { for diagram.lanes.iter().map(lane) }
                <g>{ for diagram.lines.iter().map(line) }</g>
                <g id={NOW}><line class="now" x1="0" x2="0" y1="14" y2={Px(bottom).to_string()} /><path class="now-head" d="M-6 6H6L0 15Z" /></g>
            </svg>
        </section>
    }
}
