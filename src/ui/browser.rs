//! What the page needs of the browser: storage, address, clipboard, preferences, and telling `boot.js`.

use super::gloo_document;
use wasm_bindgen::{JsCast, JsValue};

/// Under which the last run is kept.
pub const RUN: &str = "raftwerk.run.1";
/// Under which earlier ones are kept, a line each, the newest first.
pub const EARLIER: &str = "raftwerk.earlier.1";
/// Under which the choices about the page are kept.
pub const PREFS: &str = "raftwerk.page.0";

/// The window.
pub fn window() -> web_sys::Window {
    web_sys::window().expect("a page has a window")
}

/// The fragment of the address, `#` included.
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// The address without its fragment.
pub fn address() -> String {
    let href = window().location().href().unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// The address without query and fragment.
pub fn page() -> String {
    address().split('?').next().unwrap_or_default().to_owned()
}

/// Puts a fragment into the address bar without a history entry. A refusal changes nothing.
pub fn show_fragment(fragment: &str) {
    if let Ok(history) = window().history() {
        let target = if fragment.is_empty() { address() } else { format!("#{fragment}") };
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&target));
    }
}

/// Where things are kept; a figure in another page keeps nothing.
fn storage() -> Option<web_sys::Storage> {
    if is_embedded() { None } else { window().local_storage().ok().flatten() }
}

/// What was kept under a key at the last visit.
pub fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Keeps something for the next visit. False if there is no room for it; without storage nothing is ever too much.
pub fn store(key: &str, text: &str) -> bool {
    storage().is_none_or(|storage| storage.set_item(key, text).is_ok())
}

/// Whether the page is a figure in another page.
pub fn is_embedded() -> bool {
    let query = window().location().search().unwrap_or_default();
    query.trim_start_matches('?').split('&').any(|part| part == "embed" || part.starts_with("embed="))
}

/// Sends an event to whoever listens on the document.
pub fn tell(name: &str, detail: &str) {
    let init = web_sys::CustomEventInit::new();
    init.set_detail(&JsValue::from_str(detail));
    if let Ok(event) = web_sys::CustomEvent::new_with_event_init_dict(name, &init) {
        let _ = gloo_document().dispatch_event(&event);
    }
}

/// Gives `boot.js` the run as it stands, for the panic page.
pub fn hand_over(fragment: &str) {
    tell("raftwerk:record", fragment);
}

/// Lets `boot.js` know what a panic said. It holds no borrow and reads no state of ours.
pub fn report_panics() {
    yew::set_custom_panic_hook(Box::new(|info| tell("raftwerk:panic", &info.to_string())));
}

/// Whether a media query holds.
pub fn matches(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|list| list.matches())
}

/// Where an element is in the window: left, top, width, height.
pub fn place_of(selector: &str) -> Option<[f64; 4]> {
    let rect = gloo_document().query_selector(selector).ok().flatten()?.get_bounding_client_rect();
    (rect.width() > 0.0).then(|| [rect.left(), rect.top(), rect.width(), rect.height()])
}

/// Moves the focus to an element, if it is there. Text that is only to be read is selected: it is there to be copied.
pub fn focus(selector: &str) {
    let Some(element) = gloo_document().query_selector(selector).ok().flatten() else { return };
    let _ = element.unchecked_ref::<web_sys::HtmlElement>().focus();
    if let Some(field) = element.dyn_ref::<web_sys::HtmlInputElement>().filter(|field| field.read_only()) {
        field.select();
    }
}

/// Whether the focus is in a field.
pub fn is_in_field() -> bool {
    gloo_document().active_element().is_some_and(|element| element.matches("input, select").unwrap_or(false))
}

/// Begins to copy text. Pages that are not secure have no clipboard, and some that have one refuse at once.
pub fn copy(text: &str) -> Option<js_sys::Promise> {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into()).ok()?;
    let write = js_sys::Reflect::get(&clipboard, &"writeText".into()).ok()?.dyn_into::<js_sys::Function>().ok()?;
    write.call1(&clipboard, &text.into()).ok().map(|answer| js_sys::Promise::resolve(&answer))
}

/// Milliseconds since the page was opened.
pub fn now_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// A seed nobody chose.
pub fn fresh_seed() -> u64 {
    let part = || (js_sys::Math::random() * f64::from(u32::MAX)).floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 2^32")]
    let part = || part() as u64;
    part() % 1_000_000
}

/// Names the tab after a run.
pub fn set_title(title: &str) {
    gloo_document().set_title(&if title.is_empty() { "Raftwerk".to_owned() } else { format!("{title} · Raftwerk") });
}

/// Sets the colour scheme; an empty one follows the system.
pub fn set_theme(theme: &str) {
    if let Some(root) = gloo_document().document_element() {
        let _ = root.set_attribute("data-theme", theme);
    }
}

/// Says, for tests and styles, that all of the page is loaded.
pub fn say_whole() {
    if let Some(page) = gloo_document().document_element() {
        let _ = page.set_attribute("data-whole", "");
        tell("raftwerk:whole", "");
    }
}
