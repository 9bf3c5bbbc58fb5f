//! The guide's page of errors: each variant of `Error` with its documentation, and the HTTP status that `Error::http_status` gives it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Arm, Attribute, Expr, File, Item, Lit, Meta, Pat, Variant};

/// A section of the page: the status, its title, and when an error is in it.
const SECTIONS: [(&str, &str, &str); 7] = [
    ("400", "400: the request is wrong", ""),
    ("404", "404: there is no such document", ""),
    ("409", "409: what is stored is in the way", ""),
    (
        "422",
        "422: no document can have the value",
        "The request has to change before it is sent again.",
    ),
    (
        "503",
        "503: the same call may succeed later",
        "`Error::is_transient` is true: send the call again, after a pause that grows.",
    ),
    (
        "500 or 503",
        "500 or 503: a part was written",
        "503 if the error that it carries is transient, otherwise 500. Its text says how much was written, and its entry how to go on.",
    ),
    (
        "500",
        "500: the program, the database or the server has to change",
        "",
    ),
];

/// The file of the page.
pub fn errors(root: &Path) -> PathBuf {
    root.join("guide/src/reference/errors.md")
}

/// The page.
///
/// # Errors
///
/// A line for each variant whose documentation or status is missing.
pub fn errors_page(root: &Path) -> Result<String, Vec<String>> {
    let folder = root.join("schema-runtime/src");
    let statuses = statuses(&parse(&folder.join("error/status.rs")));
    let variants = variants(parse(&folder.join("error.rs")));
    let mut problems = Vec::new();
    let mut sections: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for variant in &variants {
        let name = variant.ident.to_string();
        let text = documentation(&variant.attrs);
        let status = statuses.get(&name).map(Vec::as_slice);
        let Some(section) = section(&name, status) else {
            problems.push(format!("Error::{name}: status.rs gives it no status"));
            continue;
        };
        if text.is_empty() {
            problems.push(format!("Error::{name}: has no documentation"));
        }
        sections
            .entry(section)
            .or_default()
            .push(entry(variant, &text));
    }
    if problems.is_empty() {
        Ok(markdown(&sections))
    } else {
        Err(problems)
    }
}

fn parse(path: &Path) -> File {
    let text = fs::read_to_string(path).expect("a source file");
    syn::parse_file(&text).expect("a Rust file")
}

fn variants(file: File) -> Vec<Variant> {
    let mut enums = file.items.into_iter().filter_map(|item| match item {
        Item::Enum(item) if item.ident == "Error" => Some(item),
        _ => None,
    });
    let item = enums.next().expect("the enum `Error`");
    item.variants.into_iter().collect()
}

/// The statuses of each variant, in the order of the arms of `http_status`; a status that an arm computes is `None`.
fn statuses(file: &File) -> BTreeMap<String, Vec<Option<String>>> {
    let mut statuses: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    for arm in arms(file) {
        let status = match &*arm.body {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(status) => Some(status.to_string()),
                _ => None,
            },
            _ => None,
        };
        for name in names(&arm.pat) {
            statuses.entry(name).or_default().push(status.clone());
        }
    }
    statuses
}

fn arms(file: &File) -> Vec<&Arm> {
    let blocks = file.items.iter().filter_map(|item| match item {
        Item::Impl(block) => Some(&block.items),
        _ => None,
    });
    let methods = blocks.flatten().filter_map(|item| match item {
        syn::ImplItem::Fn(method) if method.sig.ident == "http_status" => Some(method),
        _ => None,
    });
    let statements = methods.flat_map(|method| &method.block.stmts);
    statements
        .filter_map(|statement| match statement {
            syn::Stmt::Expr(Expr::Match(expression), _) => Some(&expression.arms),
            _ => None,
        })
        .flatten()
        .collect()
}

/// The variants that a pattern names.
fn names(pattern: &Pat) -> Vec<String> {
    let path = match pattern {
        Pat::Or(pattern) => return pattern.cases.iter().flat_map(names).collect(),
        Pat::Struct(pattern) => &pattern.path,
        Pat::TupleStruct(pattern) => &pattern.path,
        Pat::Path(pattern) => &pattern.path,
        _ => return Vec::new(),
    };
    path.segments
        .last()
        .map(|name| name.ident.to_string())
        .into_iter()
        .collect()
}

/// The section of a variant with these statuses.
fn section(name: &str, statuses: Option<&[Option<String>]>) -> Option<&'static str> {
    let statuses = statuses?;
    // The last arm of `Driver` is the general one; its entry names the others.
    let status = if name == "Driver" {
        statuses.last()
    } else {
        statuses.first()
    };
    let found = status?.as_deref().unwrap_or("500 or 503");
    SECTIONS
        .iter()
        .map(|(status, ..)| *status)
        .find(|status| *status == found)
}

fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(doc) = &attribute.meta else {
            return None;
        };
        let Expr::Lit(literal) = &doc.value else {
            return None;
        };
        match &literal.lit {
            Lit::Str(line) if attribute.path().is_ident("doc") => Some(line.value()),
            _ => None,
        }
    });
    let lines: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
    without_links(&lines.join("\n"))
}

/// The text with each link of rustdoc, ``[`name`](path)``, as its name: the paths are those of the crate's documentation.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[`") {
        plain.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        let end = rest.find(']').expect("the end of a link");
        plain.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        if rest.starts_with('(') {
            let end = rest.find(')').expect("the end of a path");
            rest = &rest[end + 1..];
        }
    }
    plain + rest
}

fn entry(variant: &Variant, text: &str) -> String {
    let mut entry = format!("### `{}`\n\n{text}\n", variant.ident);
    let fields = variant.fields.iter().filter_map(|field| {
        let name = field.ident.as_ref()?;
        let text = lower_first(&first_sentence(&documentation(&field.attrs)));
        (text != "the model").then(|| format!("`{name}`: {text}"))
    });
    let fields: Vec<String> = fields.collect();
    if !fields.is_empty() {
        entry.push('\n');
        for field in fields {
            entry.push_str(&format!("* {field}\n"));
        }
    }
    entry
}

fn first_sentence(text: &str) -> String {
    let text = text.replace('\n', " ");
    let end = text.find(". ").unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_owned()
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

fn markdown(sections: &BTreeMap<&str, Vec<String>>) -> String {
    let mut page = String::from(HEAD);
    for (status, title, when) in SECTIONS {
        let Some(entries) = sections.get(status) else {
            continue;
        };
        page.push_str(&format!("\n## {title}\n"));
        if !when.is_empty() {
            page.push_str(&format!("\n{when}\n"));
        }
        for entry in entries {
            page.push('\n');
            page.push_str(entry);
        }
    }
    page
}

const HEAD: &str = "\
# Errors

<!-- Written by `cargo run -p mongo-model-rule-pages` from the documentation of `Error` and from `Error::http_status`. -->

Every call of the library returns `mongo_model::Error`. This page has each variant: when it occurs, what has changed by then, and the HTTP
status that `Error::http_status` gives it. No text of an error shows a value of a document, so that it can be logged, and shown to a client;
[Duplicates and transient errors](../using/duplicates.md) says more on both, and
[a service from start to stop](../start/service.md) turns errors into answers.

`Error::is_transient` is true for those of status 503, except for `SagaStopped`: `resume` goes on with the saga.
";
