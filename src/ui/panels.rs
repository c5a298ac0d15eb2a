//! Everything around the stage.

use super::app::{App, Msg, Open, SPEEDS};
use super::draft::{Draft, FIELDS};
use super::keys::KEYS;
use super::logs::logs;
use super::stage::epoch_class;
use raftwerk::executor::MICROS_PER_MILLI;
use raftwerk::explain::{Explanation, Question, ask};
use raftwerk::raft::kraft::KRaft;
use raftwerk::raft::{Form, ReplicaId, RoleShape, SHUTDOWN_TIMEOUT_US};
use raftwerk::scenario::link::LinkError;
use raftwerk::session::Session;
use raftwerk::sim::{Command, EventName, Property, Sim};
use raftwerk::text::en as text;
use raftwerk::view::{PendingItem, QueuedTask, inspect, pending, tasks};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;
use yew::virtual_dom::Key;

fn button(label: &str, class: &'static str, onclick: Callback<MouseEvent>) -> Html {
    html! { <button type="button" {class} {onclick}>{ label }</button> }
}

fn send(ctx: &Context<App>, msg: fn() -> Msg) -> Callback<MouseEvent> {
    ctx.link().callback(move |_| msg())
}

/// The top of the page.
pub fn header(app: &App, ctx: &Context<App>) -> Html {
    let title = app.session().map(|session| session.settings().title.clone()).unwrap_or_default();
    let lights = app.session().map(|session| {
        let broken = session.sim().violations();
        let all = Property::ALL.len();
        match broken.first() {
            None => html! { <span class="lights">{ format!("{all} safety properties hold") }</span> },
            Some(first) => html! {
                <span class="lights broken">{ format!("{} was broken at event {}", text::property(first.property).0, first.step) }</span>
            },
        }
    });
    html! {
        <header>
            <h1>{"Raftwerk"}</h1>
            <p class="title">{ title }</p>
            <p class="protocol">{"KRaft"}</p>
            <span class="space"></span>
            { lights }
            if app.session().is_some() {
                <button type="button" class="share" onclick={send(ctx, || Msg::Share)}>{"Share"}</button>
                <button type="button" aria-expanded={(app.open() == Open::Settings).to_string()}
                    onclick={send(ctx, || Msg::ToggleSettings)}>{"Settings"}</button>
            }
            <button type="button" class="help" aria-label="Help" aria-expanded={(app.open() == Open::Help).to_string()}
                onclick={send(ctx, || Msg::ToggleHelp)}>{"?"}</button>
        </header>
    }
}

/// What is shown in place of a run when the link is bad.
pub fn bad_link(ctx: &Context<App>, error: Option<&LinkError>) -> Html {
    let (heading, says) = match error {
        None => ("Nothing to show", "The run could not be opened.".to_owned()),
        Some(LinkError::Damaged) => (
            "This link is incomplete or damaged",
            "Some of its characters are missing or changed, so nothing of it was opened. The link is still in the address bar: perhaps its end was cut off where you copied it."
                .to_owned(),
        ),
        Some(LinkError::Unknown(version)) => (
            "This link is of an unknown version",
            format!("It is whole, but was made by version {version} of this page, which is not known here. Try a newer page."),
        ),
        Some(LinkError::Invalid(error)) => (
            "This link says something that cannot be",
            format!("It is whole, but {} cannot be opened: {}.", error.path, error.says),
        ),
    };
    html! {
        <main class="bad-link" role="alert">
            <h2>{ heading }</h2>
            <p>{ says }</p>
            <p>{ button("Open the first election instead", "share", send(ctx, || Msg::StartOver)) }</p>
        </main>
    }
}

/// The sentence about the last event.
pub fn sentence(app: &App, session: &Session, explanation: &Explanation, notice: &str, was_hidden: bool) -> Html {
    let sentence = text::step(explanation);
    let answer = app.question().map(|question| text::because(question, &ask(session.sim(), question)));
    html! {
        <section class="sentence" aria-label="What happened and why">
            <p>{ &sentence.text }
                if !sentence.reference.is_empty() { {" "}<span class="reference">{ sentence.reference }</span> }
            </p>
            if let Some(answer) = answer {
                <p class="answer">{ answer.text }
                    if !answer.reference.is_empty() { {" "}<span class="reference">{ answer.reference }</span> }
                </p>
            }
            if was_hidden { <p class="notice">{"Paused while hidden."}</p> }
            if !notice.is_empty() { <p class="notice" role="alert">{ notice }</p> }
        </section>
    }
}

