//! The comparison of the fields that the documents of two collections have.

use std::collections::BTreeSet;

use mongo_model::stored::is_own_field;
use serde_json::json;

use super::difference::{Difference, Side};
use crate::pull::infer::{is_map, map_values};
use crate::pull::profile::{Fields, Values};

/// The differences between the fields of two collections.
pub(super) fn compare_fields(a: &Fields, b: &Fields) -> Vec<Difference> {
    let mut out = Vec::new();
    compare_at("", a, b, &mut out);
    out
}

fn compare_at(above: &str, a: &Fields, b: &Fields, out: &mut Vec<Difference>) {
    let at = |name: &str| match above {
        "" => name.to_owned(),
        above => format!("{above}.{name}"),
    };
    // The names in a map are data: its values are compared, under one name.
    if is_map(a) || is_map(b) {
        let (a, b) = (map_values(a), map_values(b));
        return compare_values(&at("*"), (&a, false), (&b, false), out);
    }
    let names: BTreeSet<&str> = a
        .named
        .keys()
        .chain(b.named.keys())
        .map(|name| &**name)
        .collect();
    for name in names {
        let path = at(name);
        // Those of mongo-model come and go with its work.
        if is_own_field(&path) {
            continue;
        }
        match (a.get(name), b.get(name)) {
            (Some(one), Some(other)) => {
                let (one, other) = ((one, a.absent(one) > 0), (other, b.absent(other) > 0));
                compare_values(&path, one, other, out);
            }
            (one, other) => {
                let one = one.map(|one| side(one, a.absent(one) > 0));
                let other = other.map(|other| side(other, b.absent(other) > 0));
                out.push(Difference::new("field", path, one, other));
            }
        }
    }
}

/// Compares the values at a path; the flags are true where some documents have none.
fn compare_values(
    path: &str,
    (a, a_optional): (&Values, bool),
    (b, b_optional): (&Values, bool),
    out: &mut Vec<Difference>,
) {
    let (one, other) = (side(a, a_optional), side(b, b_optional));
    if one.text != other.text {
        out.push(Difference::new("field", path, Some(one), Some(other)));
    }
    if let (Some(a), Some(b)) = (&a.fields, &b.fields) {
        compare_at(path, a, b, out);
    }
    // Empty arrays say nothing about elements.
    if let (Some(a), Some(b)) = (&a.items, &b.items)
        && a.count > 0
        && b.count > 0
    {
        compare_values(&format!("{path}[]"), (a, false), (b, false), out);
    }
}

/// `optional int or string`.
fn side(values: &Values, is_optional: bool) -> Side {
    let mut types: Vec<&str> = values.kinds.keys().map(|kind| kind.name()).collect();
    if values.nulls > 0 {
        types.push("null");
    }
    let optional = if is_optional { "optional " } else { "" };
    let text = format!("{optional}{}", types.join(" or "));
    Side {
        json: json!({ "types": types, "optional": is_optional }),
        text,
    }
}

#[cfg(test)]
mod tests {
    use bson::{Document, RawDocumentBuf, doc};

    use super::*;

    fn fields(documents: &[Document]) -> Fields {
        let mut fields = Fields::default();
        for document in documents {
            let raw = RawDocumentBuf::try_from(document).expect("a document");
            fields.add(&raw, 0);
        }
        fields
    }

    fn lines(a: &[Document], b: &[Document]) -> Vec<String> {
        let found = compare_fields(&fields(a), &fields(b));
        found.iter().map(Difference::line).collect()
    }

    #[test]
    fn types_presence_and_elements_are_compared() {
        let a = [doc! { "n": 1, "always": true, "tags": ["x"], "at": { "x": 1 } }];
        let b = [
            doc! { "n": 1, "always": true, "tags": [1], "at": { "x": 1, "y": bson::Bson::Null } },
            doc! { "n": "1", "tags": [], "at": { "x": 1 } },
        ];
        assert_eq!(
            lines(&a, &b),
            [
                "field `always` differs: bool in A, optional bool in B",
                "field `at.y` only in B: optional null",
                "field `n` differs: int in A, int or string in B",
                "field `tags[]` differs: string in A, int in B",
            ]
        );
        assert_eq!(lines(&b, &b), [""; 0]);
    }

    #[test]
    fn names_in_maps_are_no_fields() {
        let a = [doc! { "by": { "1": 1, "2": 2, "3": 3 } }];
        let b = [doc! { "by": { "7": 1, "8": 2, "9": "x" } }];
        assert_eq!(
            lines(&a, &b),
            ["field `by.*` differs: int in A, int or string in B"]
        );
    }

    #[test]
    fn fields_of_the_library_are_left_out() {
        let own = [doc! { "a": 1, "_dn": { "r": 1 }, "to": { "_r": 1 } }];
        assert_eq!(lines(&own, &[doc! { "a": 1, "to": {} }]), [""; 0]);
    }
}
