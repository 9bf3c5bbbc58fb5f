//! A memory of the sources that this follower has fanned out, by which it recognises its own writes where the event does not say whose
//! they are.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::bson_util::id_key::IdKey;
use crate::graph::source::Source;
use crate::schema::stored;

/// The sources that were fanned out last, each with its revision and its values at that time.
///
/// The removal of a flag can show as a replacement of the document, and the event does not say whose it is. A source that is still what it
/// was when its copies were written needs nothing; without this, the follower would follow itself.
#[derive(Debug, Default)]
pub(crate) struct Fanned {
    young: HashMap<(&'static str, IdKey), u64>,
    old: HashMap<(&'static str, IdKey), u64>,
}

/// The largest number of sources that one generation remembers.
const GENERATION: usize = 50_000;

impl Fanned {
    pub(super) fn learn(&mut self, collection: &'static str, source: &Source) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young
            .insert((collection, IdKey::new(&source.id)), state(source));
    }

    pub(super) fn knows(&self, collection: &'static str, source: &Source) -> bool {
        let key = (collection, IdKey::new(&source.id));
        let known = self.young.get(&key).or_else(|| self.old.get(&key));
        known == Some(&state(source))
    }
}

/// The revision and the fields of a source, without flags.
fn state(source: &Source) -> u64 {
    let mut hasher = DefaultHasher::new();
    source.revision().hash(&mut hasher);
    let fields = source
        .fields
        .iter()
        .filter(|(name, _)| *name != stored::OWN);
    for (name, value) in fields {
        name.hash(&mut hasher);
        IdKey::new(value).hash(&mut hasher);
        (value.element_type() as u8).hash(&mut hasher);
    }
    hasher.finish()
}
