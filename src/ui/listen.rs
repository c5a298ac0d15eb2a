//! What the page listens to beyond its own elements: keys, the tab, the address, the system's wishes, and tests.

use super::app::{App, Msg};
use super::{browser, keys};
use gloo_events::EventListener;
use raftwerk::raft::Family;
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// Listens; dropping what it gives ends that.
pub fn listen(ctx: &Context<App>) -> Vec<EventListener> {
    let window = browser::window();
    let document = super::gloo_document();
    let on = |target: &web_sys::EventTarget, name: &'static str, msg: fn() -> Msg| {
        let link = ctx.link().clone();
        EventListener::new(target, name, move |_| link.send_message(msg()))
    };
    let keys = {
        let link = ctx.link().clone();
        let options = gloo_events::EventListenerOptions::enable_prevent_default();
        EventListener::new_with_options(&document, "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                return;
            };
            if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
                return;
            }
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let kind = target.as_ref().and_then(|element| element.get_attribute("type")).unwrap_or_default();
            let tag = target.map(|element| element.tag_name().to_ascii_lowercase()).unwrap_or_default();
            let key = event.key();
            // Into a slider or a box nobody writes letters.
            let is_letter = key.len() == 1 && key != " ";
            let takes_letters = !matches!(kind.as_str(), "range" | "checkbox");
            let types = matches!(tag.as_str(), "input" | "select" | "textarea") && (takes_letters || !is_letter);
            let presses =
                matches!(tag.as_str(), "button" | "a" | "summary" | "circle") && matches!(key.as_str(), " " | "Enter");
            if (types && key != "Escape") || presses {
                return;
            }
            if let Some(msg) = keys::message(&key) {
                event.prevent_default();
                link.send_message(msg);
            }
        })
    };
    let visibility = {
        let link = ctx.link().clone();
        EventListener::new(&document, "visibilitychange", move |_| {
            if super::gloo_document().visibility_state() == web_sys::VisibilityState::Hidden {
                link.send_message(Msg::Hidden);
            }
        })
    };
    // For the test of the panic page: `detail` says whether the session is borrowed at that moment.
    let panic = {
        let link = ctx.link().clone();
        EventListener::new(&document, "raftwerk:test-panic", move |event| {
            let detail = event.dyn_ref::<web_sys::CustomEvent>().and_then(|event| event.detail().as_string());
            link.send_message(Msg::Panic(detail.as_deref() == Some("borrowed")));
        })
    };
    // For `cargo xtask bench`: `detail` is how many events to run (0: measure a history), and how many microseconds from one
    // append or request to the next.
    let bench = {
        let link = ctx.link().clone();
        EventListener::new(&document, "raftwerk:bench", move |event| {
            let detail = event.dyn_ref::<web_sys::CustomEvent>().and_then(|event| event.detail().as_string());
            let mut numbers = detail.as_deref().unwrap_or_default().split(' ').map(|text| text.parse().unwrap_or(0));
            let (events, append_every_us) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            let index = numbers.next().and_then(|index| usize::try_from(index).ok());
            let family = index.and_then(|index| Family::ALL.get(index).copied()).unwrap_or(Family::ALL[0]);
            link.send_message(Msg::Bench(events, append_every_us, family));
        })
    };
    let system = |query: &str| {
        let list = window.match_media(query).ok().flatten();
        list.map(|list| on(&list, "change", || Msg::SystemChanged))
    };
    let motion = system("(prefers-reduced-motion: reduce)");
    let mut all = vec![
        keys,
        visibility,
        panic,
        bench,
        on(&window, "hashchange", || Msg::Navigated),
        on(&window, "pagehide", || Msg::Leaving),
        on(&window, "resize", || Msg::Resized),
    ];
    all.extend(motion);
    all
}

/// Listens to what `www/outside.js` sends: files, drops, pastes, and a host page's messages.
pub fn outside(ctx: &Context<App>) -> [EventListener; 3] {
    let on = |name: &'static str, msg: fn(String) -> Msg| {
        let link = ctx.link().clone();
        EventListener::new(&super::gloo_document(), name, move |event| {
            let detail = event.dyn_ref::<web_sys::CustomEvent>().and_then(|event| event.detail().as_string());
            link.send_message(msg(detail.unwrap_or_default()));
        })
    };
    [on("raftwerk:open", Msg::OpenText), on("raftwerk:open-failed", Msg::Failed), on("raftwerk:host", Msg::Host)]
}
