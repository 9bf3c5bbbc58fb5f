//! The report of `verify`.

use std::fmt;

use bson::Bson;

use super::undecodable::{InvalidDocuments, Undecodable};

/// The kinds of defects of a copy, or of its reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// The source has another value.
    Stale,
    /// The value is the source's, but of another BSON type (`1` and `1.0`), or the reference has another type than the key it refers to (a
    /// string where the source has an ObjectId).
    WrongType,
    /// The revision of the copies is newer than their source's, whatever their values: the source was restored from a backup, or its last
    /// write was lost. A change of the source would not reach them.
    Ahead,
    /// There is no such source.
    Orphan,
    /// The source belongs to another tenant than the document that refers to it, or to none. No repair decides which of the two is wrong. A
    /// call with a [`Tenant`](crate::Tenant) looks at no such source: the reference is an [`Orphan`](Defect::Orphan) there.
    OtherTenant,
    /// Several sources have this natural key: it is not known which of them the copies come from.
    AmbiguousKey,
    /// There is no such source, and the delete rule of the reference is `on_delete = keep`. Not a defect.
    Kept,
    /// In a two-way reference: a document refers to this one, but is not in this one's array.
    Missing,
    /// In a two-way reference: a document is in the array, but does not refer to this one, or does not exist.
    Extra,
    /// In a two-way reference: the array that the library writes has more elements than its bound, because writers added to it at the same
    /// moment. No repair removes any: give some of the children another parent.
    OverBound,
    /// Along a reference to one document of the same model: the document is above itself. No repair decides which reference is wrong.
    Ring,
}

impl Defect {
    const ALL: [Defect; 11] = [
        Defect::Stale,
        Defect::WrongType,
        Defect::Ahead,
        Defect::Orphan,
        Defect::OtherTenant,
        Defect::AmbiguousKey,
        Defect::Kept,
        Defect::Missing,
        Defect::Extra,
        Defect::OverBound,
        Defect::Ring,
    ];

    fn heading(self) -> &'static str {
        match self {
            Defect::Stale => "stale",
            Defect::WrongType => "wrong type",
            Defect::Ahead => "ahead",
            Defect::Orphan => "orphaned",
            Defect::OtherTenant => "of another tenant",
            Defect::AmbiguousKey => "ambiguous",
            Defect::Kept => "kept",
            Defect::Missing => "missing",
            Defect::Extra => "extra",
            Defect::OverBound => "over bound",
            Defect::Ring => "in rings",
        }
    }
}

/// A copy or a reference that differs from its source; or an id that only one side of a two-way reference has.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The reference: `products.parts`; of a two-way reference the array that follows: `persons.tasks`; a list or number: `hosts.messages`.
    pub reference: String,
    /// The model that holds the copy or reference.
    pub model: &'static str,
    /// The `_id` of the document that holds the copy or reference.
    pub id: Bson,
    /// The stored path of the copy, of the reference where that leads nowhere or has another type, or of the revision of copies
    /// that are ahead: `parts.3.name`.
    pub path: String,
    /// The kind of defect.
    pub kind: Defect,
    /// True if the defect is flagged: its writer, a [`Sweeper`](crate::Sweeper) or [`recover`](crate::recover) is about to correct it.
    pub flagged: bool,
    /// The stored value; `None` if there is none.
    pub have: Option<Bson>,
    /// The source's value, or the tenant that it belongs to; `None` if it has no such field, or if there is no source.
    pub want: Option<Bson>,
}

impl Difference {
    /// True if the difference needs a repair: it is neither flagged nor allowed by its delete rule.
    #[must_use]
    pub fn is_defect(&self) -> bool {
        !self.flagged && self.kind != Defect::Kept
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<Bson>| {
            let nothing = || "nothing".to_owned();
            value.as_ref().map_or_else(nothing, ToString::to_string)
        };
        let Difference {
            model, id, path, ..
        } = self;
        let (have, want) = (value(&self.have), value(&self.want));
        write!(f, "{model} {id}: {path} ")?;
        match self.kind {
            Defect::Stale => write!(f, "is {have}, its source says {want}"),
            Defect::WrongType => {
                let kind = |value: &Option<Bson>| value.as_ref().map(Bson::element_type);
                write!(f, "is {have}, ")?;
                match (kind(&self.have), kind(&self.want)) {
                    (Some(have), Some(want)) => {
                        write!(f, "of type {have:?}; its source says {want:?}")
                    }
                    _ => write!(f, "its source says {want}"),
                }
            }
            Defect::Ahead => write!(f, "is {have}, ahead of its source, which is at {want}"),
            Defect::Orphan => write!(f, "is {have}, which does not exist"),
            Defect::OtherTenant => write!(f, "is {have}, a document of the tenant {want}"),
            Defect::AmbiguousKey => write!(f, "is {have}, which several documents have"),
            Defect::Kept => write!(f, "is {have}, which does not exist any more"),
            Defect::Missing => write!(f, "lacks {want}, which refers to it"),
            Defect::Extra => write!(f, "has {have}, which does not refer to it"),
            Defect::Ring => write!(f, "is {have}, which is below it"),
            Defect::OverBound => write!(f, "has {have} children, over its bound of {want}"),
        }?;
        if self.flagged {
            write!(f, " (flagged)")?;
        }
        Ok(())
    }
}

/// The findings of [`verify`](crate::verify) along one reference.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReferenceReport {
    /// The collection that refers and the path of the reference: `products.parts`.
    pub name: String,
    /// The model referred to.
    pub source: &'static str,
    /// The number of references that were compared.
    pub references: u64,
    /// The number of copied values that were compared, without frozen ones.
    pub copies: u64,
    /// The first findings to repair, up to the chosen number of samples of each kind.
    pub findings: Vec<Difference>,
    counts: [(u64, u64); Defect::ALL.len()],
}

