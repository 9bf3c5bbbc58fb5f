//! The comparison of a stored document with the sources that its copies come from.

use bson::{Bson, RawBsonRef, RawDocument};

use super::report::{Defect, Difference};
use super::sources::{Found, Sources};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::raw_at;
use crate::graph::edges::Edge;
use crate::schema::relation::OnDelete;
use crate::schema::stored;
use crate::schema::tenant::own_tenant;

/// A difference from the sources, and the facts that its repair needs.
#[derive(Debug, Clone)]
pub(crate) struct Wrong {
    pub(crate) edge: &'static Edge,
    pub(crate) key: Bson,
    /// The `_id` of the source, if it exists.
    pub(crate) source: Option<Bson>,
    /// The revision of the copies.
    pub(crate) revision: Option<i64>,
    /// True if the reference is wrong, not its copies.
    pub(crate) of_reference: bool,
    pub(crate) finding: Difference,
}

/// The numbers of references and of copied values that were compared along one edge.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Looked {
    pub(crate) references: u64,
    pub(crate) copies: u64,
}

/// Finds the defects along one edge in a document, and returns the numbers of compared values. Skips references that are not looked up yet.
pub(crate) fn compare(
    document: &RawDocument,
    edge: &'static Edge,
    sources: &Sources,
    wrong: &mut Vec<Wrong>,
) -> Looked {
    let mut looked = Looked::default();
    let marked = is_marked(document);
    edge.place
        .visit_references(document, &mut |holder, key, at| {
            looked.references += 1;
            looked.copies += edge.live.len() as u64;
            let Some(found) = sources.get(edge, &IdKey::of_raw(key)) else {
                return;
            };
            let spot = Spot {
                document,
                edge,
                holder,
                key,
                at,
                marked,
            };
            spot.compare(found, wrong);
        });
    if !edge.in_variant {
        edge.place.look_without(document, &mut |holder, at| {
            let key = RawBsonRef::Null;
            let spot = Spot {
                document,
                edge,
                holder,
                key,
                at,
                marked,
            };
            spot.without_reference(wrong);
        });
    }
    looked
}

/// True if the copies in a document still have to be compared by another call.
fn is_marked(document: &RawDocument) -> bool {
    match raw_at(document, stored::UNVERIFIED) {
        Some(RawBsonRef::Array(marks)) => marks.into_iter().next().is_some(),
        _ => false,
    }
}

/// A reference with its copies.
struct Spot<'d> {
    document: &'d RawDocument,
    edge: &'static Edge,
    holder: &'d RawDocument,
    key: RawBsonRef<'d>,
    at: &'d [usize],
    marked: bool,
}

impl Spot<'_> {
    fn compare(&self, found: &Found, wrong: &mut Vec<Wrong>) {
        let place = &self.edge.place;
        let reference = place.reference_below();
        let one = match found {
            Found::One(one) if one.source.is_outside(self.edge, self.document) => {
                // A document without a tenant cannot be decoded, and is reported for that.
                if own_tenant(self.edge.target, self.document) != Some(Bson::Null) {
                    let of = one.source.tenant(self.edge.source);
                    wrong.push(self.wrong(Defect::OtherTenant, reference, self.marked, None, of));
                }
                return;
            }
            Found::Nothing => {
                let kind = match self.edge.on_delete {
                    OnDelete::Keep => Defect::Kept,
                    _ => Defect::Orphan,
                };
                wrong.push(self.wrong(kind, reference, self.marked, None, None));
                return;
            }
            Found::Several => {
                wrong.push(self.wrong(Defect::AmbiguousKey, reference, self.marked, None, None));
                return;
            }
            Found::One(one) if one.source.deleted => {
                // The delete of the source is in progress, and the reference follows its rule.
                wrong.push(self.wrong(Defect::Orphan, reference, true, None, None));
                return;
            }
            Found::One(one) => one,
        };
        let source = &one.source;
        let flagged = self.marked || source.pending.contains(&self.edge.name);
        let known = |kind, below: &str, have, want| {
            let mut wrong = self.wrong(kind, below, flagged, have, want);
            wrong.source = Some(source.id.clone());
            wrong
        };
        let own = source.fields.get(self.edge.key);
        if let Some(own) = own
            && own.element_type() != self.key.element_type()
        {
            let (have, want) = (Some(self.key()), Some(own.clone()));
            let mut of_reference = known(Defect::WrongType, reference, have, want);
            of_reference.of_reference = true;
            wrong.push(of_reference);
        }
        let revision = place.revision_in(self.holder);
        if let Some(revision) = revision.filter(|revision| *revision > source.revision()) {
            let (have, want) = (Some(Bson::Int64(revision)), Some(source.r.clone()));
            wrong.push(known(Defect::Ahead, place.revision_below(), have, want));
            return;
        }
        for copied in &self.edge.live {
            let have = present(raw_at(self.holder, &copied.to));
            let want = present(raw_at(&one.raw, &copied.from));
            if same(have, want) {
                continue;
            }
            let owned = |value: Option<RawBsonRef<'_>>| Bson::try_from(value?).ok();
            let (have, want) = (owned(have), owned(want));
            let equal = have.as_ref().map(IdKey::new) == want.as_ref().map(IdKey::new);
            let kind = if equal {
                Defect::WrongType
            } else {
                Defect::Stale
            };
            wrong.push(known(kind, &copied.to, have, want));
        }
    }

    /// Reports copies beside an absent reference, which have no source.
    fn without_reference(&self, wrong: &mut Vec<Wrong>) {
        for copied in &self.edge.live {
            if let Some(have) = present(raw_at(self.holder, &copied.to)) {
                let have = Bson::try_from(have).ok();
                wrong.push(self.wrong(Defect::Stale, &copied.to, false, have, None));
            }
        }
    }

    fn key(&self) -> Bson {
        Bson::try_from(self.key).unwrap_or(Bson::Null)
    }

    fn wrong(
        &self,
        kind: Defect,
        below: &str,
        flagged: bool,
        have: Option<Bson>,
        want: Option<Bson>,
    ) -> Wrong {
        let id = self.document.get("_id").ok().flatten();
        let id = id.and_then(|id| Bson::try_from(id).ok());
        // For a reference that leads nowhere, report the reference itself as the stored value.
        let of_reference = matches!(
            kind,
            Defect::Orphan | Defect::OtherTenant | Defect::Kept | Defect::AmbiguousKey
        );
        let have = have.or_else(|| of_reference.then(|| self.key()));
        Wrong {
            edge: self.edge,
            key: self.key(),
            source: None,
            revision: self.edge.place.revision_in(self.holder),
            of_reference,
            finding: Difference {
                reference: self.edge.name.clone(),
                model: self.edge.target.name,
                id: id.unwrap_or(Bson::Null),
                path: self.edge.place.shown(self.at, below),
                kind,
                flagged,
                have,
                want,
            },
        }
    }
}

/// A null and a field that is not there are the same `None`.
fn present(value: Option<RawBsonRef<'_>>) -> Option<RawBsonRef<'_>> {
    value.filter(|value| *value != RawBsonRef::Null)
}

fn same(have: Option<RawBsonRef<'_>>, want: Option<RawBsonRef<'_>>) -> bool {
    match (have, want) {
        (Some(RawBsonRef::Double(have)), Some(RawBsonRef::Double(want))) => {
            have == want || have.is_nan() && want.is_nan()
        }
        (have, want) => have == want,
    }
}
