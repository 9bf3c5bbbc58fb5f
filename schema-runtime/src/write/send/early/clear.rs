//! The statements that remove the flags of changed documents and make their copies match the sources.

use std::collections::{HashMap, HashSet};

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::unfinished::{Flagged, Parents, Unfinished};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::at;
use crate::graph::edges::Edges;
use crate::graph::flags::{self, WrittenFlags};
use crate::propagation::sources_by_key::SourcesByKey;
use crate::schema::stored;

/// I3, L3 and C3 of all these documents: documents that change alike have one statement together. `None` where a document needs more than
/// one.
pub(super) fn statements(
    documents: &[(&Unfinished, &Flagged)],
    known: &SourcesByKey,
    parents: &Parents,
) -> Option<Vec<Document>> {
    let mut once = HashSet::new();
    let mut often = HashSet::new();
    for (_, one) in documents {
        let id = IdKey::new(&one.id);
        if !once.insert(id.clone()) {
            often.insert(id);
        }
    }
    let mut alike: HashMap<Vec<u8>, Alike> = HashMap::new();
    let mut order = Vec::new();
    for (call, one) in documents {
        let copies = Copies::plan(one, call, known, parents)?;
        // Two changes of one document: only the later one left it as it is stored.
        let is_only = often.is_empty() || !often.contains(&IdKey::new(&one.id));
        let as_stored = if is_only { copies.as_stored(one) } else { None };
        let step = as_stored.unwrap_or_else(|| copies.compared(one));
        let key = RawDocumentBuf::try_from(&doc! { "q": &step.q, "u": &step.update });
        let alike = alike
            .entry(key.ok()?.into_bytes())
            .or_insert_with_key(|key| {
                order.push(key.clone());
                Alike {
                    q: step.q,
                    update: step.update,
                    ids: Vec::new(),
                    own: Vec::new(),
                }
            });
        alike.ids.push(&one.id);
        alike.own.extend(step.own);
    }
    let statements = order.iter().filter_map(|key| alike.remove(key));
    Some(statements.map(Alike::statement).collect())
}

/// Documents that one statement changes.
struct Alike<'d> {
    q: Document,
    update: Bson,
    ids: Vec<&'d Bson>,
    /// Fields of the library, as the documents have them: each has one of the values of each field.
    own: Vec<(&'static str, Bson)>,
}

impl Alike<'_> {
    fn statement(self) -> Document {
        let mut q = doc! { "_id": flags::ids_of(&self.ids) };
        let mut own: HashMap<&str, Vec<Bson>> = HashMap::new();
        for (path, value) in self.own {
            let values = own.entry(path).or_default();
            // The documents of one call have the same tokens.
            if values.last() != Some(&value) {
                values.push(value);
            }
        }
        for (path, mut values) in own {
            let condition = match values.len() {
                1 => doc! { "$eq": values.remove(0) },
                _ => doc! { "$in": values },
            };
            q.insert(path, condition);
        }
        q.extend(self.q);
        // Without a hint the server also considers the indexes of the references and the flags.
        doc! { "q": q, "u": self.update, "multi": self.ids.len() > 1, "hint": { "_id": 1 } }
    }
}

/// The last step of one document: the filter without its `_id`, and the update.
struct LastStep {
    q: Document,
    update: Bson,
    /// Fields that the document has to have as the write stored them.
    own: Vec<(&'static str, Bson)>,
}

/// The copies of a document as its sources are, with the filter under which they are written.
#[derive(Default)]
struct Copies {
    q: Document,
    set: Document,
    unset: Vec<String>,
}

impl Copies {
    /// Plans the copies of one document. `None` where one statement cannot make them match.
    fn plan(
        one: &Flagged,
        call: &Unfinished,
        known: &SourcesByKey,
        parents: &Parents,
    ) -> Option<Self> {
        let mut copies = Copies::default();
        for (edge, key) in one.unverified.iter().flat_map(|marked| &marked.references) {
            if call.is_shown(edge, key) {
                continue;
            }
            let read = call.parent(edge, key, parents);
            let source = read.or_else(|| known.get(edge, key))?;
            if source.deleted {
                return None;
            }
            // There are no copies beside a reference that is only checked, and a reference that was stored since has a mark of its own.
            if edge.live.is_empty() {
                continue;
            }
            if !edge.place.is_single() || source.outdated.is_some() {
                return None;
            }
            // No fan-out has reached the copies: they have no revision yet.
            copies.q.extend(edge.place.holding(key, Some(-1)));
            let onward = !Edges::get().onward(edge).is_empty();
            if onward {
                // Another writer may have stored another value under a mark of its own: copies of that value would not follow this
                // correction.
                copies.q.insert(stored::REVISION, one.r);
            }
            for copied in &edge.live {
                let path = edge.full(copied);
                let value = source.value(copied);
                if onward && at(&one.copies, &path) != value {
                    return None;
                }
                match value {
                    Some(value) => drop(copies.set.insert(path, value)),
                    None => copies.unset.push(path),
                }
            }
            copies
                .set
                .insert(edge.place.revision_path(), source.r.clone());
        }
        Some(copies)
    }

    /// The last step of a document whose flags are as the write has stored them: operators remove them. `None` if it has other flags that
    /// have to stay.
    fn as_stored(&self, one: &Flagged) -> Option<LastStep> {
        let gone = one.flags().to_unset(&one.own)?;
        let mut q = self.q.clone();
        if gone.is_all {
            // The revision is compared with the rest of `_dn`.
            q.remove(stored::REVISION);
        }
        q.extend(gone.conditions);
        let unset = self.unset.iter().cloned().chain(gone.fields);
        let unset: Document = unset.map(|path| (path, Bson::from(""))).collect();
        let mut update = Document::new();
        for (operator, fields) in [("$set", self.set.clone()), ("$unset", unset)] {
            if !fields.is_empty() {
                update.insert(operator, fields);
            }
        }
        Some(LastStep {
            q,
            update: update.into(),
            own: gone.as_written,
        })
    }

    /// The last step of a document that may have further flags: a pipeline removes only the flags of the write.
    fn compared(self, one: &Flagged) -> LastStep {
        let flags = one.flags();
        let mut q = self.q;
        q.extend(flags.conditions());
        let set = self.set.into_iter();
        let set: Document = set
            .map(|(path, value)| (path, doc! { "$literal": value }.into()))
            .collect();
        let mut stages = Vec::new();
        if !set.is_empty() {
            stages.push(doc! { "$set": set });
        }
        if !self.unset.is_empty() {
            stages.push(doc! { "$unset": self.unset });
        }
        stages.extend(flags.stages());
        LastStep {
            q,
            update: stages.into(),
            own: Vec::new(),
        }
    }
}

impl Flagged {
    /// The flags of the write that are still on the document.
    fn flags(&self) -> WrittenFlags<'_> {
        let names = self.pending.iter().map(String::as_str);
        let names = names.filter(|name| !flags::is_of_delete(name)).collect();
        WrittenFlags {
            unverified: self
                .unverified
                .as_ref()
                .map(|marked| marked.tokens.as_slice()),
            uncounted: self.counted,
            pending: (!self.pending.is_empty()).then_some((self.r, names)),
        }
    }
}
