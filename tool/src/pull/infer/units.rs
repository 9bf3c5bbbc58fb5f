//! Enums of strings: few values that occur again and again.

use bson::doc;

use super::{Builder, Place};
use crate::findings::Level;
use crate::output::count;
use crate::pull::model::{Body, Ty, Type};
use crate::pull::names::{Taken, camel, type_name, words};
use crate::pull::profile::{Text, Values, confidence, percent, share};
use crate::pull::relate::split;
use crate::pull::source::flag;

/// More values are no enum.
const VARIANTS: usize = 12;
/// Among so many strings, a value of an enum is met several times.
const MANY: u64 = 200;

impl Builder<'_> {
    /// The enum of the strings at a place, if they are one.
    pub(super) fn units(&mut self, here: &Place, values: &Values) -> Option<Ty> {
        let first = self.links.source_of(here);
        if let Some(known) = self.units.get(&first) {
            return known.clone().map(Ty::Named);
        }
        // Copies have the type of their source: the values of all count.
        let mut text = values.text.clone();
        for place in self
            .links
            .same_as(&first)
            .into_iter()
            .filter(|place| place != here)
        {
            if let Some(other) = self.links.values(self.data.sources, &place) {
                text.merge(&other.text);
            }
        }
        let name = self.enumerate(&first, &text);
        self.units.insert(first, name.clone());
        name.map(Ty::Named)
    }

    fn enumerate(&mut self, place: &Place, text: &Text) -> Option<String> {
        if self.links.is_key(place)
            || self.is_unique(place)
            || place.path.ends_with('*')
            || place.path == "_id"
            || !self
                .data
                .decisions
                .may_be_enum(&self.data.sources[place.source].name, &place.path)
        {
            return None;
        }
        if !is_enum(text) {
            self.note_nearly(place, text);
            return None;
        }
        if is_open(place, text) {
            let message = format!(
                "has {} so far, and others may come: it stays a string",
                count(text.distinct.len() as u64, "value")
            );
            self.note(place, "open_set", Level::Note, message, None);
            return None;
        }
        let name = self.free_name(place, &type_name(split(&place.path).1), "Value");
        let mut idents = Taken::default();
        let mut units = Vec::new();
        for (stored, seen) in &text.distinct {
            let ident = if stored.is_empty() {
                "Empty".to_owned()
            } else {
                camel(stored)
            };
            let rare = share(*seen, text.count) < 0.005;
            if rare {
                let message = format!("is {stored:?} in only {}", count(*seen, "value"));
                let filter = doc! { &place.path: &**stored };
                self.review_some(place, "rare_value", message, Some(filter));
            }
            let remark = rare.then(|| format!("only {}", count(*seen, "value")));
            units.push((stored.to_string(), idents.free(&ident, ""), remark));
        }
        let docs = vec![format!(
            "`{}` in `{}`: {}.",
            place.path,
            self.data.sources[place.source].name,
            count(text.count, "value")
        )];
        let owner = Some(place.source);
        let shown: Vec<&str> = text.distinct.keys().map(|value| &**value).collect();
        self.found(
            place,
            "enum",
            format!("is one of {}", shown.join(", ")),
            confidence(text.count, text.count),
        );
        self.types.push((
            owner,
            Type {
                name: name.clone(),
                docs,
                model: None,
                body: Body::Units(units),
            },
        ));
        Some(name)
    }

    /// Few values make up nearly all.
    fn note_nearly(&mut self, place: &Place, text: &Text) {
        let mut counts: Vec<(&str, u64)> = text
            .distinct
            .iter()
            .map(|(value, seen)| (&**value, *seen))
            .filter(|(value, _)| is_word(value))
            .collect();
        counts.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        let often: Vec<&(&str, u64)> = counts
            .iter()
            .take_while(|(_, seen)| share(*seen, text.count) >= 0.03)
            .collect();
        let covered: u64 = often.iter().map(|(_, seen)| seen).sum();
        let cover = share(covered, text.count);
        // The values of an open set grow rarer step by step; typing errors are far rarer than what was meant.
        let least = often.last().map_or(0, |(_, seen)| *seen);
        let next = text
            .distinct
            .values()
            .filter(|seen| share(**seen, text.count) < 0.03)
            .max()
            .copied()
            .unwrap_or(1);
        if least < 5 * next
            || text.count < 50
            || !(2..=VARIANTS).contains(&often.len())
            || !(0.75..1.0).contains(&cover)
        {
            return;
        }
        let shown: Vec<&str> = often.iter().map(|(value, _)| *value).collect();
        let message = format!(
            "looks like an enum of {}, but {} of the values are others: correct them and pull again for an enum",
            shown.join(", "),
            percent(1.0 - cover)
        );
        self.review(place, "nearly_enum", message);
    }

    /// True if a unique index holds the field.
    fn is_unique(&self, place: &Place) -> bool {
        self.data.sources[place.source].indexes.iter().any(|index| {
            let only = index
                .get_document("key")
                .is_ok_and(|keys| keys.len() == 1 && keys.contains_key(&place.path));
            only && flag(index, "unique")
        })
    }
}

/// True if the few values are some of many: names, languages, countries, or values of which one is hardly ever met.
fn is_open(place: &Place, text: &Text) -> bool {
    const OPEN: [&str; 7] = [
        "name", "lang", "language", "locale", "country", "city", "title",
    ];
    let open = |word: &String| OPEN.contains(&word.as_str());
    let is_language =
        |value: &str| value.len() == 2 && value.bytes().all(|b| b.is_ascii_lowercase());
    let rarest = text.distinct.values().min().copied().unwrap_or_default();
    words(split(&place.path).1).last().is_some_and(open)
        || text.distinct.keys().all(|value| is_language(value))
        || (text.count >= MANY && rarest < 5)
}

fn is_enum(text: &Text) -> bool {
    let distinct = text.distinct.len();
    let often = text.distinct.values().filter(|seen| **seen >= 2).count();
    text.others == 0
        && (2..=VARIANTS).contains(&distinct)
        && text.count >= 5 * distinct as u64
        && often * 2 > distinct
        && text
            .distinct
            .keys()
            .filter(|value| is_word(value) || value.is_empty())
            .count()
            == distinct
        && share(text.numbers + text.dates, text.count) < 0.5
        && share(text.empty, text.count) < 0.5
}

/// A word or two, as the names of variants are.
fn is_word(value: &str) -> bool {
    value.len() <= 32
        && value.starts_with(char::is_alphabetic)
        && value
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '+' | '.' | '/' | ':'))
        && value.split(' ').count() <= 3
}
