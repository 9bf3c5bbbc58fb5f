//! Rust names for stored names.

use std::collections::BTreeSet;

use heck::{ToSnakeCase, ToUpperCamelCase};
use unicode_ident::{is_xid_continue, is_xid_start};
use unicode_normalization::UnicodeNormalization;

/// Keywords of all editions; most may be written as raw identifiers.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
const NEVER_RAW: &[&str] = &["self", "super", "crate", "_"];
/// Type names that generated code uses.
const TAKEN: &[&str] = &[
    "Binary",
    "Bson",
    "BTreeMap",
    "DateTime",
    "Debug",
    "Decimal128",
    "Deserialize",
    "Document",
    "Id",
    "MongoEmbed",
    "MongoModel",
    "ObjectId",
    "Option",
    "Regex",
    "Result",
    "Self",
    "Serialize",
    "String",
    "Timestamp",
    "Uuid",
    "Vec",
    "Box",
    "Some",
    "None",
    "Ok",
    "Err",
    "Clone",
    "PartialEq",
    "Default",
    "Send",
    "Sync",
    "Copy",
    "Eq",
    "Ord",
];

/// Letters and digits of any script, composed as the compiler composes them; others as separators.
fn plain(stored: &str) -> String {
    let usable = |c: char| c.is_alphanumeric() && is_xid_continue(c);
    stored
        .nfc()
        .map(|c| if usable(c) { c } else { '_' })
        .collect()
}

/// The words of a name, each in the singular; none if it has neither letters nor digits.
pub(crate) fn words(name: &str) -> Vec<String> {
    let name = plain(name).to_snake_case();
    let words = name.split('_').filter(|word| !word.is_empty());
    words.map(singular).collect()
}

/// A field's or module's identifier, without `r#`.
pub(crate) fn snake(stored: &str) -> String {
    let name = plain(stored).to_snake_case();
    match name.chars().next() {
        None => "field".to_owned(),
        Some(first) if !is_xid_start(first) => format!("n{name}"),
        Some(_) if NEVER_RAW.contains(&name.as_str()) => format!("{name}_"),
        Some(_) => name,
    }
}

/// A type's or variant's identifier.
pub(crate) fn camel(stored: &str) -> String {
    let name = plain(stored).to_upper_camel_case();
    match name.chars().next() {
        None => "Unnamed".to_owned(),
        Some(first) if !is_xid_start(first) => format!("N{name}"),
        Some(_) if name == "Self" => "Self_".to_owned(),
        Some(_) => name,
    }
}

/// True if it can be the name of a field or a type, perhaps as a raw identifier.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| is_xid_start(first) || first == '_')
        && letters.all(is_xid_continue)
        && !NEVER_RAW.contains(&name)
        && name != "Self"
}

/// The identifier as source code has it: `r#type`.
pub(crate) fn raw(name: &str) -> String {
    match KEYWORDS.contains(&name) {
        true => format!("r#{name}"),
        false => name.to_owned(),
    }
}

/// The name of one of many: `Address` of `addresses`.
pub(crate) fn singular(plural: &str) -> String {
    const INVARIANT: [&str; 7] = [
        "status",
        "news",
        "series",
        "species",
        "address",
        "bus",
        "analytics",
    ];
    const IRREGULAR: [(&str, &str); 7] = [
        ("people", "person"),
        ("children", "child"),
        ("men", "man"),
        ("women", "woman"),
        ("mice", "mouse"),
        ("indices", "index"),
        ("criteria", "criterion"),
    ];
    let lower = plural.to_ascii_lowercase();
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == lower) {
        return (*one).to_owned();
    }
    if INVARIANT.iter().any(|word| lower.ends_with(word)) || lower.ends_with("ss") {
        return plural.to_owned();
    }
    let cut = |n: usize, ending: &str| format!("{}{ending}", &plural[..plural.len() - n]);
    if lower.ends_with("ies") && lower.len() > 4 && lower != "movies" && lower != "cookies" {
        return cut(3, "y");
    }
    if ["sses", "shes", "ches", "xes", "zes", "uses"]
        .iter()
        .any(|end| lower.ends_with(end))
    {
        return cut(2, "");
    }
    if lower.ends_with("oes") {
        return cut(2, "");
    }
    match lower.strip_suffix('s') {
        Some(stem) if stem.len() > 1 && !stem.ends_with("us") && !stem.ends_with('i') => cut(1, ""),
        _ => plural.to_owned(),
    }
}

