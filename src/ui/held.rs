//! A part of the page that is drawn again only when its stamp changes.
//!
//! While a run plays, the stage changes with each frame and everything else a few times a second; comparing all of it with
//! itself sixty times a second would take most of a frame.

use super::tree::Tree;
use std::cell::RefCell;
use yew::prelude::*;
use yew::virtual_dom::{VChild, VNode};

/// The numbers of parts beyond the panels, whose numbers are those of [`PANELS`](super::prefs::PANELS).
pub const HEADER: usize = 5;
/// See [`HEADER`].
pub const TOOLS: usize = 6;
/// See [`HEADER`].
pub const TABLE: usize = 7;
/// See [`HEADER`].
pub const MOVES: usize = 8;
/// See [`HEADER`].
pub const PACE: usize = 9;
/// The first node; the others follow.
pub const NODES: usize = 10;

/// What was drawn last, by part.
#[derive(Default)]
pub struct Parts(RefCell<Vec<Option<(u64, Html)>>>);

/// A part as it was drawn under its stamp.
#[derive(Properties)]
pub struct Drawn {
    stamp: u64,
    tree: Html,
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.stamp == other.stamp
    }
}

/// The part itself.
pub struct Held;

impl Component for Held {
    type Message = ();
    type Properties = Drawn;

    fn create(_ctx: &Context<Self>) -> Self {
        Self
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        ctx.props().tree.clone()
    }
}

impl Parts {
    /// The part with a number, drawn again if its stamp is another than last time.
    pub fn part(&self, number: usize, stamp: u64, tree: Tree, draw: impl FnOnce(&mut Tree)) -> VNode {
        let mut parts = self.0.borrow_mut();
        if parts.len() <= number {
            parts.resize(number + 1, None);
        }
        let html = match &parts[number] {
            Some((known, html)) if *known == stamp => html.clone(),
            _ => {
                let mut tree = tree;
                draw(&mut tree);
                let html = tree.finish();
                parts[number] = Some((stamp, html.clone()));
                html
            }
        };
        VChild::<Held>::new(Drawn { stamp, tree: html }, None).into()
    }
}
