//! The file: TOML with a line for each fact.
//!
//! ```toml
//! format = 1
//!
//! [next."parts.Part"]
//! "$model" = "plain"
//! _id = "object id"
//! name = ["string", "max_len 80"]
//!
//! [release."1.4.0"]
//! digest = "sha256:.."
//!
//! [release."1.4.0"."parts.Part"]
//! ..
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use semver::Version;
use sha2::{Digest, Sha256};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::facts::{Fact, Facts};
use crate::failure::{Failure, Result};

/// The version of the file's grammar.
const FORMAT: i64 = 1;
const HEAD: &str = "# The promises of the models about stored documents. `cargo mongo-model lock` writes this file, and keeps no other comments.\n";

/// The content of a lock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lock {
    /// The facts of the models as they were when the file was written.
    pub(crate) next: Facts,
    /// The facts of each release.
    pub(crate) releases: BTreeMap<Version, Release>,
}

/// The facts of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release {
    digest: String,
    pub(crate) facts: Facts,
}

impl Release {
    /// The release that is made of these facts now.
    pub(crate) fn new(version: &Version, facts: Facts) -> Self {
        let digest = digest_of(version, &facts);
        Release { digest, facts }
    }
}

/// The reason why a text is no lock.
#[derive(Debug, PartialEq, Eq)]
enum Unreadable {
    Damaged { line: usize, why: String },
    Newer(i64),
}

impl Lock {
    /// Reads the file; `None` if there is none.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        let file = path.display();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::new(format!("{file} cannot be read: {error}"))),
        };
        read_text(&text, &file.to_string()).map(Some)
    }

    /// Reads the file as git has it at a ref: a branch, a tag or a commit.
    pub(crate) fn read_at(path: &Path, git_ref: &str) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut git = Command::new("git");
        if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
            git.arg("-C").arg(folder);
        }
        git.args(["show", "--end-of-options"])
            .arg(format!("{git_ref}:./{name}"));
        let done = git.env("LC_ALL", "C").output();
        let done = done.map_err(|error| Failure::new(format!("git does not run: {error}")))?;
        if !done.status.success() {
            let err = String::from_utf8_lossy(&done.stderr);
            let why = err.lines().next().unwrap_or_default();
            let why = why.trim_start_matches("fatal: ");
            let message = format!("git does not have {name} at `{git_ref}`: {why}");
            return Err(Failure::new(message).help(
                "name a branch, a tag or a commit, or a release of the file by its version: `1.4.0`",
            ));
        }
        let text = String::from_utf8_lossy(&done.stdout);
        read_text(&text, &format!("{name} at `{git_ref}`"))
    }

    /// Writes the file: the whole of it, or nothing.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let written = fs::write(&beside, self.to_string()).and_then(|()| fs::rename(&beside, path));
        written.map_err(|error| {
            // The file may not have been made.
            let _ = fs::remove_file(&beside);
            Failure::new(format!("{} cannot be written: {error}", path.display()))
                .help("`--path FILE` names another file")
        })
    }

    /// The releases whose facts are not those that they were made of.
    pub(crate) fn edited(&self) -> Vec<String> {
        let releases = self.releases.iter();
        let edited = releases.filter(|(version, one)| one.digest != digest_of(version, &one.facts));
        edited.map(|(version, _)| version.to_string()).collect()
    }
}

/// Reads the text of the file that messages call by this name.
fn read_text(text: &str, file: &str) -> Result<Lock> {
    parse(text).map_err(|unreadable| match unreadable {
        Unreadable::Damaged { line, why } => {
            Failure::new(format!("{file} is damaged in line {line}: {why}"))
                .help("restore the file from version control, then run `mongo-model lock`")
        }
        Unreadable::Newer(format) => Failure::new(format!(
            "{file} has format {format}, and this tool knows format {FORMAT} alone"
        ))
        .help("run the version of the tool that wrote it, or a newer one"),
    })
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}format = {FORMAT}")?;
        write_facts(f, "next", &self.next)?;
        for (version, release) in &self.releases {
            let heading = heading_of(version);
            writeln!(f, "\n[{heading}]\ndigest = \"{}\"", release.digest)?;
            write_facts(f, &heading, &release.facts)?;
        }
        Ok(())
    }
}

/// The fact as its line shows it: a text, or a list of texts.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|part| quote(part)).collect();
        match &parts[..] {
            [one] => f.write_str(one),
            parts => write!(f, "[{}]", parts.join(", ")),
        }
    }
}

fn heading_of(version: &Version) -> String {
    format!("release.\"{version}\"")
}

