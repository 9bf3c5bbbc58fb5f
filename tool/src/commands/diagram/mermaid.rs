//! The diagram in Mermaid's language, which GitHub draws.

use std::fmt::Write;

use super::graph::{Edge, EdgeKind, Graph, Mark};

/// An `erDiagram`. References are solid lines, copies dashed ones.
pub(super) fn draw(graph: &Graph) -> String {
    let mut out = String::from("erDiagram\n");
    for node in &graph.nodes {
        let _ = writeln!(
            out,
            "    {}[\"{} ({})\"] {{",
            word(&node.model),
            node.model,
            node.collection
        );
        for field in node.fields.iter().filter(|field| !field.path.is_empty()) {
            let key = match field.mark {
                Mark::Key => " PK",
                Mark::Reference => " FK",
                _ => "",
            };
            let comment = match field.mark {
                Mark::Copy => format!("copy, {}", field.kind),
                Mark::Derived => format!("follows from others, {}", field.kind),
                _ => field.kind.clone(),
            };
            let _ = writeln!(
                out,
                "        {} {}{key} \"{}\"",
                type_word(&field.kind),
                word(&field.path),
                quoted(&comment)
            );
        }
        for (n, index) in node.indexes.iter().enumerate() {
            let options = match index.options.as_str() {
                "" => String::new(),
                options => format!(" {options}"),
            };
            let _ = writeln!(
                out,
                "        index index_{} \"{}{}\"",
                n + 1,
                quoted(&index.keys),
                options
            );
        }
        out.push_str("    }\n");
    }
    for edge in &graph.edges {
        let (from, to) = (
            word(&graph.nodes[edge.from].model),
            word(&graph.nodes[edge.to].model),
        );
        let _ = writeln!(
            out,
            "    {from} {} {to} : \"{}\"",
            arrow(edge),
            quoted(&label(edge))
        );
    }
    out
}

fn arrow(edge: &Edge) -> &'static str {
    match (edge.kind, edge.cardinality.1) {
        (EdgeKind::Reference, "0..n") => "}o--o{",
        (EdgeKind::Reference, "0..1") => "}o--o|",
        (EdgeKind::Reference, _) => "}o--||",
        (EdgeKind::Copy, _) => "||..o{",
        (EdgeKind::Derived, _) => "}o..||",
    }
}

fn label(edge: &Edge) -> String {
    match edge.kind {
        EdgeKind::Reference => edge.label.clone(),
        EdgeKind::Copy => format!("copies {}", edge.label),
        EdgeKind::Derived => format!("listed in {}", edge.label),
    }
}

/// A name that Mermaid takes without quotes.
fn word(text: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let word: String = text.chars().map(allowed).collect();
    match word.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{word}"),
        false => word,
    }
}

/// A type without its bound: `doc_array` for `[doc] ≤ 20`.
fn type_word(kind: &str) -> String {
    let kind = kind.split(' ').next().unwrap_or(kind).trim_end_matches('?');
    let inside = |open, close| Some(kind.strip_prefix(open)?.trim_end_matches(close));
    match (inside('[', ']'), inside('{', '}')) {
        (Some(element), _) => format!("{}_array", word(element)),
        (_, Some(value)) => format!("{}_map", word(value)),
        _ => word(kind),
    }
}

fn quoted(text: &str) -> String {
    text.replace('"', "'")
}
