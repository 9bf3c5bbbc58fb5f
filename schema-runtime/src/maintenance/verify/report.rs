//! What `verify` says.

use std::fmt;

use bson::Bson;

use super::undecodable::Undecodable;

/// What can be wrong with a copy, or with the reference that it hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// The source has another value.
    Stale,
    /// The value is the source's, but of another BSON type (`1` and `1.0`), or the reference has another type than what it refers
    /// to (a string where the source has an ObjectId).
    WrongType,
    /// The copies say that they are newer than their source, whatever their values: the source was restored from a backup, or its
    /// last write was lost. A change of the source would pass over them.
    Ahead,
    /// There is no such source.
    Orphan,
    /// A natural key that several sources have: which of them the copies come from is not known.
    AmbiguousKey,
    /// There is no such source, and the reference says `on_delete = keep`. Not a defect.
    DerivedValues,
    /// Of a two-way reference: a document refers to this one, whose array does not have it.
    Missing,
    /// Of a two-way reference: the array has a document that does not refer to this one, or is not there.
    Extra,
}

impl Defect {
    const ALL: [Defect; 8] = [
        Defect::Stale,
        Defect::WrongType,
        Defect::Ahead,
        Defect::Orphan,
        Defect::AmbiguousKey,
        Defect::DerivedValues,
        Defect::Missing,
        Defect::Extra,
    ];

    fn heading(self) -> &'static str {
        match self {
            Defect::Stale => "stale",
            Defect::WrongType => "wrong type",
            Defect::Ahead => "ahead",
            Defect::Orphan => "orphaned",
            Defect::AmbiguousKey => "ambiguous",
            Defect::DerivedValues => "kept",
            Defect::Missing => "missing",
            Defect::Extra => "extra",
        }
    }
}

/// One copy, or one reference, that is not as its source says; or one id that one side of a two-way reference has and the other has not.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The edge: `products.parts`; of a two-way reference the array that follows: `persons.tasks`.
    pub edge: String,
    /// The model that holds it.
    pub model: &'static str,
    /// The `_id` of the document that holds it.
    pub id: Bson,
    /// The stored path of the copy, of the reference where that leads nowhere or has another type, or of the revision of copies
    /// that are ahead: `parts.3.name`.
    pub path: String,
    /// What is wrong.
    pub kind: Defect,
    /// Whether it is known, flagged, and about to be put right by whoever is at it, a [`Sweeper`](crate::Sweeper) or
    /// [`recover`](crate::recover).
    pub flagged: bool,
    /// What is stored; `None` where nothing is.
    pub have: Option<Bson>,
    /// What the source says; `None` where it has no such field, or where there is no source.
    pub want: Option<Bson>,
}

impl Finding {
    /// Whether something has to be done about it: it is neither flagged nor meant to be so.
    #[must_use]
    pub fn is_defect(&self) -> bool {
        !self.flagged && self.kind != Defect::DerivedValues
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<Bson>| {
            let nothing = || "nothing".to_owned();
            value.as_ref().map_or_else(nothing, ToString::to_string)
        };
        let Finding {
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
            Defect::AmbiguousKey => write!(f, "is {have}, which several documents have"),
            Defect::DerivedValues => write!(f, "is {have}, which does not exist any more"),
            Defect::Missing => write!(f, "lacks {want}, which refers to it"),
            Defect::Extra => write!(f, "has {have}, which does not refer to it"),
        }?;
        if self.flagged {
            write!(f, " (flagged)")?;
        }
        Ok(())
    }
}

/// What [`verify`](crate::verify) found along one edge.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EdgeReport {
    /// The edge, as the collection that refers and the path of the reference that copies hang on, if there are any: `products.parts`.
    pub edge: String,
    /// The model referred to.
    pub source: &'static str,
    /// The references that were looked at.
    pub references: u64,
    /// The copied values that were looked at; frozen ones are not.
    pub copies: u64,
    /// The first of what has to be put right, of each kind as many as were asked for.
    pub findings: Vec<Finding>,
    counts: [(u64, u64); Defect::ALL.len()],
}

