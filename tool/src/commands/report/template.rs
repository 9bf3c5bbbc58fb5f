//! A small template language: `{{name}}` is a value, escaped; `{{{name}}}` is one as it is; `{{=name}}` is escaped, with `` `code` `` in it.
//! `{{#name}}..{{/name}}` is there once for each element of a list, or once where the value is something; `{{^name}}..{{/name}}` is there
//! where it is nothing. `{{.}}` is the element itself.

use serde_json::Value;

/// The template with these values.
pub(super) fn render(template: &str, values: &Value) -> String {
    let mut out = String::new();
    write(template, &[values], &mut out);
    out
}

fn write(template: &str, scopes: &[&Value], out: &mut String) {
    let mut rest = template;
    while let Some((before, tag, after)) = next_tag(rest) {
        out.push_str(before);
        rest = after;
        let (mark, name) = tag.split_at(usize::from(tag.starts_with(['{', '=', '#', '^'])));
        let value = find(name, scopes);
        match mark {
            "#" | "^" => {
                let Some((inner, after)) = section(rest, name) else {
                    return;
                };
                rest = after;
                for scope in repetitions(value, mark == "#") {
                    write(inner, &[scopes, &[scope]].concat(), out);
                }
            }
            "{" => out.push_str(&text_of(value)),
            "=" => out.push_str(&with_code(&escaped(&text_of(value)))),
            _ => out.push_str(&escaped(&text_of(value))),
        }
    }
    out.push_str(rest);
}

/// The text before the next tag, the tag without its braces, and the text after it.
fn next_tag(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let close = if rest.starts_with('{') { "}}}" } else { "}}" };
    let (tag, after) = rest.split_once(close)?;
    Some((before, tag, after))
}

/// The text up to the end of a section, and the text after it.
fn section<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    text.split_once(&format!("{{{{/{name}}}}}"))
}

/// The value of a name in the innermost scope that has it.
fn find<'v>(name: &str, scopes: &[&'v Value]) -> &'v Value {
    let mut inner_first = scopes.iter().rev();
    match name {
        "." => inner_first.next().copied(),
        name => inner_first.find_map(|scope| scope.get(name)),
    }
    .unwrap_or(&Value::Null)
}

/// The scopes in which a section is written.
fn repetitions(value: &Value, is_wanted: bool) -> Vec<&Value> {
    let is_nothing = match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    match value {
        _ if is_nothing == is_wanted => Vec::new(),
        Value::Array(items) if is_wanted => items.iter().collect(),
        value => vec![value],
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// The text as HTML has it, in elements and in attributes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

/// The text with code between pairs of backticks.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text.to_owned();
    }
    let mut out = String::new();
    for (n, part) in parts.iter().enumerate() {
        match n % 2 {
            0 => out.push_str(part),
            _ => out.push_str(&format!("<code>{part}</code>")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sections_repeat_and_see_the_values_around_them() {
        let template = "{{#models}}<{{name}} of {{db}}:{{#tags}} {{.}}{{/tags}}{{^tags}} none{{/tags}}>{{/models}}{{^gone}}!{{/gone}}";
        let values = json!({ "db": "shop", "models": [{ "name": "A", "tags": ["x", "y"] }, { "name": "B", "tags": [] }] });
        assert_eq!(
            render(template, &values),
            "<A of shop: x y><B of shop: none>!"
        );
    }

    #[test]
    fn values_are_escaped() {
        let values = json!({ "says": "`<b a=\"1\" c='2'>` & {{says}}" });
        let expected = "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;";
        assert_eq!(
            render("{{says}}", &values),
            format!("`{expected}` &amp; {{{{says}}}}")
        );
        assert_eq!(
            render("{{=says}}", &values),
            format!("<code>{expected}</code> &amp; {{{{says}}}}")
        );
        assert_eq!(render("{{{says}}}", &values), values["says"]);
    }
}
