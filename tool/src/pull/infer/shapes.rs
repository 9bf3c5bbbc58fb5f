//! Shapes of embedded documents that are the same in several places.

use std::collections::{BTreeMap, BTreeSet};

use super::Place;
use super::links::Links;
use super::maps::is_map;
use crate::pull::profile::{Fields, Kind, Values, share};
use crate::pull::relate::split;
use crate::pull::source::{Class, Source};

/// Two shapes are one if they share this part of their fields.
const ALIKE: f64 = 0.75;

/// Places with documents of one shape.
#[derive(Debug, Default)]
struct Group {
    places: Vec<Place>,
    merged: Fields,
    /// The struct, once it is written, and how many elements its arrays allow.
    written: Option<(String, u64)>,
}

/// The shapes of a database.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    groups: Vec<Group>,
    by_place: BTreeMap<Place, usize>,
}

impl Shapes {
    /// Groups the embedded documents without documents in them. Those with references are not grouped: a reference belongs to one place.
    pub(crate) fn find(sources: &[Source], links: &Links) -> Self {
        let mut found = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            if source.class != Class::View {
                collect(&source.root, &Place::new(at, ""), &mut found);
            }
        }
        found.retain(|(place, fields)| {
            fields.named.len() >= 2
                && !links.recents.contains_key(place)
                && !links.is_average(place)
                && fields
                    .named
                    .keys()
                    .all(|name| !links.touches(&place.field(name)))
        });
        found.sort_by_key(|(_, fields)| std::cmp::Reverse(fields.named.len()));
        let mut shapes = Shapes::default();
        for (place, fields) in found {
            let alike = shapes
                .groups
                .iter()
                .position(|group| is_alike(&group.merged, fields));
            let at = alike.unwrap_or(shapes.groups.len());
            if alike.is_none() {
                shapes.groups.push(Group::default());
            }
            let group = &mut shapes.groups[at];
            group.merged.merge(fields);
            group.places.push(place.clone());
            shapes.by_place.insert(place, at);
        }
        shapes
    }

    fn group(&self, place: &Place) -> Option<&Group> {
        self.groups.get(*self.by_place.get(place)?)
    }

    /// All places with the documents' shape.
    pub(crate) fn places(&self, place: &Place) -> Vec<Place> {
        self.group(place)
            .map(|group| group.places.clone())
            .unwrap_or_default()
    }

    /// The profile of all documents of the shape, where there are several places.
    pub(crate) fn merged(&self, place: &Place) -> Option<Fields> {
        let group = self.group(place).filter(|group| group.places.len() > 1)?;
        Some(group.merged.clone())
    }

    /// True if documents of several collections have the shape.
    pub(crate) fn is_shared(&self, place: &Place) -> bool {
        let sources: BTreeSet<usize> = self
            .places(place)
            .iter()
            .map(|place| place.source)
            .collect();
        sources.len() > 1
    }

    /// The name of the field that has all documents of the shape in it, under several names.
    pub(crate) fn family(&self, place: &Place) -> Option<String> {
        let places = &self.group(place)?.places;
        let above = split(&place.path).0;
        let together =
            |other: &Place| other.source == place.source && split(&other.path).0 == above;
        let is_family = places.len() > 1 && !above.is_empty() && places.iter().all(together);
        is_family.then(|| split(above).1.to_owned())
    }

    /// The struct of the shape, if it is written already.
    pub(crate) fn written(&self, place: &Place) -> Option<(String, u64)> {
        self.group(place)?.written.clone()
    }

    /// Remembers the struct of the shape.
    pub(crate) fn write(&mut self, place: &Place, name: &str, nested: u64) {
        if let Some(at) = self.by_place.get(place) {
            self.groups[*at].written = Some((name.to_owned(), nested));
        }
    }
}

fn collect<'a>(fields: &'a Fields, place: &Place, out: &mut Vec<(Place, &'a Fields)>) {
    for (name, values) in fields.in_order() {
        let here = place.field(name);
        let items = values.items.as_deref();
        for values in [Some(values), items].into_iter().flatten() {
            let Some(inner) = values.fields.as_deref() else {
                continue;
            };
            let leaf = inner.named.values().all(|(_, values)| is_leaf(values));
            let tagged = inner.variants.is_some();
            if leaf && !tagged && !is_map(inner) && values.only_kind() == Some(Kind::Document) {
                out.push((here.clone(), inner));
            }
            if !is_map(inner) {
                collect(inner, &here, out);
            }
        }
    }
}

fn is_leaf(values: &Values) -> bool {
    values.fields.is_none()
        && values
            .items
            .as_deref()
            .is_none_or(|items| items.fields.is_none() && items.items.is_none())
}

fn is_alike(a: &Fields, b: &Fields) -> bool {
    let common: Vec<&str> = a
        .named
        .keys()
        .filter(|name| b.named.contains_key(*name))
        .map(|name| &**name)
        .collect();
    let all = a.named.len() + b.named.len() - common.len();
    if common.len() < 2 || share(common.len() as u64, all as u64) < ALIKE {
        return false;
    }
    let class = |values: &Values| match values.main_kind() {
        Some((Kind::Int32 | Kind::Int64 | Kind::Double, _)) => Some(Kind::Double),
        other => other.map(|(kind, _)| kind),
    };
    common.into_iter().all(|name| {
        match (a.get(name).and_then(class), b.get(name).and_then(class)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    })
}
