//! The page. Natively there is none; the binary then only says how to get one.

#[cfg(target_arch = "wasm32")]
mod ui;

fn main() {
    #[cfg(target_arch = "wasm32")]
    ui::mount();
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("the page runs in a browser: cargo xtask serve");
}
