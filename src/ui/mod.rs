//! The page, in Yew.
//!
//! One component ([`App`](app::App)) owns the session; everything else is a function of it. Steps re-render; between
//! steps one animation-frame loop moves what flies ([`frame`]) and nothing else runs. While nothing moves, no frame is
//! asked for.

mod app;
mod branches;
mod browser;
mod clients;
mod diagram;
mod doing;
mod draft;
mod events;
mod faults;
mod frame;
mod go;
mod held;
mod host;
mod inspector;
mod keys;
mod later;
mod listen;
mod logs;
mod looking;
mod opening;
mod overlays;
mod own;
mod panels;
mod playback;
mod pointers;
mod prefs;
mod safety;
mod share;
mod stage;
mod tree;
mod typed;

/// Mounts the page.
pub fn mount() {
    browser::report_panics();
    if let Some(root) = gloo_document().get_element_by_id("page") {
        yew::Renderer::<app::App>::with_root(root).render();
    }
}

/// The document.
fn gloo_document() -> web_sys::Document {
    web_sys::window().and_then(|window| window.document()).expect("a page has a document")
}