const CLOCK: &str = "clock";

/// Shows a time on the clock, without rendering.
pub fn draw_clock(playhead_us: u64) {
    if let Some(clock) = super::gloo_document().get_element_by_id(CLOCK) {
        clock.set_text_content(Some(&text::time(playhead_us)));
    }
}

/// The buttons that move time.
pub fn transport(app: &App, ctx: &Context<App>, session: &Session, is_playing: bool, is_passing: bool) -> Html {
    let (speed, is_quick, _) = app.choices();
    let on_speed = ctx.link().callback(|event: InputEvent| {
        let input: HtmlInputElement = event.target_unchecked_into();
        Msg::Speed(input.value().parse().unwrap_or(0))
    });
    let on_quick = ctx.link().callback(|event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        Msg::Quick(input.checked())
    });
    let play = if is_playing { "Pause" } else { "Play" };
    html! {
        <section class="transport" aria-label="Playback">
            <button type="button" aria-label="Step back" disabled={session.position() == 0}
                onclick={send(ctx, || Msg::StepBack)}><span aria-hidden="true">{"◂ "}</span>{"Back"}</button>
            <button type="button" class="play" aria-label={play} onclick={send(ctx, || Msg::PlayPause)}>
                <span aria-hidden="true">{ if is_playing { "❚❚ " } else { "▸ " } }</span>{ play }</button>
            <button type="button" aria-label="Step" onclick={send(ctx, || Msg::Step)}>{"Step"}<span aria-hidden="true">{" ▸"}</span></button>
            <output class="clock"><span id={CLOCK}></span></output>
            <span class={classes!("passing", is_passing.then_some("on"))}>{ if is_passing { "» nothing due" } else { "" } }</span>
            <span class="position">{ text::position(session.position(), session.sim().tasks_into(), session.length()) }</span>
            <span class="space"></span>
            <label class="speed">{"speed "}<span class="speed-word">{ SPEEDS[speed].1 }</span>
                <input type="range" min="0" max={(SPEEDS.len() - 1).to_string()} value={speed.to_string()}
                    aria-label="Speed" aria-valuetext={SPEEDS[speed].1} oninput={on_speed} /></label>
            <label class="quick"><input type="checkbox" checked={is_quick} onchange={on_quick} />{" skip quiet stretches"}</label>
            <button type="button" onclick={send(ctx, || Msg::Reset)}>{"Reset"}</button>
            <button type="button" onclick={send(ctx, || Msg::AnotherSeed)}>{"Another seed"}</button>
        </section>
    }
}

fn item(ctx: &Context<App>, index: usize, line: &PendingItem) -> Html {
    let event = line.name;
    let run = ctx.link().callback(move |_| Msg::Act(Command::RunNow { event }));
    let drop = match event {
        EventName::Delivery { from, to, number, is_copy } => {
            let command = Command::Drop { from, to, number, is_copy };
            let onclick = ctx.link().callback(move |_| Msg::Act(command));
            html! { <button type="button" class="plain" aria-label={format!("Drop {}", line.text)} {onclick}>{"Drop"}</button> }
        }
        EventName::Timer { .. } | EventName::Task { .. } => Html::default(),
    };
    let what = if line.is_delivery {
        let onclick = ctx.link().callback(move |_| Msg::SelectMessage(event));
        html! {
            <button type="button" class="what" title={line.key.clone()} {onclick}
                aria-label={format!("Look into {}", line.text)}>{ &line.text }</button>
        }
    } else {
        html! { <span class="what" title={line.key.clone()}>{ &line.text }</span> }
    };
    let verb = if matches!(event, EventName::Timer { .. }) { "Fire" } else { "Run" };
    html! {
        <li key={Key::from(line.key.clone())} class={classes!((index == 0).then_some("first"))} aria-label={line.text.clone()}>
            <span class={if line.is_delivery { "mark delivery" } else { "mark timer" }} aria-hidden="true"></span>
            <span class="due">{ text::time(line.at_us) }</span>
            { what }
            { drop }
            <button type="button" aria-label={format!("{verb} now: {}", line.text)} onclick={run}>{ verb }</button>
        </li>
    }
}

