//! The programs of now: the code of the models that are linked into this one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bson::{Document, RawDocument, RawDocumentBuf};
use mongo_model::model::ModelMeta;
use mongo_model::stored_again;

use super::read::{Read, Refusal};
use crate::commands::check::SCHEMA_VERSION;

/// The reason where no error says one.
pub(super) const PANICS: &str = "a function of the program panics";

/// Reads a document as the linked model does, and saves it.
pub(super) fn read_linked(model: &ModelMeta, document: &Document) -> Read {
    let whole = |why: String| Refusal {
        path: String::new(),
        why,
    };
    let raw = RawDocumentBuf::try_from(document).map_err(|error| whole(error.to_string()))?;
    // Functions of the program read the document, too.
    let stored = catch_unwind(AssertUnwindSafe(|| stored_again(model, &raw)));
    let stored = stored.map_err(|_| whole(PANICS.to_owned()))?;
    let stored = stored.map_err(|error| Refusal {
        path: error.path().to_owned(),
        why: why_not(&error.to_string(), error.path()),
    })?;
    let stored = stored.map(|raw| Document::try_from(&*raw)).transpose();
    stored.map_err(|error| whole(error.to_string()))
}

/// The reason why a stored document is not read, without a value of it.
pub(super) fn find_reason(model: &ModelMeta, raw: &RawDocument) -> Option<Refusal> {
    let read = catch_unwind(AssertUnwindSafe(|| stored_again(model, raw).map(drop)));
    let Ok(read) = read else {
        return Some(Refusal {
            path: String::new(),
            why: PANICS.to_owned(),
        });
    };
    let error = read.err()?;
    let why = match (error.expected(), error.found()) {
        (Some(expected), Some(found)) => format!("expected {expected}, found {found}"),
        _ if error.is_missing() => "it is missing".to_owned(),
        _ if error.path() == SCHEMA_VERSION => {
            "its version cannot be brought to that of the model".to_owned()
        }
        _ => "the value is refused".to_owned(),
    };
    Some(Refusal {
        path: error.path().to_owned(),
        why,
    })
}

/// Does the work without the text of a panic, which may have a value in it.
pub(super) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = catch_unwind(AssertUnwindSafe(work));
    std::panic::set_hook(hook);
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The text of the error without the path that it begins with.
fn why_not(text: &str, path: &str) -> String {
    let rest = text.strip_prefix(path);
    let rest = rest.and_then(|rest| rest.strip_prefix(": "));
    rest.unwrap_or(text).to_owned()
}
