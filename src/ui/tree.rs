//! Draws the page's tree: elements are opened, given attributes and text, and closed, in the order of the page.
//!
//! The nodes are the ones `html!` would make. The macro writes the construction of each element out where it stands,
//! half a kilobyte apiece; here an element is a call, and so is an attribute, and the views take a fifth of the code.
//!
//! Holds always: an element's attributes are the same ones whenever it is drawn, so that two drawings are compared value
//! by value; text is only ever text; what is there only sometimes stands in a [`Tree::group`], so that its neighbours
//! keep their places, and with them the focus.

use super::app::{App, Msg};
use super::held::Parts;
use super::prefs::PANELS;
use raftwerk::view::Px;
use std::fmt::Arguments;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::html::Scope;
use yew::virtual_dom::{AttributeOrProperty, Attributes, Key, Listener, ListenerKind, VList, VNode, VTag, VText};
use yew::{AttrValue, Html, NodeRef};

/// Draws an element: its tag, its attributes, and in braces what it does and what stands inside it.
macro_rules! el {
    ($tree:expr, $tag:literal $(, $key:literal = $value:expr)* $(,)? $(; $inside:block)?) => {{
        $tree.open($tag, const { &[$($key),*] });
        $($crate::ui::tree::Attr::put($value, $tree);)*
        $($inside)?
        $tree.close();
    }};
}

/// Says something with values in it.
macro_rules! say {
    ($tree:expr, $($what:tt)*) => { $tree.write(format_args!($($what)*)) };
}

pub(super) use {el, say};

/// An element that is not closed yet, or a group.
#[derive(Default)]
struct Open {
    tag: Option<VTag>,
    keys: &'static [&'static str],
    values: Vec<Option<AttributeOrProperty>>,
    children: Vec<VNode>,
}

/// The tree while it is drawn.
pub struct Tree {
    page: Scope<App>,
    open: Vec<Open>,
}

/// What an attribute can be set to.
pub trait Attr {
    /// Sets the next attribute of the element that is open.
    fn put(self, tree: &mut Tree);
}

impl Attr for &'static str {
    #[inline(never)]
    fn put(self, tree: &mut Tree) {
        tree.push(Some(AttributeOrProperty::Static(self)));
    }
}

impl Attr for &String {
    #[inline(never)]
    fn put(self, tree: &mut Tree) {
        tree.push(Some(AttributeOrProperty::Attribute(AttrValue::from(self.clone()))));
    }
}

impl Attr for String {
    #[inline(never)]
    fn put(self, tree: &mut Tree) {
        tree.push(Some(AttributeOrProperty::Attribute(AttrValue::from(self))));
    }
}

impl Attr for Arguments<'_> {
    #[inline(never)]
    fn put(self, tree: &mut Tree) {
        self.to_string().put(tree);
    }
}

/// A length of a drawing.
impl Attr for f64 {
    #[inline(never)]
    fn put(self, tree: &mut Tree) {
        Px(self).to_string().put(tree);
    }
}

impl Attr for u64 {
    #[inline(never)]
    fn put(self, tree: &mut Tree) {
        self.to_string().put(tree);
    }
}

/// An attribute that is there or not.
impl Attr for bool {
    #[inline(never)]
    fn put(self, tree: &mut Tree) {
        tree.push(self.then_some(AttributeOrProperty::Static("")));
    }
}

impl<T: Attr> Attr for Option<T> {
    fn put(self, tree: &mut Tree) {
        match self {
            Some(value) => value.put(tree),
            None => tree.push(None),
        }
    }
}

/// For attributes that say so in words.
pub const fn truth(is_so: bool) -> &'static str {
    if is_so { "true" } else { "false" }
}

/// Classes that are there or not, after one that always is.
#[inline(never)]
pub fn classes(first: &str, more: &[(&str, bool)]) -> String {
    let mut all = first.to_owned();
    for (class, _) in more.iter().filter(|(_, is_on)| *is_on) {
        all.push(' ');
        all.push_str(class);
    }
    all
}

