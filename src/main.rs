//! The page. Natively there is none; this says how to get one.
fn main() {}