/// The name of the embedded documents in a field.
pub(crate) fn type_name(stored: &str) -> String {
    let mut words = plain(stored).to_snake_case();
    if let Some((rest, last)) = words.rsplit_once('_') {
        words = format!("{rest}_{}", singular(last));
    } else {
        words = singular(&words);
    }
    camel(&words)
}

/// Names that are in use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taken(BTreeSet<String>);

impl Taken {
    /// A set with the names that generated code uses for other types.
    pub(crate) fn types() -> Self {
        Taken(TAKEN.iter().map(|name| (*name).to_owned()).collect())
    }

    /// The name, or the name with the first number that makes it another one.
    pub(crate) fn free(&mut self, name: &str, separator: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2;
        while !self.0.insert(free.clone()) {
            free = format!("{}{separator}{number}", name.trim_end_matches('_'));
            number += 1;
        }
        free
    }

    /// As [`free`](Self::free), for a type: the derives also write one that is called after it.
    pub(crate) fn free_type(&mut self, name: &str) -> String {
        let name = match TAKEN.contains(&name) {
            true => format!("{name}Document"),
            false => name.to_owned(),
        };
        let mut free = self.free(&name, "");
        while !self.0.insert(format!("{free}Fields")) {
            free = self.free(&name, "");
        }
        free
    }

    /// Takes a chosen name for a type; false if the name is in use.
    pub(crate) fn reserve(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned()) && self.0.insert(format!("{name}Fields"))
    }

    /// True if the name is in use.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// `fullName` of `full_name`, as serde's `rename_all = "camelCase"` has it.
pub(crate) fn serde_camel(rust: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for c in rust.chars() {
        match c {
            '_' => upper = true,
            c if upper => {
                out.push(c.to_ascii_uppercase());
                upper = false;
            }
            c => out.push(c),
        }
    }
    match out.chars().next() {
        Some(first) => first.to_ascii_lowercase().to_string() + &out[first.len_utf8()..],
        None => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_become_identifiers() {
        let names = [
            ("_id", "id"),
            ("fullName", "full_name"),
            ("full-name", "full_name"),
            ("type", "type"),
            ("self", "self_"),
            ("1st", "n1st"),
            ("", "field"),
            ("日本", "日本"),
            ("возраст", "возраст"),
            ("naïve", "naïve"),
            ("nai\u{308}ve", "naïve"),
            ("②", "field"),
            ("*/", "field"),
            ("a b", "a_b"),
            ("$x", "x"),
        ];
        for (stored, name) in names {
            assert_eq!(snake(stored), name, "{stored}");
        }
        assert_eq!(raw("type"), "r#type");
        assert_eq!(serde_camel("full_name"), "fullName");
    }

    #[test]
    fn collections_name_one_document() {
        let names = [
            ("movies", "Movie"),
            ("addresses", "Address"),
            ("categories", "Category"),
            ("order_lines", "OrderLine"),
            ("status", "Status"),
            ("boxes", "Box"),
            ("people", "Person"),
            ("fk_children", "FkChild"),
            ("города", "Города"),
            ("orderItems", "OrderItem"),
            ("address", "Address"),
            ("users", "User"),
            ("statuses", "Status"),
            ("matches", "Match"),
            ("tomatoes", "Tomato"),
        ];
        for (stored, name) in names {
            assert_eq!(type_name(stored), name, "{stored}");
        }
    }

    #[test]
    fn a_name_in_use_gets_a_number() {
        let mut taken = Taken::types();
        assert_eq!(taken.free("Id", ""), "Id2");
        assert_eq!(taken.free("User", ""), "User");
        assert_eq!(taken.free("User", ""), "User2");
        assert!(taken.has("User2") && !taken.has("User3"));
    }
}
