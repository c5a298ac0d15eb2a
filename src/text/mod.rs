//! The catalogue: codes in, sentences out. One file a language; all have the functions of [`en`].
//!
//! Every sentence and name that the page, the tests and exports show for something in a run comes from here.

pub mod en;
