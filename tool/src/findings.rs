//! Findings: what a command reports, grouped by collection, with counts and examples.

use std::fmt::Write;

use bson::Bson;
use serde::{Serialize, Serializer};

use crate::models::Models;
use crate::output::{BAD, FAINT, GOOD, NOTE, STRONG, count, number, paint};
use crate::program::as_typed;

/// The level of a finding, which decides if the exit code is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// Something is wrong.
    Problem,
    /// Something is worth a look.
    Note,
}

/// A kind of finding at a place.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Finding {
    /// The kind, as a stable name.
    pub(crate) kind: &'static str,
    /// Problem or note.
    pub(crate) level: Level,
    /// The stored path, the edge, the index or the pattern that it is about.
    pub(crate) about: String,
    /// A sentence.
    pub(crate) message: String,
    /// The number of documents, copies or references that it concerns; 1 where these are not counted.
    pub(crate) count: u64,
    /// Some of the documents.
    pub(crate) examples: Vec<Example>,
    /// The command that corrects the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fix: Option<String>,
}

impl Finding {
    /// A problem that is not counted.
    pub(crate) fn problem(
        kind: &'static str,
        about: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Finding {
            kind,
            level: Level::Problem,
            about: about.into(),
            message: message.into(),
            count: 1,
            examples: Vec::new(),
            fix: None,
        }
    }

    /// A note that is not counted.
    pub(crate) fn note(
        kind: &'static str,
        about: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Finding {
            level: Level::Note,
            ..Finding::problem(kind, about, message)
        }
    }

    /// The finding with the command that corrects it.
    pub(crate) fn fixed_by(mut self, command: &str) -> Self {
        self.fix = Some(as_typed(command));
        self
    }
}

/// A document with the defect.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Example {
    /// The `_id` of the document, in extended JSON.
    #[serde(serialize_with = "extended")]
    pub(crate) id: Bson,
    /// The description of the defect.
    pub(crate) text: String,
}

fn extended<S: Serializer>(value: &Bson, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}

/// A value as an example shows it: ids without their type, long values cut.
pub(crate) fn shown(value: &Bson) -> String {
    const LONGEST: usize = 60;
    let text = match value {
        Bson::ObjectId(id) => id.to_hex(),
        Bson::String(text) => format!("{text:?}"),
        value => value.to_string(),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    let cut: String = text.chars().take(LONGEST).collect();
    format!("{cut}…")
}

/// An optional value; `nothing` where there is none.
pub(crate) fn shown_or_nothing(value: Option<&Bson>) -> String {
    value.map_or_else(|| "nothing".to_owned(), shown)
}

/// The findings in one collection.
#[derive(Debug, Serialize)]
pub(crate) struct Group {
    /// The collection.
    pub(crate) collection: String,
    /// The models that are stored in it.
    pub(crate) models: Vec<&'static str>,
    /// The number of documents in it, by its metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) documents: Option<u64>,
    /// The number of documents that were examined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) examined: Option<u64>,
    /// True if the walk over it was stopped.
    #[serde(skip)]
    pub(crate) stopped: bool,
    /// The findings, problems first.
    pub(crate) findings: Vec<Finding>,
}

impl Group {
    /// A collection in which nothing is found yet.
    pub(crate) fn new(collection: &str, models: Vec<&'static str>) -> Self {
        Group {
            collection: collection.to_owned(),
            models,
            documents: None,
            examined: None,
            stopped: false,
            findings: Vec::new(),
        }
    }

    fn count(&self, level: Level) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    }

    fn write(&self, out: &mut String, width: usize) {
        let mut about = self.models.join(", ");
        if let Some(documents) = self.documents {
            about.push_str(&format!(", {}", count(documents, "document")));
        }
        match (self.examined, self.documents) {
            (Some(examined), Some(documents)) if examined < documents => {
                about.push_str(&format!(", {} examined", number(examined)));
            }
            _ => {}
        }
        let _ = match about.as_str() {
            "" => writeln!(out, "{}", paint(STRONG, &self.collection)),
            about => {
                let name = paint(STRONG, format!("{:width$}", self.collection));
                writeln!(out, "{name}  {}", paint(FAINT, about))
            }
        };
        let mut findings: Vec<&Finding> = self.findings.iter().collect();
        findings.sort_by_key(|finding| finding.level);
        for finding in findings {
            let mark = match finding.level {
                Level::Problem => paint(BAD, "✗"),
                Level::Note => paint(NOTE, "·"),
            };
            let _ = writeln!(out, "  {mark} {}", finding.message);
            for example in &finding.examples {
                let _ = writeln!(
                    out,
                    "      {}  {}",
                    paint(FAINT, shown(&example.id)),
                    example.text
                );
            }
            let more = finding.count.saturating_sub(finding.examples.len() as u64);
            if !finding.examples.is_empty() && more > 0 {
                let _ = writeln!(
                    out,
                    "      {}",
                    paint(FAINT, format!("and {} more", number(more)))
                );
            }
        }
        if self.findings.is_empty() {
            let fine = if self.stopped {
                "✓ fine so far"
            } else {
                "✓ fine"
            };
            let _ = writeln!(out, "  {}", paint(GOOD, fine));
        }
    }
}

/// All findings of a command.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Findings {
    /// The findings, by collection.
    pub(crate) collections: Vec<Group>,
}

impl Findings {
    /// The number of findings of a level.
    pub(crate) fn count(&self, level: Level) -> usize {
        self.collections
            .iter()
            .map(|group| group.count(level))
            .sum()
    }

    /// The text for people: the collections, then a summary and the commands that correct the findings. `complete` is false if the walk
    /// was stopped: the text then says so.
    pub(crate) fn text(&self, complete: bool) -> String {
        let mut out = self.groups_text();
        let (problems, notes) = (self.count(Level::Problem), self.count(Level::Note));
        let examined = count(self.collections.len() as u64, "collection");
        let so_far = if complete { "" } else { " so far" };
        let notes_text = match notes {
            0 => String::new(),
            notes => format!(", {}", count(notes as u64, "note")),
        };
        let problems = match problems {
            0 => paint(GOOD, "no problems"),
            some => paint(BAD, count(some as u64, "problem")),
        };
        let _ = writeln!(out, "\n{problems}{notes_text} in {examined}{so_far}");
        self.write_fixes(&mut out);
        out
    }

    /// The collections with their findings.
    pub(crate) fn groups_text(&self) -> String {
        let mut out = String::new();
        let width = self
            .collections
            .iter()
            .map(|group| group.collection.len())
            .max()
            .unwrap_or(0);
        for group in &self.collections {
            group.write(&mut out, width);
        }
        out
    }

    /// The commands that correct the findings, each once.
    pub(crate) fn write_fixes(&self, out: &mut String) {
        let all = self.collections.iter().flat_map(|group| &group.findings);
        let mut fixes: Vec<&str> = all.filter_map(|finding| finding.fix.as_deref()).collect();
        fixes.sort_unstable();
        fixes.dedup();
        for fix in fixes {
            let _ = writeln!(out, "  help: {fix}");
        }
    }

    /// Adds a finding to the group of its collection; creates the group if there is none.
    pub(crate) fn add(&mut self, models: &Models, collection: &str, finding: Finding) {
        let known = self
            .collections
            .iter()
            .position(|group| group.collection == collection);
        let at = known.unwrap_or_else(|| {
            let stored = models.collections().remove(collection).unwrap_or_default();
            let names = stored.iter().map(|model| model.name).collect();
            self.collections.push(Group::new(collection, names));
            self.collections.len() - 1
        });
        self.collections[at].findings.push(finding);
    }
}
