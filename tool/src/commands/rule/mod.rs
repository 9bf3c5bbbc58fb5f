//! `rule` and `rules`: the catalogue, with an example of each rule that does not compile and one that does.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::cli;
use crate::failure::{Failure, Result};
use crate::output::{BAD, FAINT, FORMAT, GOOD, NOTE, Output, STRONG, paint, program};

/// The catalogue. The program that writes the pages of `docs/rules` writes it from the same texts.
#[derive(Debug, Deserialize)]
struct Catalogue {
    rules: Vec<Rule>,
}

/// One rule.
#[derive(Debug, Deserialize, Serialize)]
struct Rule {
    code: String,
    level: String,
    says: String,
    what: String,
    why: String,
    example: Example,
    fix: String,
    good: Option<String>,
    allow: Option<Allow>,
}

/// Code that breaks the rule, and the message about it.
#[derive(Debug, Deserialize, Serialize)]
struct Example {
    code_intro: Option<String>,
    code: String,
    message_intro: String,
    message: String,
}

/// When a break of the rule is right, and the attribute that allows it.
#[derive(Debug, Deserialize, Serialize)]
struct Allow {
    text: String,
    intro: String,
    attribute: String,
}

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    ok: bool,
    rules: &'a [&'a Rule],
}

fn all() -> Result<Vec<Rule>> {
    let catalogue: Result<Catalogue, _> = toml::from_str(include_str!("rules.toml"));
    catalogue
        .map(|catalogue| catalogue.rules)
        .map_err(|error| Failure::new(format!("the catalogue of rules cannot be read: {error}")))
}

/// Prints the rules that are named.
pub(crate) fn show_rule(args: &cli::Rule, out: Output) -> Result<Verdict> {
    let rules = all()?;
    let found = args.codes.iter().map(|code| find_rule(&rules, code));
    let found: Vec<&Rule> = found.collect::<Result<_>>()?;
    let report = Report {
        format: FORMAT,
        command: "rule",
        ok: true,
        rules: &found,
    };
    let texts: Vec<String> = found.iter().map(|rule| text(rule)).collect();
    out.both(texts.join("\n"), &report);
    Ok(Verdict::Fine)
}

fn find_rule<'a>(rules: &'a [Rule], code: &str) -> Result<&'a Rule> {
    let code = code.to_ascii_uppercase().replace('-', "_");
    rules.iter().find(|rule| rule.code == code).ok_or_else(|| {
        let similar: Vec<&str> = rules
            .iter()
            .map(|rule| rule.code.as_str())
            .filter(|other| is_similar(other, &code))
            .take(5)
            .collect();
        let help = match similar.is_empty() {
            true => "`mongo-model rules` lists all rules".to_owned(),
            false => format!(
                "did you mean {}? `mongo-model rules` lists all rules",
                similar.join(" or ")
            ),
        };
        Failure::new(format!("no rule is called `{code}`")).help(help)
    })
}

/// Prints a line for each rule.
pub(crate) fn list_rules(out: Output) -> Result<Verdict> {
    let rules = all()?;
    let width = rules.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in &rules {
        let (mark, style) = match rule.level.as_str() {
            "error" => ("error  ", BAD),
            "advice" => ("advice ", FAINT),
            _ => ("error *", NOTE),
        };
        let code = paint(STRONG, format!("{:width$}", rule.code));
        let _ = writeln!(text, "{code}  {}  {}", paint(style, mark), rule.says);
    }
    let _ = writeln!(
        text,
        "\n* can be allowed: `#[model(allow(rule_name, reason = \"..\"))]`; `{} rule NAME` explains a rule",
        program()
    );
    let rules: Vec<&Rule> = rules.iter().collect();
    out.both(
        text,
        &Report {
            format: FORMAT,
            command: "rules",
            ok: true,
            rules: &rules,
        },
    );
    Ok(Verdict::Fine)
}

/// True if two codes share two words, one begins with the other, or `other` is `code` without its first word.
fn is_similar(code: &str, other: &str) -> bool {
    let words = |code: &str| -> Vec<String> { code.split('_').map(str::to_owned).collect() };
    let shared = words(code)
        .iter()
        .filter(|word| words(other).contains(word))
        .count();
    shared >= 2
        || code.starts_with(other)
        || other.starts_with(code)
        || words(code)[1..] == words(other)[..]
}

/// The sections of the rule's page in `docs/rules`, in its words.
fn text(rule: &Rule) -> String {
    let label = match rule.level.as_str() {
        "advice" => paint(NOTE, "Advice"),
        _ => paint(BAD, "Error"),
    };
    let mut out = format!("{}\n{label}: {}.\n", paint(STRONG, &rule.code), rule.says);
    heading(&mut out, "What it checks");
    paragraphs(&mut out, &rule.what);
    heading(&mut out, "Why");
    paragraphs(&mut out, &rule.why);
    heading(&mut out, "Example");
    let Example {
        code_intro,
        code,
        message_intro,
        message,
    } = &rule.example;
    if let Some(intro) = code_intro {
        let _ = writeln!(out, "  {}\n", paint(BAD, intro));
    }
    let _ = writeln!(out, "{}", indented(code));
    let message = indented(message);
    let _ = writeln!(
        out,
        "  {message_intro}\n\n{}",
        paint(FAINT, message.trim_end())
    );
    heading(&mut out, "What to do");
    paragraphs(&mut out, &rule.fix);
    if let Some(good) = &rule.good {
        let _ = writeln!(
            out,
            "\n  {}\n\n{}",
            paint(GOOD, "This compiles:"),
            indented(good)
        );
    }
    match &rule.allow {
        None => {
            heading(&mut out, "Can it be allowed?");
            paragraphs(&mut out, "No. The rule has no exceptions.");
        }
        Some(Allow {
            text,
            intro,
            attribute,
        }) => {
            heading(&mut out, "When to allow it");
            paragraphs(&mut out, text);
            out.push('\n');
            paragraphs(&mut out, intro);
            let _ = write!(out, "\n{}", indented(attribute));
        }
    }
    out
}

fn heading(out: &mut String, title: &str) {
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", paint(STRONG, title));
}

/// Fills lines of 100 characters; empty lines between paragraphs stay.
fn paragraphs(out: &mut String, text: &str) {
    const WIDTH: usize = 100;
    for (n, paragraph) in text.split("\n\n").enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let mut line = String::from(" ");
        for word in paragraph.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH && line.trim() != "" {
                let _ = writeln!(out, "{line}");
                line = String::from(" ");
            }
            line.push(' ');
            line.push_str(word);
        }
        let _ = writeln!(out, "{line}");
    }
}

/// Code, four columns to the right.
fn indented(code: &str) -> String {
    let line = |line: &str| match line {
        "" => "\n".to_owned(),
        line => format!("    {line}\n"),
    };
    code.lines().map(line).collect()
}
