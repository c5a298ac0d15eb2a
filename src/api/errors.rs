//! What the package throws: an `Error` with the name `RaftwerkError`, a code, and the path of the field.

use crate::scenario::link::LinkError;
use crate::scenario::{Code, InputError};
use crate::session::ActError;
use js_sys::{Error, Reflect};
use wasm_bindgen::JsValue;

/// An error.
pub fn error(code: &str, path: &str, message: &str) -> JsValue {
    let shown = if path.is_empty() { message.to_owned() } else { format!("{path}: {message}") };
    let error = Error::new(&shown);
    error.set_name("RaftwerkError");
    for (field, value) in [("code", code), ("path", path)] {
        let _ = Reflect::set(&error, &field.into(), &value.into());
    }
    error.into()
}

pub fn input_error(problem: &InputError) -> JsValue {
    error(problem.code.name(), &problem.path, &problem.says)
}

pub fn link_error(problem: &LinkError) -> JsValue {
    match problem {
        LinkError::Invalid(inner) => input_error(inner),
        LinkError::Damaged | LinkError::Unknown(_) => error(problem.code(), "", &problem.to_string()),
    }
}

pub fn act_error(problem: &ActError) -> JsValue {
    match problem {
        ActError::Input(inner) => input_error(inner),
        ActError::Command(_) | ActError::TooManyBranches => error(Code::CannotBeDone.name(), "", &problem.to_string()),
    }
}
