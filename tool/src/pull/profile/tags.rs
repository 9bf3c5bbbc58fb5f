//! The choice of the field that tells the kind of the documents at a path, from the first documents of a collection.

use super::{Fields, Kind, Values, Variants, share};

/// Candidates that are compared for each path.
pub(crate) const CANDIDATES: usize = 3;
/// A tag has to explain this share of the fields that are not in all documents.
const EXPLAINED: f64 = 0.7;
/// Names that tags usually have go first.
const USUAL: [&str; 8] = [
    "type", "kind", "_t", "__t", "_cls", "_type", "_class", "event",
];

/// An empty profile that separates documents by candidate number `nth` of each path.
pub(crate) fn skeleton(fields: &Fields, nth: usize) -> Fields {
    let tag = candidates(fields).into_iter().nth(nth);
    build(fields, tag, &|fields| skeleton(fields, nth))
}

/// An empty profile that separates documents by the best of the profiles' tags, where one explains enough.
pub(crate) fn best(tried: &[Fields]) -> Fields {
    let parts: Vec<&Fields> = tried.iter().collect();
    best_of(&parts)
}

fn best_of(tried: &[&Fields]) -> Fields {
    let scored = tried.iter().filter_map(|fields| {
        let variants = fields.variants.as_ref()?;
        let score = explained(fields, variants)?;
        Some((score, variants.tag.to_string()))
    });
    let tag = scored
        .filter(|(score, _)| *score >= EXPLAINED)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, tag)| tag);
    let Some(first) = tried.first() else {
        return Fields::default();
    };
    let mut out = Fields {
        variants: tag.as_deref().map(Variants::by),
        ..Fields::default()
    };
    for (name, (order, values)) in &first.named {
        let same: Vec<&Values> = tried.iter().filter_map(|fields| fields.get(name)).collect();
        if let Some(values) = best_values(&same).filter(|_| values.count > 0) {
            out.named.insert(name.clone(), (*order, values));
        }
    }
    out
}

/// The skeleton of values; `None` if no tag lies in them.
fn best_values(tried: &[&Values]) -> Option<Values> {
    let fields: Vec<&Fields> = tried
        .iter()
        .filter_map(|values| values.fields.as_deref())
        .collect();
    let items: Vec<&Values> = tried
        .iter()
        .filter_map(|values| values.items.as_deref())
        .collect();
    let fields = Some(best_of(&fields)).filter(has_tag).map(Box::new);
    let items = Some(items)
        .filter(|items| !items.is_empty())
        .and_then(|items| best_values(&items))
        .map(Box::new);
    (fields.is_some() || items.is_some()).then(|| Values {
        fields,
        items,
        ..Values::default()
    })
}

fn build(fields: &Fields, tag: Option<String>, deeper: &dyn Fn(&Fields) -> Fields) -> Fields {
    let mut out = Fields {
        variants: tag.as_deref().map(Variants::by),
        ..Fields::default()
    };
    for (name, (order, values)) in &fields.named {
        if let Some(values) = build_values(values, deeper) {
            out.named.insert(name.clone(), (*order, values));
        }
    }
    out
}

fn build_values(values: &Values, deeper: &dyn Fn(&Fields) -> Fields) -> Option<Values> {
    let fields = values
        .fields
        .as_deref()
        .map(deeper)
        .filter(has_tag)
        .map(Box::new);
    let items = values
        .items
        .as_deref()
        .and_then(|items| build_values(items, deeper))
        .map(Box::new);
    (fields.is_some() || items.is_some()).then(|| Values {
        fields,
        items,
        ..Values::default()
    })
}

fn has_tag(fields: &Fields) -> bool {
    fields.variants.is_some() || !fields.named.is_empty()
}

/// Strings with few distinct values, in documents of which some lack fields.
fn candidates(fields: &Fields) -> Vec<String> {
    let partial = fields.named.values().filter(|(_, values)| {
        let there = share(values.count, fields.documents);
        (0.02..0.98).contains(&there)
    });
    if partial.count() < 2 {
        return Vec::new();
    }
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for (name, (order, values)) in &fields.named {
        let text = &values.text;
        let few = (2..=12).contains(&text.distinct.len()) && text.others == 0;
        let often = text.count >= 4 * text.distinct.len() as u64;
        let mostly = values
            .main_kind()
            .is_some_and(|(kind, share)| kind == Kind::String && share > 0.8);
        if few && often && mostly && share(values.count, fields.documents) > 0.75 {
            let usual = USUAL.iter().position(|usual| *usual == &**name);
            found.push((usual.unwrap_or(USUAL.len()), *order, name));
        }
    }
    found.sort_unstable();
    found.truncate(CANDIDATES);
    found
        .into_iter()
        .map(|(_, _, name)| name.to_owned())
        .collect()
}

/// The share of the optional fields' variation that the tag explains; `None` if fewer than two variants have fields of their own.
#[expect(clippy::cast_precision_loss, reason = "a score")]
fn explained(fields: &Fields, variants: &Variants) -> Option<f64> {
    let (mut base, mut left) = (0.0, 0.0);
    let mut owners = std::collections::BTreeSet::new();
    for (name, (_, values)) in &fields.named {
        let there = share(values.count, fields.documents);
        if !(0.02..0.98).contains(&there) {
            continue;
        }
        base += fields.documents as f64 * there.min(1.0 - there);
        for (tag, variant) in &variants.by_tag {
            let count = variant.get(name).map_or(0, |values| values.count);
            let here = share(count, variant.documents);
            left += variant.documents as f64 * here.min(1.0 - here);
            if here > 0.75 && share(count, values.count) > 0.8 {
                owners.insert(tag);
            }
        }
    }
    (base > 0.0 && owners.len() >= 2).then(|| 1.0 - left / base)
}
