//! Documents of a program, compared with those that another one has made of them.

use bson::{Bson, Document};

use super::read::{find_value, join};
use super::table::{Form, Holds, Table};

/// The path of a value of `written` that `saved` does not have, as the model sees both.
pub(super) fn find_lost_path(
    table: &Table,
    written: &Document,
    saved: &Document,
) -> Option<String> {
    compare_documents(table, written, saved, "")
}

fn compare_documents(
    table: &Table,
    written: &Document,
    saved: &Document,
    above: &str,
) -> Option<String> {
    let tag = table.variants.as_ref();
    let tag = tag.and_then(|(name, _)| written.get_str(name).ok());
    table.fields_of(tag).find_map(|(name, field)| {
        let value = written.get(name).filter(|value| **value != Bson::Null)?;
        let path = join(above, name);
        match find_value(field, name, saved) {
            Some(other) => compare_values(&field.form, value, other, &path),
            None => Some(path),
        }
    })
}

fn compare_values(form: &Form, written: &Bson, saved: &Bson, path: &str) -> Option<String> {
    match (form.holds, written, saved) {
        (Holds::Array, Bson::Array(written), Bson::Array(saved))
            if written.len() == saved.len() =>
        {
            let mut pairs = written.iter().zip(saved).enumerate();
            pairs.find_map(|(n, (written, saved))| {
                compare_elements(form, written, saved, &join(path, &n.to_string()))
            })
        }
        (Holds::Map, Bson::Document(written), Bson::Document(saved)) => {
            written.iter().find_map(|(key, written)| {
                let path = join(path, key);
                match saved.get(key) {
                    Some(saved) => compare_elements(form, written, saved, &path),
                    None => Some(path),
                }
            })
        }
        (_, written, saved) => compare_elements(form, written, saved, path),
    }
}

fn compare_elements(form: &Form, written: &Bson, saved: &Bson, path: &str) -> Option<String> {
    match (&form.inner, written, saved) {
        (Some(inner), Bson::Document(written), Bson::Document(saved)) => {
            compare_documents(inner, written, saved, path)
        }
        _ => {
            let is_same = match (number(written), number(saved)) {
                (None, None) => written == saved,
                (written, saved) => written == saved,
            };
            (!is_same).then(|| path.to_owned())
        }
    }
}

/// The same number in another type is the same.
#[expect(clippy::cast_precision_loss, reason = "both sides are rounded alike")]
fn number(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(number) => Some((*number).into()),
        Bson::Int64(number) => Some(*number as f64),
        Bson::Double(number) => Some(*number),
        _ => None,
    }
}
