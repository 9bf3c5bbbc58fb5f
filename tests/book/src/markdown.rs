//! As much of Markdown as links need.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The text with the target of each link outside of code replaced by what `map` makes of it; `None` leaves the link's text alone.
pub(crate) fn map_links(text: &str, mut map: impl FnMut(&str) -> Option<String>) -> String {
    let mut code = false;
    let mut out = String::with_capacity(text.len());
    // A link's text may begin on the line before its target: paragraphs are taken whole.
    let mut paragraph = String::new();
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        if fence || code || line.trim().is_empty() {
            out.push_str(&map_paragraph(&paragraph, &mut map));
            paragraph.clear();
            out.push_str(line);
        } else {
            paragraph.push_str(line);
        }
        code ^= fence;
    }
    out.push_str(&map_paragraph(&paragraph, &mut map));
    out
}

fn map_paragraph(text: &str, map: &mut impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let Some(end) = rest[middle..].find(')').map(|end| middle + end) else {
            break;
        };
        let target = &rest[middle + 2..end];
        match (map(target), opening(&rest[..middle])) {
            (Some(target), _) => {
                let _ = write!(out, "{}{target})", &rest[..middle + 2]);
            }
            (None, Some(start)) => {
                out.push_str(rest[..start].trim_end_matches('!'));
                out.push_str(&rest[start + 1..middle]);
            }
            (None, None) => out.push_str(&rest[..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Where the bracket opens that ends after `text`. Brackets in code come in pairs, as in `#[embed]`.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ']' => depth += 1,
            '[' if depth == 0 => return Some(at),
            '[' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Code in blocks, each of which begins at a line that a link leads to (`#L17`).
pub(crate) fn split_at_lines(code: &str, lines: &BTreeSet<usize>) -> String {
    let mut out = String::new();
    let code: Vec<&str> = code.lines().collect();
    let mut starts: Vec<usize> = lines.iter().map(|line| line - 1).collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    starts.retain(|start| *start < code.len());
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(code.len());
        if lines.contains(&(start + 1)) {
            let _ = writeln!(out, "<a id=\"L{}\"></a>\n", start + 1);
        }
        let _ = writeln!(out, "````rust\n{}\n````\n", code[*start..end].join("\n"));
    }
    out
}

/// An image as the address of itself.
pub(crate) fn data_uri(svg: &str) -> String {
    let mut out = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_outside_of_code_are_replaced() {
        let text =
            "A [`#[embed]`](x.md#L1) and\n[two\nlines](gone.rs).\n\n```text\n[code](x.md)\n```\n";
        let mapped = map_links(text, |link| {
            link.starts_with("x.md").then(|| "y.md".to_owned())
        });
        assert_eq!(
            mapped,
            "A [`#[embed]`](y.md) and\ntwo\nlines.\n\n```text\n[code](x.md)\n```\n"
        );
    }

    #[test]
    fn blocks_begin_at_linked_lines() {
        let split = split_at_lines("a\nb\nc\n", &BTreeSet::from([2]));
        assert_eq!(
            split,
            "````rust\na\n````\n\n<a id=\"L2\"></a>\n\n````rust\nb\nc\n````\n\n"
        );
    }
}