impl ReferenceReport {
    pub(crate) fn new(name: String, source: &'static str) -> Self {
        ReferenceReport {
            name,
            source,
            references: 0,
            copies: 0,
            findings: Vec::new(),
            counts: Default::default(),
        }
    }

    pub(crate) fn add(&mut self, finding: &Difference, samples: usize) {
        let (unflagged, flagged) = &mut self.counts[finding.kind as usize];
        *if finding.flagged { flagged } else { unflagged } += 1;
        // Limit each kind by itself, so that many findings of one kind do not hide the few of another.
        let alike = self.findings.iter().filter(|one| one.kind == finding.kind);
        if finding.is_defect() && alike.count() < samples {
            self.findings.push(finding.clone());
        }
    }

    /// The number of findings of this kind that are not flagged.
    #[must_use]
    pub fn count(&self, kind: Defect) -> u64 {
        self.counts[kind as usize].0
    }

    /// The number of findings of this kind that are flagged: a program is correcting them, or a [`Sweeper`](crate::Sweeper) will.
    #[must_use]
    pub fn flagged(&self, kind: Defect) -> u64 {
        self.counts[kind as usize].1
    }

    /// The number of findings of each kind that occurs: `3 stale, 1 orphaned, 2 flagged`.
    fn found(&self) -> String {
        let kinds = Defect::ALL.map(|kind| (self.count(kind), kind.heading()));
        let flagged = Defect::ALL.iter().map(|kind| self.flagged(*kind)).sum();
        let all = kinds.into_iter().chain([(flagged, "flagged")]);
        let some = all.filter(|(n, _)| *n > 0);
        let some: Vec<String> = some.map(|(n, kind)| format!("{n} {kind}")).collect();
        match some.as_slice() {
            [] => "nothing".to_owned(),
            some => some.join(", "),
        }
    }

    /// The number of findings of all kinds that need a repair.
    #[must_use]
    pub fn defects(&self) -> u64 {
        Defect::ALL
            .into_iter()
            .filter(|kind| *kind != Defect::Kept)
            .map(|kind| self.count(kind))
            .sum()
    }
}

/// The result of [`verify`](crate::verify). Its text is a table with a line per reference, which gives the number of findings of each kind,
/// and below it the findings.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Verified {
    /// Every reference, list and number that was compared, by name.
    pub references: Vec<ReferenceReport>,
    /// Documents that carry a flag of their own: the work that follows from their write or deletion is still in progress, or was left
    /// behind by a program that ended. A [`Sweeper`](crate::Sweeper) or [`recover`](crate::recover) finishes it.
    pub flagged: u64,
    /// Documents that looked wrong, but whose sources changed during every check; they are left to the next run.
    pub unsettled: u64,
    /// Documents that their model cannot read, by model and path.
    pub undecodable: Vec<Undecodable>,
    /// Documents that break a `#[check(..)]`, by model, path and rule.
    pub invalid: Vec<InvalidDocuments>,
}

impl Verified {
    /// True if every copy that was compared matches its source, or is flagged, and every document can be decoded and breaks no
    /// `#[check(..)]`. For a check that nothing is flagged either, use [`is_settled`](Self::is_settled).
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let readable = self.undecodable.is_empty() && self.invalid.is_empty();
        readable && self.references.iter().all(|edge| edge.defects() == 0)
    }

    /// True if nothing is flagged either: every copy, list and number that was compared is right, and no work is pending.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let flagged =
            |edge: &ReferenceReport| Defect::ALL.iter().any(|kind| edge.flagged(*kind) > 0);
        self.is_clean() && self.flagged == 0 && !self.references.iter().any(flagged)
    }

    /// The report of the reference, list or number of this name.
    #[must_use]
    pub fn reference(&self, name: &str) -> Option<&ReferenceReport> {
        self.references.iter().find(|report| report.name == name)
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = ["reference", "source", "references", "copies", "found"];
        let mut rows = vec![heading.map(str::to_owned)];
        rows.extend(self.references.iter().map(|edge| {
            [
                edge.name.clone(),
                edge.source.to_owned(),
                edge.references.to_string(),
                edge.copies.to_string(),
                edge.found(),
            ]
        }));
        let width = |n: usize| rows.iter().map(|row| row[n].len()).max().unwrap_or(0);
        let [edges, sources, references, copies] = [0, 1, 2, 3].map(width);
        for [edge, source, of, copied, found] in &rows {
            writeln!(
                f,
                "{edge:edges$}  {source:sources$}  {of:>references$}  {copied:>copies$}  {found}"
            )?;
        }
        for edge in &self.references {
            for finding in &edge.findings {
                writeln!(f, "  {finding}")?;
            }
            let more = edge.defects().saturating_sub(edge.findings.len() as u64);
            if more > 0 {
                writeln!(f, "  {}: and {more} more", edge.name)?;
            }
        }
        for one in &self.undecodable {
            writeln!(f, "  {one}")?;
        }
        for one in &self.invalid {
            writeln!(f, "  {one}")?;
        }
        if self.flagged > 0 {
            let carry = match self.flagged {
                1 => "1 document carries a flag".to_owned(),
                n => format!("{n} documents carry flags"),
            };
            writeln!(f, "  {carry}: a sweeper or `recover` finishes the work")?;
        }
        if self.unsettled > 0 {
            let n = self.unsettled;
            writeln!(f, "  {n} documents kept changing; run it again")?;
        }
        Ok(())
    }
}
