//! Dotted paths: `customer.address.city`.

use bson::Bson;
use bson::Document;
use bson::RawBsonRef;
use bson::RawDocument;

/// True if one path equals the other or lies inside it.
pub(crate) fn overlap(a: &str, b: &str) -> bool {
    let inside = |outer: &str, path: &str| {
        path.strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    inside(a, b) || inside(b, a)
}

/// A projection without the paths inside others of its paths: the server refuses both together (error 31249).
pub(crate) fn without_nested(projection: Document) -> Document {
    if !projection.keys().any(|path| path.contains('.')) {
        return projection;
    }
    let paths: Vec<String> = projection.keys().cloned().collect();
    let is_nested = |path: &str| {
        let mut shorter = paths.iter().filter(|other| other.len() < path.len());
        shorter.any(|other| overlap(other, path))
    };
    let fields = projection.into_iter();
    fields.filter(|(path, _)| !is_nested(path)).collect()
}

/// The path of `name` inside `prefix`. A flattened field has no name of its own.
pub(crate) fn join(prefix: &str, name: &str) -> String {
    match (prefix.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => prefix.to_owned(),
        _ => format!("{prefix}.{name}"),
    }
}

/// The field at the top of the document that a path begins with.
pub(crate) fn first_step(path: &str) -> &str {
    path.split_once('.').map_or(path, |(step, _)| step)
}

/// The value at a dotted path through documents.
pub(crate) fn raw_at<'d>(document: &'d RawDocument, path: &str) -> Option<RawBsonRef<'d>> {
    match path.split_once('.') {
        None => document.get(path).ok().flatten(),
        Some((step, rest)) => match document.get(step).ok().flatten()? {
            RawBsonRef::Document(inner) => raw_at(inner, rest),
            _ => None,
        },
    }
}

/// The value at a dotted path through documents.
pub(crate) fn at<'d>(document: &'d Document, path: &str) -> Option<&'d Bson> {
    match path.split_once('.') {
        None => document.get(path),
        Some((step, rest)) => at(document.get(step)?.as_document()?, rest),
    }
}

/// The value at a dotted path through documents, to be changed.
pub(crate) fn at_mut<'d>(document: &'d mut Document, path: &str) -> Option<&'d mut Bson> {
    match path.split_once('.') {
        None => document.get_mut(path),
        Some((step, rest)) => at_mut(document.get_mut(step)?.as_document_mut()?, rest),
    }
}

/// Puts a value at a dotted path, and the documents on the way that are absent.
pub(crate) fn put_nested(document: &mut Document, path: &str, value: Bson) {
    let Some((step, rest)) = path.split_once('.') else {
        document.insert(path, value);
        return;
    };
    let inner = document
        .entry(step)
        .or_insert_with(|| Document::new().into());
    if let Bson::Document(inner) = inner {
        put_nested(inner, rest, value);
    }
}

/// Puts a value at a dotted path; `None` removes it. Documents on the way that are absent stay so.
pub(crate) fn put(document: &mut Document, path: &str, value: Option<Bson>) {
    match (path.split_once('.'), value) {
        (None, Some(value)) => {
            document.insert(path, value);
        }
        (None, None) => {
            document.remove(path);
        }
        (Some((step, rest)), value) => {
            if let Some(Bson::Document(inner)) = document.get_mut(step) {
                put(inner, rest, value);
            }
        }
    }
}

pub(crate) fn remove(document: &mut Document, path: &str) {
    put(document, path, None);
}

/// A stored path without the indexes in arrays: `parts.0.name` is `parts.name`.
pub(crate) fn without_indexes(path: &str) -> String {
    let is_index = |step: &&str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    let steps: Vec<&str> = path.split('.').filter(|step| !is_index(step)).collect();
    steps.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_of_arrays_go() {
        assert_eq!(without_indexes("parts.0.name"), "parts.name");
        assert_eq!(without_indexes("parts.12"), "parts");
        assert_eq!(without_indexes("a1.b"), "a1.b");
    }
}
