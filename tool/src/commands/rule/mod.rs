//! `rule` and `rules`: the catalogue, with an example of each rule that does not compile and one that does.

mod pages;

use std::fmt::Write;

use serde::Serialize;

use super::Verdict;
use crate::cli;
use crate::failure::{Failure, Result};
use crate::output::{BAD, FAINT, FORMAT, NOTE, Output, STRONG, paint};
use crate::program::program;
use pages::PAGES;

/// A rule, by its page.
#[derive(Clone, Debug, Serialize)]
struct Rule {
    code: &'static str,
    /// `error`, `error, can be allowed` or `advice`.
    level: &'static str,
    says: &'static str,
    /// The page in Markdown, without its head and its foot.
    page: &'static str,
}

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    ok: bool,
    rules: &'a [&'a Rule],
}

impl Rule {
    /// Reads the head of a page: `# CODE`, then `**Error**: what the rule says.`.
    fn read(page: &'static str) -> Option<Self> {
        let (_, page) = page.split_once("\n# ")?;
        let (code, page) = page.split_once("\n\n")?;
        let (page, _) = page.rsplit_once("\n---\n")?;
        let (label, says) = page.strip_prefix("**")?.split_once("**: ")?;
        let (says, _) = says.split_once(".\n")?;
        let level = match label {
            "Advice" => "advice",
            _ if page.contains("\n## When to allow it\n") => "error, can be allowed",
            _ => "error",
        };
        Some(Self {
            code,
            level,
            says,
            page,
        })
    }
}

fn read_rules() -> Result<Vec<Rule>> {
    let rules: Option<_> = PAGES.iter().map(|page| Rule::read(page)).collect();
    rules.ok_or_else(|| Failure::new("a page of a rule has no head"))
}

/// Prints the rules that are named.
pub(crate) fn show_rule(args: &cli::Rule, out: Output) -> Result<Verdict> {
    let rules = read_rules()?;
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
            .map(|rule| rule.code)
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
    let rules = read_rules()?;
    let width = rules.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in &rules {
        let (mark, style) = match rule.level {
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

/// The page, with filled lines and indented code instead of Markdown.
fn text(rule: &Rule) -> String {
    let mut out = format!("{}\n", paint(STRONG, rule.code));
    let mut parts = rule.page.trim_end().split("```");
    while let Some(prose) = parts.next() {
        let mut under_heading = false;
        for paragraph in prose.split("\n\n").map(str::trim) {
            under_heading = write_paragraph(&mut out, paragraph, under_heading);
        }
        if let Some((kind, code)) = parts.next().and_then(|code| code.split_once('\n')) {
            let code = indented(code);
            let code = match kind {
                "text" => paint(FAINT, code.trim_end()).to_string(),
                _ => code.trim_end().to_owned(),
            };
            let _ = writeln!(out, "\n{code}");
        }
    }
    out
}

/// Writes a heading, the line of the level, or a paragraph. Returns true for a heading, under which the next paragraph follows at once.
fn write_paragraph(out: &mut String, paragraph: &str, under_heading: bool) -> bool {
    let level = || paragraph.strip_prefix("**")?.split_once("**: ");
    if let Some(title) = paragraph.strip_prefix("## ") {
        let _ = writeln!(out, "\n{}", paint(STRONG, title));
        return true;
    }
    if let Some((label, says)) = level() {
        let style = if label == "Advice" { NOTE } else { BAD };
        let _ = writeln!(out, "{}: {says}", paint(style, label));
    } else if !paragraph.is_empty() {
        if !under_heading {
            out.push('\n');
        }
        fill_lines(out, paragraph);
    }
    false
}

/// Fills lines of 100 characters.
fn fill_lines(out: &mut String, paragraph: &str) {
    const WIDTH: usize = 100;
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

/// Code, four columns to the right.
fn indented(code: &str) -> String {
    let line = |line: &str| match line {
        "" => "\n".to_owned(),
        line => format!("    {line}\n"),
    };
    code.lines().map(line).collect()
}
