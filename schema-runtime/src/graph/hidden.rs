//! References that no path reaches: they are below the keys of a map, which are data, or in an array inside an array. Expressions find and
//! remove them.

use bson::{Bson, Document, doc};

use crate::bson_util::path::{at, join};

/// The part of a document that is removed with a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Removal {
    /// The element of the innermost array, or the entry of the innermost map.
    Element,
    /// These fields, below the innermost container.
    Fields(Vec<String>),
}

/// The containers on the way to a hidden reference, and the place of the reference in an element of the last container.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HiddenPath {
    steps: Vec<Step>,
    held: Held,
    /// The tag that a reference to one of several models must have: the stored field and its value, below the last container.
    tag: Option<(String, &'static str)>,
}

/// A container, and its path in the document or in an element of the container before it. The path is empty if that element is the
/// container itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    container: Container,
    path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Array,
    Map,
}

/// The place of a reference in the last container.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    /// The reference is a key of the map.
    Key,
    /// The reference is at this path in an element of the array or a value of the map; the path is empty if the element itself is the
    /// reference.
    At(String),
}

impl Default for Held {
    fn default() -> Self {
        Held::At(String::new())
    }
}

impl HiddenPath {
    /// The path to the elements of one more container.
    pub(crate) fn inside(&self, container: Container, path: &str) -> HiddenPath {
        let mut inside = self.clone();
        let path = path.to_owned();
        inside.steps.push(Step { container, path });
        inside
    }

    /// The path to the reference at `path` in an element; the tag of the reference is in the document at `holder`.
    pub(crate) fn reference(
        mut self,
        path: String,
        holder: &str,
        tag: Option<(&str, &'static str)>,
    ) -> HiddenPath {
        self.held = Held::At(path);
        self.tag = tag.map(|(name, value)| (join(holder, name), value));
        self
    }

    /// The path to the keys of the last map, which are the references.
    pub(crate) fn keys(mut self) -> HiddenPath {
        self.held = Held::Key;
        self
    }

    /// True if there is no container on the way to the reference.
    pub(crate) fn is_single(&self) -> bool {
        self.steps.is_empty()
    }

    /// True if an ordinary path reaches the reference: all containers are arrays, and none is directly inside another.
    pub(crate) fn is_open(&self) -> bool {
        let open = |step: &Step| step.container == Container::Array && !step.path.is_empty();
        self.held != Held::Key && self.steps.iter().all(open)
    }

    /// The path of `below`, in an element of the last container, without the keys and indexes on the way.
    pub(crate) fn full(&self, below: &str) -> String {
        let steps = self.steps.iter().rev();
        steps.fold(below.to_owned(), |path, step| join(&step.path, &path))
    }

    /// An expression that is true if a document refers to one of these keys.
    pub(crate) fn holds(&self, keys: &[Bson]) -> Document {
        self.holds_from(0, "$$ROOT", keys)
    }

    /// An expression that is true if the value at `at`, inside the first `level` containers, refers to one of these keys.
    fn holds_from(&self, level: usize, at: &str, keys: &[Bson]) -> Document {
        let Some(step) = self.steps.get(level) else {
            let (held, keys) = match &self.held {
                Held::Key => {
                    let texts: Vec<Bson> = keys.iter().map(stored_key).collect();
                    (format!("{}.k", variable(level)), texts)
                }
                Held::At(path) => (join(at, path), keys.to_vec()),
            };
            let one = doc! { "$in": [held, { "$literal": keys }] };
            return match &self.tag {
                None => one,
                Some((path, value)) => {
                    let tagged = doc! { "$eq": [join(at, path), { "$literal": value }] };
                    doc! { "$and": [tagged, one] }
                }
            };
        };
        doc! { "$anyElementTrue": [{ "$map": {
            "input": step.elements(at),
            "as": name(level),
            "in": self.holds_from(level + 1, &step.value(level), keys),
        } }] }
    }

    /// The keys among these that a document refers to, as far as it was read.
    pub(crate) fn held(&self, document: &Document, keys: &[Bson]) -> Vec<Bson> {
        let mut held = Vec::new();
        self.collect(0, ("", &Bson::from(document.clone())), &mut held);
        let is_held = |key: &&Bson| match self.held {
            Held::Key => held.contains(&stored_key(key)),
            Held::At(_) => held.contains(key),
        };
        keys.iter().filter(is_held).cloned().collect()
    }

    /// Adds to `out` the keys that an element inside the first `level` containers refers to; an element of a map has a key itself.
    fn collect(&self, level: usize, (key, value): (&str, &Bson), out: &mut Vec<Bson>) {
        let Some(step) = self.steps.get(level) else {
            let tagged = |(path, name): &(String, &str)| {
                value_at(value, path).and_then(Bson::as_str) == Some(*name)
            };
            match &self.held {
                Held::Key => out.push(Bson::from(key)),
                Held::At(path) if self.tag.as_ref().is_none_or(tagged) => {
                    out.extend(value_at(value, path).cloned());
                }
                Held::At(_) => {}
            }
            return;
        };
        match (step.container, value_at(value, &step.path)) {
            (Container::Array, Some(Bson::Array(elements))) => elements
                .iter()
                .for_each(|element| self.collect(level + 1, ("", element), out)),
            (Container::Map, Some(Bson::Document(map))) => map
                .iter()
                .for_each(|(key, value)| self.collect(level + 1, (key, value), out)),
            _ => {}
        }
    }

    /// The stage that makes this removal for every reference to these keys. A document without such references stays as it is.
    pub(crate) fn removed(&self, removal: &Removal, keys: &[Bson]) -> Document {
        let Some(first) = self.steps.first() else {
            return doc! { "$set": {} };
        };
        let left = self.removed_from(0, "$$ROOT", removal, keys);
        match first.path.as_str() {
            // A flattened map is the document itself.
            "" => doc! { "$replaceWith": left },
            path => doc! { "$set": { path: left } },
        }
    }

    /// The container of the step at `level`, in the value at `at`, after this removal.
    fn removed_from(&self, level: usize, at: &str, removal: &Removal, keys: &[Bson]) -> Document {
        let step = &self.steps[level];
        let value = step.value(level);
        let (input, name) = (step.elements(at), name(level));
        let held = self.holds_from(level + 1, &value, keys);
        let inner = self.steps.get(level + 1);
        let changed = match (inner, removal) {
            (None, Removal::Element) => {
                let stays = doc! { "$not": [held] };
                return step
                    .collected(doc! { "$filter": { "input": input, "as": name, "cond": stays } });
            }
            (None, Removal::Fields(paths)) => without(&value, paths),
            (Some(inner), _) => {
                let new = self.removed_from(level + 1, &value, removal, keys);
                replaced(&value, &inner.path, new)
            }
        };
        let one = doc! { "$cond": [held, changed, &value] };
        let one = match step.container {
            Container::Array => one,
            Container::Map => doc! { "k": format!("{}.k", variable(level + 1)), "v": one },
        };
        step.collected(doc! { "$map": { "input": input, "as": name, "in": one } })
    }
}

impl Step {
    /// The elements of the container in the value at `at`: those of a map as `{k, v}`; none if the container is absent.
    fn elements(&self, at: &str) -> Document {
        let path = join(at, &self.path);
        match self.container {
            Container::Array => doc! { "$cond": [{ "$isArray": &path }, &path, []] },
            Container::Map => {
                let is_map = doc! { "$eq": [{ "$type": &path }, "object"] };
                doc! { "$objectToArray": { "$cond": [is_map, &path, {}] } }
            }
        }
    }