impl EdgeReport {
    pub(crate) fn new(edge: String, source: &'static str) -> Self {
        EdgeReport {
            edge,
            source,
            references: 0,
            copies: 0,
            findings: Vec::new(),
            counts: Default::default(),
        }
    }

    pub(crate) fn add(&mut self, finding: &Finding, samples: usize) {
        let (unflagged, flagged) = &mut self.counts[finding.kind as usize];
        *if finding.flagged { flagged } else { unflagged } += 1;
        // Many of one kind do not hide the few of another.
        let alike = self.findings.iter().filter(|one| one.kind == finding.kind);
        if finding.is_defect() && alike.count() < samples {
            self.findings.push(finding.clone());
        }
    }

    /// How many findings of this kind there are that nobody knows of yet.
    #[must_use]
    pub fn count(&self, kind: Defect) -> u64 {
        self.counts[kind as usize].0
    }

    /// How many findings of this kind are flagged: somebody is at work on them, or a [`Sweeper`](crate::Sweeper) will be.
    #[must_use]
    pub fn flagged(&self, kind: Defect) -> u64 {
        self.counts[kind as usize].1
    }

    /// How many findings there are of each kind that occurs: `3 stale, 1 orphaned, 2 flagged`.
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

    /// How many findings of all kinds have to be put right.
    #[must_use]
    pub fn defects(&self) -> u64 {
        Defect::ALL
            .into_iter()
            .filter(|kind| *kind != Defect::DerivedValues)
            .map(|kind| self.count(kind))
            .sum()
    }
}

/// What [`verify`](crate::verify) found. Its text is a table with a line per edge, which says how much of each kind there is, and
/// below it the findings.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Verified {
    /// Every edge that was looked at, by name.
    pub edges: Vec<EdgeReport>,
    /// Documents that carry a flag of their own: what follows from a write of them, or from their deletion, is still on its way, or was
    /// left behind by a program that ended. A [`Sweeper`](crate::Sweeper) or [`recover`](crate::recover) finishes it.
    pub flagged: u64,
    /// Documents that looked wrong, but whose sources were changed again during every look; they are left to the next run.
    pub unsettled: u64,
    /// Documents that their model cannot read, by model and path.
    pub undecodable: Vec<Undecodable>,
}

impl Verified {
    /// True where every copy that was looked at is what its source says, or is flagged, and every document can be decoded. Whether
    /// nothing is flagged either, is [`is_settled`](Self::is_settled).
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.undecodable.is_empty() && self.edges.iter().all(|edge| edge.defects() == 0)
    }

    /// Whether nothing is flagged either: every copy, list and number that was looked at is what it should be, and nothing is on its way.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let flagged = |edge: &EdgeReport| Defect::ALL.iter().any(|kind| edge.flagged(*kind) > 0);
        self.is_clean() && self.flagged == 0 && !self.edges.iter().any(flagged)
    }

    /// What was found along the edge of this name.
    #[must_use]
    pub fn edge(&self, name: &str) -> Option<&EdgeReport> {
        self.edges.iter().find(|edge| edge.edge == name)
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = ["edge", "source", "references", "copies", "found"];
        let mut rows = vec![heading.map(str::to_owned)];
        rows.extend(self.edges.iter().map(|edge| {
            [
                edge.edge.clone(),
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
        for edge in &self.edges {
            for finding in &edge.findings {
                writeln!(f, "  {finding}")?;
            }
            let more = edge.defects().saturating_sub(edge.findings.len() as u64);
            if more > 0 {
                writeln!(f, "  {}: and {more} more", edge.edge)?;
            }
        }
        for one in &self.undecodable {
            writeln!(f, "  {one}")?;
        }
        if self.flagged > 0 {
            let n = self.flagged;
            writeln!(
                f,
                "  {n} documents carry flags: a sweeper or `recover` finishes what they stand for"
            )?;
        }
        if self.unsettled > 0 {
            let n = self.unsettled;
            writeln!(f, "  {n} documents kept changing; run it again")?;
        }
        Ok(())
    }
}