fn write_facts(out: &mut impl Write, heading: &str, facts: &Facts) -> fmt::Result {
    for (model, facts) in facts {
        writeln!(out, "\n[{heading}.{}]", key(model))?;
        for (name, fact) in facts {
            writeln!(out, "{} = {fact}", key(name))?;
        }
    }
    Ok(())
}

/// The digest over the release's lines in the file, without that of the digest.
fn digest_of(version: &Version, facts: &Facts) -> String {
    let mut text = String::new();
    // A string takes every text.
    let _ = write_facts(&mut text, &heading_of(version), facts);
    let mut out = "sha256:".to_owned();
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// A key, quoted where TOML wants it.
pub(crate) fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// A text on one line: in single quotes where it has double ones or backslashes, which need no escape then.
fn quote(text: &str) -> String {
    if text.contains(['"', '\\']) && !text.chars().any(|c| c == '\'' || c.is_control()) {
        return format!("'{text}'");
    }
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Reads the text of a lock.
fn parse(text: &str) -> Result<Lock, Unreadable> {
    let reader = Reader { text };
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        reader.damaged(span, error.message())
    })?;
    let table = table.get_ref();
    match table
        .get("format")
        .map(|value| (value, reader.integer(value)))
    {
        Some((_, Some(FORMAT))) => {}
        Some((_, Some(newer))) if newer > FORMAT => return Err(Unreadable::Newer(newer)),
        Some((value, _)) => return Err(reader.damaged(value.span(), "no format is called so")),
        None => return Err(reader.damaged(0..0, "the file has no `format`")),
    }
    let mut lock = Lock::default();
    for (name, value) in table {
        match name.get_ref().as_ref() {
            "format" => {}
            "next" => lock.next = reader.facts(reader.table(value)?)?,
            "release" => {
                for (name, value) in reader.table(value)? {
                    let (version, release) = reader.release(name.get_ref(), value, name.span())?;
                    lock.releases.insert(version, release);
                }
            }
            other => {
                let why = format!("`{other}` is no part of a lock");
                return Err(reader.damaged(name.span(), why));
            }
        }
    }
    Ok(lock)
}

/// Reads values, and knows the lines of those that are wrong.
struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn damaged(&self, at: Range<usize>, why: impl Into<String>) -> Unreadable {
        let before = self.text.as_bytes().iter().take(at.start);
        Unreadable::Damaged {
            line: before.filter(|byte| **byte == b'\n').count() + 1,
            why: why.into(),
        }
    }

    fn integer(&self, value: &Spanned<DeValue<'_>>) -> Option<i64> {
        let integer = value.get_ref().as_integer()?;
        i64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    fn table<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<&'v DeTable<'i>, Unreadable> {
        let table = value.get_ref().as_table();
        table.ok_or_else(|| self.damaged(value.span(), "a table is expected here"))
    }

    fn release(
        &self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        at: Range<usize>,
    ) -> Result<(Version, Release), Unreadable> {
        let version = Version::parse(name)
            .map_err(|_| self.damaged(at.clone(), format!("`{name}` is no version")))?;
        let table = self.table(value)?;
        let digest = table
            .get("digest")
            .and_then(|value| value.get_ref().as_str());
        let Some(digest) = digest else {
            return Err(self.damaged(at, format!("the release {name} has no `digest`")));
        };
        let release = Release {
            digest: digest.to_owned(),
            facts: self.facts(table)?,
        };
        Ok((version, release))
    }

    /// The facts of the models in a table. The name of a model has a dot in it, that of a digest has none.
    fn facts(&self, table: &DeTable<'_>) -> Result<Facts, Unreadable> {
        let mut out = Facts::new();
        for (model, value) in table {
            let name = model.get_ref().as_ref();
            if name == "digest" {
                continue;
            }
            if !name.contains('.') {
                let why = format!("`{name}` is no model: one is called `collection.Model`");
                return Err(self.damaged(model.span(), why));
            }
            let mut facts = BTreeMap::new();
            for (name, value) in self.table(value)? {
                facts.insert(name.get_ref().to_string(), self.fact(value)?);
            }
            out.insert(name.to_owned(), facts);
        }
        Ok(out)
    }

    fn fact(&self, value: &Spanned<DeValue<'_>>) -> Result<Fact, Unreadable> {
        let parts: Option<Vec<&str>> = match value.get_ref() {
            DeValue::String(text) => Some(vec![text.as_ref()]),
            DeValue::Array(parts) => parts.iter().map(|part| part.get_ref().as_str()).collect(),
            _ => None,
        };
        match parts {
            Some(parts) if !parts.is_empty() => {
                Ok(Fact(parts.into_iter().map(str::to_owned).collect()))
            }
            _ => Err(self.damaged(value.span(), "a fact is a text, or a list of texts")),
        }
    }
}

#[cfg(test)]
mod tests;
