//! Values of rare types, beside those that nearly all others have.

use std::collections::BTreeMap;

use super::{Fields, Kind, Lengths, Text, Values, share};

/// Numbers of all widths are one type.
fn class(kind: Kind) -> Kind {
    match kind {
        Kind::Int32 | Kind::Int64 => Kind::Double,
        kind => kind,
    }
}

impl Values {
    /// The values of the type that at least the share `least` of all values has, the others counted in `outliers`; `None` if there are no
    /// others, or too many.
    pub(crate) fn majority(&self, least: f64) -> Option<Values> {
        let mut classes: BTreeMap<Kind, u64> = BTreeMap::new();
        for (kind, count) in &self.kinds {
            *classes.entry(class(*kind)).or_default() += count;
        }
        let (main, count) = classes.iter().max_by_key(|(_, count)| **count)?;
        if classes.len() < 2 || share(*count, self.present()) < least {
            return None;
        }
        let mut most = self.clone();
        most.kinds.retain(|kind, _| class(*kind) == *main);
        let others = self.kinds.iter().filter(|(kind, _)| class(**kind) != *main);
        most.outliers = others.map(|(kind, count)| (*kind, *count)).collect();
        if *main != Kind::String {
            most.text = Text::default();
        }
        if *main != Kind::Document {
            most.fields = None;
        }
        if *main != Kind::Array {
            most.items = None;
            most.lengths = Lengths::default();
        }
        Some(most)
    }

    fn keep_majority(&mut self, least: f64) {
        if let Some(most) = self.majority(least) {
            *self = most;
        }
        if let Some(fields) = &mut self.fields {
            fields.keep_majority(least);
        }
        if let Some(items) = &mut self.items {
            items.keep_majority(least);
        }
    }
}

impl Fields {
    /// Sets values of rare types apart, in all fields at any depth.
    pub(crate) fn keep_majority(&mut self, least: f64) {
        for (_, values) in self.named.values_mut() {
            values.keep_majority(least);
        }
        let variants = self.variants.iter_mut();
        for fields in variants.flat_map(|variants| variants.by_tag.values_mut()) {
            fields.keep_majority(least);
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::{RawBsonRef, rawdoc};

    use super::*;

    #[test]
    fn rare_types_are_set_apart() {
        let mut values = Values::default();
        let document = rawdoc! { "a": 1 };
        for _ in 0..99 {
            values.add(RawBsonRef::Document(&document), 0);
        }
        values.add(RawBsonRef::String("a"), 0);
        assert!(values.majority(0.995).is_none());
        let most = values.majority(0.99).expect("nearly all");
        assert_eq!(most.only_kind(), Some(Kind::Document));
        assert_eq!(most.outliers, BTreeMap::from([(Kind::String, 1)]));
        let mut numbers = Values::default();
        numbers.add(RawBsonRef::Int32(1), 0);
        numbers.add(RawBsonRef::Double(1.5), 0);
        assert!(numbers.majority(0.1).is_none(), "one type");
    }
}