/// The column beside the stage.
pub fn side(app: &App, ctx: &Context<App>, session: &Session) -> Html {
    let list = pending(session);
    html! {
        <aside class="side">
            { inspector(app, ctx, session) }
            <section class="next" aria-label="What can happen next">
                <h2>{"Next"}</h2>
                <ol tabindex="0" aria-label="What can happen next, in order">
                    { for list.iter().enumerate().map(|(index, line)| item(ctx, index, line)) }
                </ol>
                if list.is_empty() { <p>{"Nothing is left to do."}</p> }
            </section>
            { logs(app, ctx, session) }
        </aside>
    }
}

fn rows(rows: &[inspect::Row]) -> Html {
    html! {
        <dl>
            { for rows.iter().map(|row| html! { <><dt>{ row.name }</dt><dd>{ &row.value }</dd></> }) }
        </dl>
    }
}

fn inspector(app: &App, ctx: &Context<App>, session: &Session) -> Html {
    if let Some(name) = app.selected_message() {
        return message(ctx, session, &name);
    }
    let Some(id) = app.selected() else {
        return html! {
            <p class="hint">{"Choose a node on the stage, or a message in the list, to look into it and to change what happens."}</p>
        };
    };
    let sim = session.sim();
    let Some(standing) = sim.standing(id) else {
        return Html::default();
    };
    let is_up = sim.replica(id).is_some();
    let fault = sim.fault(id).map(|failure| text::fault(id, failure.fault));
    let act = |command: Command| ctx.link().callback(move |_| Msg::Act(command));
    html! {
        <section class="inspector" aria-label={format!("Node {id}")}>
            <h2><span class={classes!("dot", epoch_class(standing.epoch))}></span>{ format!("Node {id}") }
                { button("Close", "plain", ctx.link().callback(|_| Msg::Select(None))) }</h2>
            { rows(&inspect::replica(sim, id)) }
            if let Some(fault) = fault { <p class="notice">{ fault }</p> }
            <p class="actions">
                if is_up {
                    { button("Append", "", act(Command::Append { replica: id, key: 1, value: session.position(), count: 1 })) }
                    if standing.role == RoleShape::Leader {
                        { button("Resign", "", act(Command::Resign { replica: id })) }
                    }
                    { button("Shut down", "", act(shutdown(id))) }
                    { button("Crash", "fault", act(Command::Crash { replica: id, keep_unflushed: false })) }
                    if standing.role != RoleShape::Leader {
                        { button("Why is it not leader?", "", ctx.link().callback(move |_| Msg::Ask(Question::WhyNotElected { replica: id }))) }
                    }
                    { button("Time out now", "", ctx.link().callback(move |_| Msg::TimeOut(id))) }
                } else {
                    { button("Restart", "", act(Command::Restart { replica: id, is_wiped: false })) }
                    { button("Restart with an empty disk", "fault", act(Command::Restart { replica: id, is_wiped: true })) }
                }
            </p>
            { followers(sim, id) }
            { executor(ctx, session, id) }
        </section>
    }
}

/// A leader's view of the others.
fn followers(sim: &Sim<KRaft>, id: ReplicaId) -> Html {
    let lines = inspect::followers(sim, id);
    if lines.is_empty() {
        return Html::default();
    }
    html! {
        <table class="followers">
            <caption>{ format!("What node {id} knows of the others") }</caption>
            <thead><tr>
                <th scope="col">{"node"}</th><th scope="col">{"fetch offset"}</th>
                <th scope="col">{"last fetch"}</th><th scope="col">{"check-quorum"}</th>
            </tr></thead>
            <tbody>
                { for lines.iter().map(|line| html! {
                    <tr>
                        <th scope="row">{ format!("{}{}", line.id, if line.is_voter { "" } else { " (observer)" }) }</th>
                        <td>{ &line.end_offset }</td><td>{ &line.fetched }</td>
                        <td>{ if !line.is_voter { "does not count" } else if line.is_counted { "has fetched" } else { "waits" } }</td>
                    </tr>
                }) }
            </tbody>
        </table>
    }
}

/// A message with all its fields.
fn message(ctx: &Context<App>, session: &Session, name: &EventName) -> Html {
    let close = button("Close", "plain", ctx.link().callback(|_| Msg::Select(None)));
    let Some((line, fields)) = inspect::message(session, name) else {
        return html! {
            <section class="inspector" aria-label="Message">
                <h2>{ text::event_name(name) }{ close }</h2>
                <p class="unit">{"It flies no more: it has arrived, or it was lost."}</p>
            </section>
        };
    };
    html! {
        <section class="inspector" aria-label="Message"><h2>{ line }{ close }</h2>{ rows(&fields) }</section>
    }
}