/// What makes a message of an event, or not.
type Ear = dyn Fn(&web_sys::Event) -> Option<Msg>;

/// What a listener does.
enum Does {
    Send(Msg),
    Read(Box<dyn Fn(String) -> Msg>),
    Hear(Box<Ear>),
}

struct Listens {
    kind: ListenerKind,
    page: Scope<App>,
    does: Does,
}

impl Listener for Listens {
    fn kind(&self) -> ListenerKind {
        self.kind.clone()
    }

    fn handle(&self, event: web_sys::Event) {
        let msg = match &self.does {
            Does::Send(msg) => Some(msg.clone()),
            Does::Read(read) => event.target().map(|target| {
                let target = target.unchecked_into::<HtmlInputElement>();
                read(match target.type_().as_str() {
                    "checkbox" => truth(target.checked()).to_owned(),
                    _ => target.value(),
                })
            }),
            Does::Hear(hear) => hear(&event),
        };
        if let Some(msg) = msg {
            self.page.send_message(msg);
        }
    }

    fn passive(&self) -> bool {
        false
    }
}

impl Tree {
    /// An empty tree, whose listeners send to the page.
    pub fn new(page: Scope<App>) -> Self {
        Self { page, open: vec![Open::default()] }
    }

    /// What was drawn.
    pub fn finish(mut self) -> Html {
        self.open.pop().map_or_else(Html::default, |open| VList::with_children(open.children, None).into())
    }

    fn last(&mut self) -> &mut Open {
        self.open.last_mut().expect("the outermost group stays open")
    }

    fn push(&mut self, value: Option<AttributeOrProperty>) {
        self.last().values.push(value);
    }

    /// Opens an element; its values follow in the order of the keys.
    #[inline(never)]
    pub fn open(&mut self, tag: &'static str, keys: &'static [&'static str]) {
        self.open.push(Open { tag: Some(VTag::new(tag)), keys, ..Open::default() });
    }

    /// Closes what was opened last.
    #[inline(never)]
    pub fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let node = match open.tag {
            None => VList::with_children(open.children, None).into(),
            Some(mut tag) => {
                let values = open.values.into_boxed_slice();
                tag.set_attributes(Attributes::Dynamic { keys: open.keys, values });
                // As a list of its own: an only child and one of several are then the same to the comparison.
                if !open.children.is_empty() {
                    tag.add_children(open.children);
                }
                VNode::VTag(Rc::new(tag))
            }
        };
        self.last().children.push(node);
    }

    /// Draws a part of the page, or what was drawn of it under the same stamp; see [`Parts`].
    pub fn part(&mut self, parts: &Parts, number: usize, stamp: u64, draw: impl FnOnce(&mut Self)) {
        let node = parts.part(number, stamp, Self::new(self.page.clone()), draw);
        self.last().children.push(node);
    }

    /// Draws something that is there only sometimes, or several things of one kind.
    pub fn group(&mut self, draw: impl FnOnce(&mut Self)) {
        self.open.push(Open::default());
        draw(self);
        self.close();
    }

    /// Draws something only if it is so, and keeps its place if not.
    pub fn when(&mut self, is_so: bool, draw: impl FnOnce(&mut Self)) {
        self.open.push(Open::default());
        if is_so {
            draw(self);
        }
        self.close();
    }

    /// Says something.
    #[inline(never)]
    pub fn text(&mut self, text: &str) {
        self.last().children.push(VText::new(text.to_owned()).into());
    }

    /// Says something with values in it; see `say!`.
    #[inline(never)]
    pub fn write(&mut self, text: Arguments<'_>) {
        self.last().children.push(VText::new(text.to_string()).into());
    }

    /// An element with nothing but a text.
    #[inline(never)]
    pub fn leaf(&mut self, tag: &'static str, class: Option<&'static str>, text: &str) {
        self.open(tag, const { &["class"] });
        class.put(self);
        self.text(text);
        self.close();
    }

    fn tag(&mut self) -> &mut VTag {
        self.last().tag.as_mut().expect("an element is open")
    }

