//! `docs/rules/why.toml`: the hand-written part of the pages.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::rules::{Level, Rule};

/// The entry of one rule.
#[derive(Debug, Default)]
pub(crate) struct Why {
    /// The condition that the rule checks.
    pub(crate) what: String,
    /// Why the rule exists, with its source and its figures.
    pub(crate) why: String,
    /// The correction.
    pub(crate) fix: String,
    /// When it is right to allow a break of the rule. Empty for rules that cannot be allowed.
    pub(crate) allow: String,
    /// The attribute that allows it, where it is not `allow(..)`.
    pub(crate) how: Option<String>,
    /// The case to show: a path in `tests/ui` without its ending, or a file with item names, `tests/a.rs#A,B`.
    pub(crate) bad: Option<String>,
    /// The near miss to show: a path in `tests/ui-pass`, with item names where a part is enough. `none` shows nothing.
    pub(crate) good: Option<String>,
    /// A part of the message to show, where the golden has several of this rule.
    pub(crate) message: Option<String>,
    /// The line in the schema report, for advice that no derive can give.
    pub(crate) report: Option<String>,
}

/// The tables of the file by rule code.
pub(crate) fn read(path: &Path) -> Result<Table, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.parse()
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads one entry and checks that it has all parts that its level needs.
pub(crate) fn entry(rule: &Rule, value: &Value) -> Result<Why, Vec<String>> {
    let Value::Table(table) = value else {
        return Err(vec!["the entry is not a table".to_owned()]);
    };
    let mut why = Why::default();
    let mut problems = Vec::new();
    for (key, value) in table {
        let Value::String(text) = value else {
            problems.push(format!("`{key}` is not a string"));
            continue;
        };
        let text = text.trim().to_owned();
        match key.as_str() {
            "what" => why.what = text,
            "why" => why.why = text,
            "fix" => why.fix = text,
            "allow" => why.allow = text,
            "how" => why.how = Some(text),
            "bad" => why.bad = Some(text),
            "good" => why.good = Some(text),
            "message" => why.message = Some(text),
            "report" => why.report = Some(text),
            _ => problems.push(format!("unknown key `{key}`")),
        }
    }
    for (key, text) in [("what", &why.what), ("why", &why.why), ("fix", &why.fix)] {
        if text.is_empty() {
            problems.push(format!("`{key}` is missing"));
        }
    }
    match (rule.level, why.allow.is_empty()) {
        (Level::Hard, false) => {
            problems.push("`allow` on a rule that cannot be allowed".to_owned());
        }
        (Level::Err | Level::Advice, true) => problems.push("`allow` is missing".to_owned()),
        _ => {}
    }
    if problems.is_empty() {
        Ok(why)
    } else {
        Err(problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{ATTR_UNKNOWN, EMBED_UNBOUNDED};

    fn problems(rule: &Rule, text: &str) -> Vec<String> {
        let table: Table = text.parse().expect("a table");
        entry(rule, &Value::Table(table)).expect_err("problems")
    }

    #[test]
    fn an_entry_has_all_that_its_level_needs() {
        let found = problems(&EMBED_UNBOUNDED, "what = 'a'\nwhy = 'b'\nfix = ''");
        assert_eq!(found, ["`fix` is missing", "`allow` is missing"]);
        let found = problems(
            &ATTR_UNKNOWN,
            "what = 'a'\nwhy = 'b'\nfix = 'c'\nallow = 'd'",
        );
        assert_eq!(found, ["`allow` on a rule that cannot be allowed"]);
    }

    #[test]
    fn a_key_is_a_known_one_with_a_text() {
        let found = problems(&ATTR_UNKNOWN, "wat = 'a'\nwhat = 1\nwhy = 'b'\nfix = 'c'");
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