fn shutdown(replica: ReplicaId) -> Command {
    let timeout_ms = u32::try_from(SHUTDOWN_TIMEOUT_US / MICROS_PER_MILLI).unwrap_or(u32::MAX);
    Command::Shutdown { replica, timeout_ms }
}

/// What waits on a replica's executor, what ran last, and how to interfere.
fn executor(ctx: &Context<App>, session: &Session, id: ReplicaId) -> Html {
    let sim = session.sim();
    let Some(client) = sim.client(id) else {
        return Html::default();
    };
    let next = sim.open_on().or_else(|| sim.next_event().map(|event| event.replica));
    let (_, ran) = client.executor().counters();
    let last = sim.last_ran(id);
    let form = FORMS.iter().find(|(form, _)| *form == client.settings().form).map_or("", |(_, name)| name);
    html! {
        <section class="executor" aria-label={format!("Executor of node {id}")}>
            <h3>{"Executor"}<span class="unit">{ form }</span>
                if let Some(other) = next.filter(|&next| next != id) {
                    <span class="unit">{ format!("the next task is node {other}'s") }</span>
                }
                <button type="button" disabled={next != Some(id)} onclick={send(ctx, || Msg::StepTask)}>{"Executor step"}</button></h3>
            <p class="unit">{ match last {
                None => "No task has run yet.".to_owned(),
                Some(last) => text::last_task(last),
            } }</p>
            <p class="unit">{ text::task_counters(ran, client.empty_polls()) }</p>
            <ol tabindex="0" aria-label={format!("Tasks waiting on the executor of node {id}, in order")}>
                { for tasks(sim, id).iter().map(|task| queued(ctx, id, task)) }
            </ol>
        </section>
    }
}

fn queued(ctx: &Context<App>, replica: ReplicaId, task: &QueuedTask) -> Html {
    let Ok(number) = u32::try_from(task.number) else {
        return Html::default();
    };
    let run = ctx.link().callback(move |_| Msg::Act(Command::RunNow { event: EventName::Task { replica, number } }));
    let cancel = ctx.link().callback(move |_| Msg::Act(Command::Cancel { replica, number }));
    let line = format!("task {replica} #{number}: {}", task.text);
    html! {
        <li key={task.number.to_string()} aria-label={line.clone()}>
            <span class="due">{ text::time(task.due_us) }</span>
            <span class="what" title={line.clone()}>{ &task.text }</span>
            <button type="button" class="plain" aria-label={format!("Cancel {line}")} onclick={cancel}>{"Cancel"}</button>
            <button type="button" aria-label={format!("Run this one now: {line}")} onclick={run}>{"Run"}</button>
        </li>
    }
}

/// The forms of a client's work, as people read them.
const FORMS: [(Form, &str); 2] = [(Form::SeparateEvents, "separate events"), (Form::OnePoll, "one poll event")];

