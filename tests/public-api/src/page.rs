//! Pages that rustdoc writes.

/// The pages that the list of all items leads to, each with the item's path.
pub(crate) fn items(all: &str) -> Vec<(String, String)> {
    let links = all.split("<li><a href=\"").skip(1);
    links
        .filter_map(|link| {
            let (page, rest) = link.split_once("\">")?;
            let (path, _) = rest.split_once("</a>")?;
            let is_item = page.ends_with(".html") && !page.contains('"');
            is_item.then(|| (page.to_owned(), path.to_owned()))
        })
        .collect()
}

/// Where the inherent part of a page ends: what follows depends on other crates and on features.
const ENDS: &[&str] = &[
    "id=\"trait-implementations\"",
    "id=\"synthetic-implementations\"",
    "id=\"blanket-implementations\"",
    "id=\"foreign-impls\"",
    "id=\"implementors\"",
    "id=\"deref-methods-",
];

/// The parts of an item that its page has a place for.
const PARTS: &[&str] = &[
    "method.",
    "tymethod.",
    "structfield.",
    "variant.",
    "associatedtype.",
    "associatedconstant.",
    "reexport.",
];

/// A line for the item of a page, and one for each of its fields, variants and methods.
pub(crate) fn signatures(path: &str, page: &str) -> Vec<String> {
    let end = ENDS.iter().filter_map(|end| page.find(end)).min();
    let page = &page[..end.unwrap_or(page.len())];
    let mut out = Vec::new();
    let declaration = between(page, "item-decl\"><code>", "</code></pre>");
    let declaration = text(declaration.unwrap_or_default());
    // Fields and methods have lines of their own.
    let head = declaration.split([';', '{']).next().unwrap_or_default();
    if !head.is_empty() {
        out.push(format!("{path}: {}", head.trim()));
    }
    for place in page.split(" id=\"").skip(1) {
        let Some((id, rest)) = place.split_once('"') else {
            continue;
        };
        if !PARTS.iter().any(|part| id.starts_with(part)) {
            continue;
        }
        let header = between(rest, "class=\"code-header\">", "</h");
        let code = between(rest, "<code>", "</code>");
        let signature = match (rest.find("class=\"code-header\">"), rest.find("<code>")) {
            (Some(header), Some(code)) if code < header => None,
            (Some(_), _) => header,
            _ => None,
        };
        let signature = text(signature.or(code).unwrap_or_default());
        let of = match id.split('.').collect::<Vec<_>>()[..] {
            ["variant", variant, "field", _] => format!("{path}::{variant}"),
            _ => path.to_owned(),
        };
        out.push(format!("{of}: {signature}"));
    }
    out
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

/// HTML as text in one line.
fn text(html: &str) -> String {
    let mut out = String::new();
    let mut tag = false;
    // A clause `where` and an attribute are blocks of their own.
    let html = html.replace("<div", " <div").replace("</div>", "</div> ");
    for c in html.chars() {
        match c {
            '<' => tag = true,
            '>' if tag => tag = false,
            c if !tag => out.push(c),
            _ => {}
        }
    }
    let out = out
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gives_the_item_and_its_parts() {
        let page = "<pre class=\"rust item-decl\"><code>pub struct A&lt;T&gt; {\n  pub b: T,\n}</code></pre>\
                    <span id=\"structfield.b\" class=\"structfield\"><code>b: T</code></span>\
                    <section id=\"method.c\"><h4 class=\"code-header\">pub fn <a>c</a>(&amp;self)</h4></section>\
                    <h2 id=\"trait-implementations\"></h2><section id=\"method.clone\"></section>";
        assert_eq!(
            signatures("m::A", page),
            [
                "m::A: pub struct A<T>",
                "m::A: b: T",
                "m::A: pub fn c(&self)"
            ]
        );
    }
}