    /// The key by which the open element is known among its siblings.
    #[inline(never)]
    pub fn key(&mut self, key: &str) {
        self.tag().key = Some(Key::from(key.to_owned()));
    }

    /// Where the open element can be found once it is drawn.
    pub fn found(&mut self, at: NodeRef) {
        self.tag().node_ref = at;
    }

    /// The text in the open field.
    #[inline(never)]
    pub fn value(&mut self, text: &str) {
        self.tag().set_value(AttrValue::from(text.to_owned()));
    }

    /// Whether the open box is ticked.
    pub fn ticked(&mut self, is_ticked: bool) {
        self.tag().set_checked(is_ticked);
    }

    #[inline(never)]
    fn listen(&mut self, kind: ListenerKind, does: Does) {
        let page = self.page.clone();
        self.tag().add_listener(Rc::new(Listens { kind, page, does }));
    }

    /// Sends a message when the open element is clicked, or pressed with a key if it is a button.
    #[inline(never)]
    pub fn click(&mut self, msg: Msg) {
        self.listen(ListenerKind::onclick, Does::Send(msg));
    }

    /// Sends what is typed, chosen or ticked ("true" or "false"), with each change.
    pub fn read(&mut self, msg: impl Fn(String) -> Msg + 'static) {
        self.listen(ListenerKind::oninput, Does::Read(Box::new(msg)));
    }

    /// Sends what is typed once it is settled: when the field is left, or on Enter.
    pub fn settle(&mut self, msg: impl Fn(String) -> Msg + 'static) {
        self.listen(ListenerKind::onchange, Does::Read(Box::new(msg)));
    }

    /// Listens to events of a kind.
    pub fn hear<E: JsCast>(&mut self, kind: ListenerKind, msg: impl Fn(&E) -> Option<Msg> + 'static) {
        self.listen(kind, Does::Hear(Box::new(move |event| event.dyn_ref::<E>().and_then(&msg))));
    }

    /// A button whose text is short and whose name says more.
    #[inline(never)]
    pub fn named(&mut self, label: &str, name: &str, class: &'static str, msg: Msg) {
        el!(self, "button", "type" = "button", "class" = class, "aria-label" = name.to_owned(); {
            self.click(msg);
            self.text(label);
        });
    }

    /// A button with a sign, and its name on hovering.
    #[inline(never)]
    pub fn icon(&mut self, sign: &str, name: &'static str, msg: Msg) {
        el!(self, "button", "type" = "button", "class" = "plain icon", "aria-label" = name, "title" = name; {
            self.click(msg);
            self.text(sign);
        });
    }

    /// The button that hides a panel.
    pub fn hide(&mut self, panel: usize) {
        let name = format!("Hide {}", PANELS[panel]);
        el!(self, "button", "type" = "button", "class" = "plain icon hide", "aria-label" = &name, "title" = &name; {
            self.click(Msg::HidePanel(panel));
            self.text("×");
        });
    }

    /// A box to tick, with its label.
    pub fn tick(&mut self, label: &str, is_ticked: bool, msg: impl Fn(String) -> Msg + 'static) {
        el!(self, "label", "class" = "tick-box"; {
            el!(self, "input", "type" = "checkbox"; {
                self.ticked(is_ticked);
                self.read(msg);
            });
            self.text(label);
        });
    }

    /// A list to choose from. Without a label it stands in one.
    pub fn choose(
        &mut self,
        label: Option<&'static str>,
        names: impl IntoIterator<Item = String>,
        chosen: usize,
        msg: impl Fn(usize) -> Msg + 'static,
    ) {
        el!(self, "select", "aria-label" = label; {
            self.read(move |value| msg(value.parse().unwrap_or(0)));
            for (index, name) in names.into_iter().enumerate() {
                el!(self, "option", "value" = index as u64, "selected" = index == chosen; { self.text(&name) });
            }
        });
    }

    /// A button with a text and what it sends.
    #[inline(never)]
    pub fn button(&mut self, label: &str, class: &'static str, msg: Msg) {
        el!(self, "button", "type" = "button", "class" = class; {
            self.click(msg);
            self.text(label);
        });
    }
}