fn settings(app: &App, ctx: &Context<App>, draft: &Draft) -> Html {
    let (_, _, theme) = app.choices();
    let on_theme = ctx.link().callback(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        Msg::Theme(usize::try_from(select.selected_index()).unwrap_or(0))
    });
    let on_form = ctx.link().callback(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = usize::try_from(select.selected_index()).ok().and_then(|index| FORMS.get(index));
        Msg::Form(chosen.map_or(Form::SeparateEvents, |&(form, _)| form))
    });
    let on_voters = ctx.link().callback(|event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        Msg::AsksVoters(input.checked())
    });
    let onsubmit = ctx.link().callback(|event: SubmitEvent| {
        event.prevent_default();
        Msg::Apply
    });
    let wrong = |path: &str| draft.error.as_ref().filter(|error| error.path == path);
    html! {
        <form class="overlay" aria-label="Settings" {onsubmit}>
            <h2>{"Settings"}</h2>
            { for FIELDS.iter().enumerate().map(|(index, field)| {
                let oninput = ctx.link().callback(move |event: InputEvent| {
                    let input: HtmlInputElement = event.target_unchecked_into();
                    Msg::Edit(index, input.value())
                });
                let error = wrong(field.path);
                html! {
                    <label class="field"><span>{ field.label }</span>
                        <input type="text" inputmode="decimal" autocomplete="off" value={draft.texts[index].clone()} {oninput}
                            aria-invalid={error.is_some().to_string()} />
                        <span class="unit">{ field.unit }</span>
                        if let Some(error) = error { <span class="notice" role="alert">{ &error.says }</span> }
                    </label>
                }
            }) }
            <label class="field"><span>{"Work on executors"}</span>
                <select onchange={on_form}>
                    { for FORMS.iter().map(|&(form, name)| html! {
                        <option selected={form == draft.form}>{ name }</option>
                    }) }
                </select></label>
            <label class="field"><span>{"Ask voters for the leader"}</span>
                <input type="checkbox" checked={draft.asks_voters} onchange={on_voters} />
                <span class="unit">{"while none is known"}</span></label>
            if let Some(error) = draft.error.as_ref().filter(|error| !FIELDS.iter().any(|field| field.path == error.path)) {
                <p class="notice" role="alert">{ error.to_string() }</p>
            }
            <p class="actions">
                <button type="submit" class="play">{"Start a new run"}</button>
                { button("Close", "", ctx.link().callback(|_| Msg::Close)) }
            </p>
            <label class="field"><span>{"Colours"}</span>
                <select onchange={on_theme}>
                    { for ["as the system", "light", "dark"].iter().enumerate().map(|(index, name)| html! {
                        <option selected={index == theme}>{ *name }</option>
                    }) }
                </select></label>
        </form>
    }
}

fn share(app: &App, ctx: &Context<App>) -> Html {
    let (address, copied, field) = app.shared();
    let long = address.len() > 2_000;
    html! {
        <section class="overlay" aria-label="Share">
            <h2>{"Share this moment"}</h2>
            <p role="status">{ match copied {
                None => "Copying …",
                Some(true) => "Copied. Whoever opens the link sees the same run at this moment.",
                Some(false) => "Copy the link with your copy keys: it is selected.",
            } }</p>
            <input type="text" readonly=true aria-label="Link to this moment" value={address.to_owned()} ref={field} />
            <p class="unit">{ format!("{} characters", address.len()) }{ if long { ": some programs cut links longer than 2,000." } else { "" } }</p>
            <p class="actions">{ button("Close", "", ctx.link().callback(|_| Msg::Close)) }</p>
        </section>
    }
}

fn help(ctx: &Context<App>) -> Html {
    html! {
        <section class="overlay" aria-label="Help">
            <h2>{"Keys"}</h2>
            <dl class="keys">
                { for KEYS.iter().map(|key| html! { <><dt><kbd>{ key.shown }</kbd></dt><dd>{ key.says }</dd></> }) }
            </dl>
            <h2>{"Marks"}</h2>
            <dl class="keys">
                <dt>{"○"}</dt><dd>{"follower, or unattached (dotted)"}</dd>
                <dt>{"⬡"}</dt><dd>{"candidate; dashed: prospective, which only asks"}</dd>
                <dt>{"□"}</dt><dd>{"leader; dashed: resigned"}</dd>
                <dt>{"arc"}</dt><dd>{"how much of the node's timeout is left"}</dd>
                <dt>{"● ○ ×"}</dt><dd>{"votes, each at its voter's place on the ring: granted, not heard of, refused"}</dd>
                <dt>{"▭"}</dt><dd>{"log records in the hue of their epoch; dashed: not committed; the rule runs under what is"}</dd>
                <dt>{"table"}</dt><dd>{"solid: committed; dashed: not known to be; dotted and struck out: not in the leader's log"}</dd>
                <dt>{"lanes"}</dt><dd>{"thick: leader; middling: candidate; dashed: prospective or resigned; dotted: unattached, or down; lines are messages, as long as they fly"}</dd>
                <dt>{"→"}</dt><dd>{"request; dashed: answer; a bar at the head: refused; a cross: lost"}</dd>
            </dl>
            <p class="actions">{ button("Close", "", ctx.link().callback(|_| Msg::Close)) }</p>
        </section>
    }
}

/// What is open over the side column.
pub fn overlay(app: &App, ctx: &Context<App>) -> Html {
    match app.open() {
        Open::Nothing => Html::default(),
        Open::Help => help(ctx),
        Open::Settings => app.draft().map_or_else(Html::default, |draft| settings(app, ctx, draft)),
        Open::Share => share(app, ctx),
    }
}
