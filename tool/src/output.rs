//! Output: text with colours for people, one JSON document for programs, progress bars on terminals.

use std::fmt::{self, Display};
use std::io::{self, BufRead, IsTerminal, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde::Serialize;
use serde_json::Value;

use crate::cli::{Color, Confirm, Global};
use crate::failure::{Failure, Result};
use crate::secrets::redact;

/// Something is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Something is worth a look.
pub(crate) const NOTE: Style = AnsiColor::Yellow.on_default();
/// All is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// A name or a number that matters.
pub(crate) const STRONG: Style = Style::new().bold();
/// Less important.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// The text in this style; the stream removes it where there are no colours.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The output of a command: text or JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    /// Sets the colours of the process.
    pub(crate) fn new(global: &Global) -> Self {
        match global.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        Output { json: global.json }
    }

    /// True if one JSON document is printed instead of text.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints text for people; nothing with `--json`.
    pub(crate) fn text(self, text: impl Display) {
        if !self.json {
            write_out(&text.to_string());
        }
    }

    /// Prints the document of a command; nothing without `--json`.
    pub(crate) fn json(self, document: &impl Serialize) {
        if self.json {
            write_out(&pretty(document));
        }
    }

    /// Prints one of many documents, on a line of its own; nothing without `--json`.
    pub(crate) fn json_line(self, document: &impl Serialize) {
        if self.json
            && let Ok(line) = serde_json::to_string(document)
        {
            write_out(&format!("{line}\n"));
        }
    }

    /// Prints the result in the form that was chosen.
    pub(crate) fn both(self, text: impl Display, document: &impl Serialize) {
        self.text(text);
        self.json(document);
    }

    /// Prints a remark that is no result, on standard error.
    pub(crate) fn remark(self, text: impl Display) {
        anstream::eprintln!("{}", redact(&text.to_string()));
    }

    /// Prints the reason why the command could not run, or not to its end.
    pub(crate) fn failure(self, command: &str, failure: &Failure) {
        let document = failure.json();
        let text = |key: &str| document[key].as_str().map(str::to_owned);
        let label = match document["interrupted"] {
            Value::Bool(true) => "go on",
            _ => "help",
        };
        let message = text("message").unwrap_or_default();
        anstream::eprintln!("{}: {message}", paint(BAD, "error"));
        if let Some(help) = text("help") {
            anstream::eprintln!("  {label}: {help}");
        }
        // The document of a command that stopped midway holds it.
        if !matches!(failure, Failure::Midway(_)) {
            self.json(&serde_json::json!({
                "format": FORMAT,
                "command": command,
                "error": document,
            }));
        }
    }

    /// A bar for something long, with rate and time left; hidden where standard error is no terminal.
    pub(crate) fn bar(self, label: &str, total: u64) -> ProgressBar {
        let bar =
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
        let template =
            "{prefix:<24!} {bar:30} {human_pos}/{human_len} {percent:>3}%  {rate}{left}  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(
                style
                    .with_key("rate", write_rate)
                    .with_key("left", write_left),
            );
        }
        bar.set_prefix(label.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    /// A bar for something whose length is not known.
    pub(crate) fn spinner(self, label: &str) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        bar.set_prefix(label.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    }

    /// Asks before a write. Without `--yes` a program that is not at a terminal is refused.
    pub(crate) fn confirm(self, confirm: &Confirm, question: &str) -> Result<()> {
        if confirm.yes {
            return Ok(());
        }
        let refused = || {
            Failure::new("nothing was written: the command was not confirmed")
                .help("pass `--yes` to write without a question")
        };
        if !io::stdin().is_terminal() {
            return Err(refused());
        }
        anstream::eprint!("{} [y/N] ", paint(STRONG, question));
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        let answer = answer.trim();
        match read {
            Ok(_) if answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes") => {
                Ok(())
            }
            _ => Err(refused()),
        }
    }
}

/// `61,597/s`; nothing before the first step.
fn write_rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        let _ = write!(out, "{}/s", number(whole(state.per_sec())));
    }
}

/// `  8s left`; nothing before the first step.
fn write_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 && state.per_sec() > 0.0 {
        let _ = write!(out, "  {:#} left", HumanDuration(state.eta()));
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate for people"
)]
fn whole(rate: f64) -> u64 {
    rate.round() as u64
}

/// The version of the JSON documents; a change that removes or renames a key raises it.
pub(crate) const FORMAT: u32 = 1;

fn pretty(document: &impl Serialize) -> String {
    match serde_json::to_string_pretty(document) {
        Ok(mut text) => {
            text.push('\n');
            text
        }
        Err(error) => format!("{{\"error\": {{\"message\": {:?}}}}}\n", error.to_string()),
    }
}

/// Writes to standard output. A reader that closed the pipe (`| head`) has what it wants.
pub(crate) fn write_out(text: &str) {
    let mut out = anstream::stdout().lock();
    if out
        .write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .is_err()
    {
        std::process::exit(0);
    }
}

/// A number with separators: `41,079`.
pub(crate) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and its noun: `1 document`, `2 documents`.
pub(crate) fn count(n: u64, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with('x') => format!("{noun}es"),
        _ => format!("{noun}s"),
    };
    format!("{} {}", number(n), if n == 1 { noun } else { &plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators() {
        let shown: Vec<String> = [0, 999, 1_000, 41_079, 1_234_567].map(number).into();
        assert_eq!(shown, ["0", "999", "1,000", "41,079", "1,234,567"]);
        assert_eq!(count(1, "index"), "1 index");
        assert_eq!(count(2, "copy"), "2 copies");
        assert_eq!(count(2, "key"), "2 keys");
    }
}