    /// The value of an element of the container at `level`.
    fn value(&self, level: usize) -> String {
        let element = variable(level + 1);
        match self.container {
            Container::Array => element,
            Container::Map => format!("{element}.v"),
        }
    }

    /// The container, an array or a map, with these elements.
    fn collected(&self, elements: Document) -> Document {
        match self.container {
            Container::Array => elements,
            Container::Map => doc! { "$arrayToObject": elements },
        }
    }
}

/// The text by which a map stores this key.
fn stored_key(key: &Bson) -> Bson {
    match key {
        Bson::ObjectId(id) => Bson::from(id.to_hex()),
        key => key.clone(),
    }
}

/// The value at a path in a value.
fn value_at<'v>(value: &'v Bson, path: &str) -> Option<&'v Bson> {
    match (path, value) {
        ("", value) => Some(value),
        (path, Bson::Document(document)) => at(document, path),
        _ => None,
    }
}

/// The name of the variable for an element of the container at `level`.
fn name(level: usize) -> String {
    format!("e{level}")
}

/// The element of the last of `levels` containers.
fn variable(levels: usize) -> String {
    format!("$${}", name(levels.saturating_sub(1)))
}

/// The value at `at` with a new value at a path in it.
fn replaced(at: &str, path: &str, new: Document) -> Document {
    let (step, new) = match path.split_once('.') {
        None if path.is_empty() => return new,
        None => (path, new),
        Some((step, rest)) => (step, replaced(&join(at, step), rest, new)),
    };
    doc! { "$mergeObjects": [at, { step: new }] }
}

/// The value at `at` without these fields, which are all in one document.
fn without(at: &str, paths: &[String]) -> Document {
    let holder = paths.first().and_then(|path| path.rsplit_once('.'));
    let holder = holder.map_or("", |(holder, _)| holder);
    let names: Vec<&str> = paths
        .iter()
        .map(|path| path.rsplit('.').next().unwrap_or(path))
        .collect();
    let gone = doc! { "$in": ["$$field.k", { "$literal": names }] };
    let left = doc! { "$arrayToObject": { "$filter": {
        "input": { "$objectToArray": join(at, holder) },
        "as": "field",
        "cond": { "$not": [gone] },
    } } };
    replaced(at, holder, left)
}
