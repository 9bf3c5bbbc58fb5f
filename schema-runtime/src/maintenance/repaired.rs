//! The report of a repair.

use std::fmt;

use bson::Bson;

use super::verify::Verified;

/// The result of [`repair`](crate::repair()): the defects that it found, and the changes that it wrote.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Repaired {
    /// The defects before the repair. Ambiguous keys, references of another type or to another tenant, and orphans whose rule refuses, still
    /// remain; so do documents that cannot be decoded, which are looked for at the end.
    pub found: Verified,
    /// References that led nowhere and followed their delete rule.
    pub orphans: u64,
    /// Documents whose copies were compared with their sources and corrected.
    pub documents: u64,
    /// Sources that were flagged, or whose copies were ahead of them: they got a revision above that of their copies, which then follow.
    pub sources: u64,
    /// Documents that the server refused to change, by `_id`, each with the reason. They stay flagged.
    pub refused: Vec<(Bson, String)>,
}

impl Repaired {
    /// True if nothing had to be written.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.documents == 0 && self.sources == 0 && self.orphans == 0 && self.refused.is_empty()
    }
}

impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.found)?;
        let (documents, sources, orphans) = (self.documents, self.sources, self.orphans);
        writeln!(
            f,
            "{documents} documents corrected, {sources} sources put ahead of their copies, {orphans} orphans removed"
        )?;
        self.refused
            .iter()
            .try_for_each(|(id, reason)| writeln!(f, "  {id} was refused: {reason}"))
    }
}
