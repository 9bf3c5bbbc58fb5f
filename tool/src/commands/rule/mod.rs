//! `rule` and `rules`: the catalogue, with an example of each rule that does not compile and one that does.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::cli;
use crate::failure::{Failure, Result};
use crate::output::{BAD, FAINT, FORMAT, GOOD, NOTE, Output, STRONG, paint};

/// One rule. A test of this package makes the file of the derive's table and of its tests' cases.
#[derive(Debug, Deserialize, Serialize)]
struct Rule {
    code: String,
    level: String,
    says: String,
    why: String,
    message: String,
    help: Vec<String>,
    bad: String,
    good: Option<String>,
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
    serde_json::from_str(include_str!("rules.json"))
        .map_err(|error| Failure::new(format!("the catalogue of rules cannot be read: {error}")))
}

/// Prints one rule.
pub(crate) fn show_rule(args: &cli::Rule, out: Output) -> Result<Verdict> {
    let rules = all()?;
    let code = args.code.to_ascii_uppercase().replace('-', "_");
    let Some(rule) = rules.iter().find(|rule| rule.code == code) else {
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
        return Err(Failure::new(format!("no rule is called `{code}`")).help(help));
    };
    let report = Report {
        format: FORMAT,
        command: "rule",
        ok: true,
        rules: &[rule],
    };
    out.both(text(rule), &report);
    Ok(Verdict::Fine)
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
        "\n* can be allowed: `#[model(allow(rule_name, reason = \"..\"))]`; `mongo-model rule NAME` explains a rule"
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

/// Whether two codes share a word, or one begins like the other.
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

fn text(rule: &Rule) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}  {}\n{}\n",
        paint(STRONG, &rule.code),
        paint(FAINT, &rule.level),
        rule.says
    );
    if !rule.why.is_empty() {
        let _ = writeln!(out, "{}\n  {}\n", paint(STRONG, "Why"), rule.why);
    }
    let verb = if rule.level == "advice" {
        "Advised against"
    } else {
        "Does not compile"
    };
    let _ = writeln!(out, "{}\n{}", paint(BAD, verb), indented(&rule.bad));
    let _ = writeln!(out, "  {}", paint(FAINT, &rule.message));
    for help in &rule.help {
        let _ = writeln!(out, "  {}", paint(FAINT, format!("help: {help}")));
    }
    if let Some(good) = &rule.good {
        let _ = writeln!(out, "\n{}\n{}", paint(GOOD, "Compiles"), indented(good));
    }
    let name = rule.code.to_ascii_lowercase();
    let allow = match rule.level.as_str() {
        "error" => "it cannot be allowed: the server refuses it, or data would be lost".to_owned(),
        _ => format!("#[model(allow({name}, reason = \"..\"))] on the field or the model"),
    };
    let _ = writeln!(out, "{}\n  {allow}", paint(STRONG, "To allow it"));
    out
}

fn indented(code: &str) -> String {
    code.lines()
        .map(|line| {
            if line.is_empty() {
                "\n".to_owned()
            } else {
                format!("  {line}\n")
            }
        })
        .collect()
}
