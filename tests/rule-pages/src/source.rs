//! The source of a case, cut into items and their fields, so that a page can show the relevant ones only.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Lines of a file, counted from 1.
type Lines = RangeInclusive<usize>;

/// One top-level item of a file.
#[derive(Debug)]
struct Item {
    lines: Lines,
    /// The name that other items use; of an `impl` its type, of a `use` nothing.
    name: String,
    kind: Kind,
    /// Its fields, variants or statements, with their attributes.
    parts: Vec<Lines>,
    /// The structs that its derive generates for references with copies and for lists of children.
    generated: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A struct, function or any other item with a name.
    Named,
    /// An `impl`, which is shown with its type.
    Impl,
    /// A `use` that a reader needs: where a type of another crate, or an alias, comes from.
    Use,
}

/// A file as a list of items.
#[derive(Debug)]
pub(crate) struct Source {
    lines: Vec<String>,
    items: Vec<Item>,
}

/// Items to show, by their names, with the fields to show. An item without fields is shown as a whole.
pub(crate) type Chosen = BTreeMap<String, BTreeSet<String>>;

/// A part of a source, to be shown.
#[derive(Debug)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// The lines of the excerpt by the lines of the file, both from 1.
    pub(crate) places: BTreeMap<usize, usize>,
}

impl Source {
    pub(crate) fn new(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let header = lines
            .iter()
            .take_while(|line| line.starts_with("//") || line.starts_with("#!["))
            .count();
        let mut items = Vec::new();
        let (mut first, mut depth) = (None, 0_isize);
        for (n, line) in lines.iter().enumerate().skip(header) {
            if first.is_none() && (line.trim().is_empty() || line.starts_with("#![")) {
                continue;
            }
            let start = *first.get_or_insert(n);
            depth += nesting(line);
            let code = code(line);
            if depth <= 0 && (code.ends_with('}') || code.ends_with(';')) {
                items.extend(Item::new(&lines, start + 1..=n + 1));
                (first, depth) = (None, 0);
            }
        }
        Self { lines, items }
    }

    /// The items with these lines and all that they name. In the former, fields that have only lines of `others` are left out. Where fields
    /// of an item are chosen, it has no others.
    pub(crate) fn around(
        &self,
        lines: &BTreeSet<usize>,
        others: &BTreeSet<usize>,
        chosen: &Chosen,
    ) -> Excerpt {
        let wanted = |item: &Item| holds(&item.lines, lines);
        let hidden = |item: &Item, part: &Lines| {
            let other = wanted(item) && holds(part, others) && !self.in_head(item, part);
            !holds(part, lines) && (other || self.unchosen(chosen, item, part))
        };
        self.excerpt(wanted, hidden)
    }

    /// The names of the items with these lines.
    pub(crate) fn names_at(&self, lines: &BTreeSet<usize>) -> BTreeSet<String> {
        let items = self.items.iter();
        let found = items.filter(|item| holds(&item.lines, lines));
        found.map(|item| item.name.clone()).collect()
    }

    /// The chosen items and all that they name. The `_id` of a document is always shown.
    pub(crate) fn chosen(&self, chosen: &Chosen) -> Excerpt {
        let wanted = |item: &Item| chosen.contains_key(&item.name);
        self.excerpt(wanted, |item, part| self.unchosen(chosen, item, part))
    }

    fn unchosen(&self, chosen: &Chosen, item: &Item, part: &Lines) -> bool {
        let fields = chosen.get(&item.name).filter(|fields| !fields.is_empty());
        fields.is_some_and(|fields| !fields.contains(self.field(part)) && !self.is_id(part))
    }

    pub(crate) fn whole(&self) -> Excerpt {
        self.excerpt(|_| true, |_, _| false)
    }

    fn excerpt(
        &self,
        wanted: impl Fn(&Item) -> bool,
        hidden: impl Fn(&Item, &Lines) -> bool,
    ) -> Excerpt {
        let shown: Vec<(&Item, Vec<usize>)> = self
            .items
            .iter()
            .map(|item| {
                let hides = |n: &usize| {
                    let mut parts = item.parts.iter();
                    parts.any(|part| part.contains(n) && hidden(item, part))
                };
                (item, item.lines.clone().filter(|n| !hides(n)).collect())
            })
            .collect();
        let words = |lines: &[usize]| -> BTreeSet<&str> {
            lines.iter().flat_map(|n| words(self.line(*n))).collect()
        };
        let named = || shown.iter().filter(|(item, _)| item.kind == Kind::Named);
        let mut names: BTreeSet<&str> = named()
            .filter(|(item, _)| wanted(item))
            .map(|(item, _)| item.name.as_str())
            .collect();
        let mut used = BTreeSet::new();
        loop {
            let of_names = shown
                .iter()
                .filter(|(item, _)| item.kind != Kind::Use && names.contains(item.name.as_str()));
            used.extend(of_names.flat_map(|(_, lines)| words(lines)));
            let defines = |item: &Item| {
                let mut made = item.generated.iter();
                used.contains(item.name.as_str()) || made.any(|name| used.contains(name.as_str()))
            };
            let more: Vec<&str> = named()
                .filter(|(item, _)| defines(item) && !names.contains(item.name.as_str()))
                .map(|(item, _)| item.name.as_str())
                .collect();
            if more.is_empty() {
                break;
            }
            names.extend(more);
        }
        let printed = shown.iter().filter(|(item, lines)| match item.kind {
            Kind::Named | Kind::Impl => names.contains(item.name.as_str()),
            Kind::Use => words(lines).iter().any(|word| used.contains(word)),
        });
        self.print(printed)
    }

    fn print<'a>(&self, items: impl Iterator<Item = &'a (&'a Item, Vec<usize>)>) -> Excerpt {
        let (mut text, mut places) = (String::new(), BTreeMap::new());
        let mut count = 0;
        let mut before = None;
        for (item, lines) in items {
            if before.is_some_and(|last: usize| last + 1 != *item.lines.start()) {
                text.push('\n');
                count += 1;
            }
            for n in lines {
                count += 1;
                places.insert(*n, count);
                text.push_str(self.line(*n));
                text.push('\n');
            }
            before = Some(*item.lines.end());
        }
        Excerpt { text, places }
    }

    fn line(&self, n: usize) -> &str {
        &self.lines[n - 1]
    }

    /// True if the attributes of an item name this field of it, as those of an index do.
    fn in_head(&self, item: &Item, part: &Lines) -> bool {
        let end = item
            .parts
            .first()
            .map_or(*item.lines.end(), |part| part.start() - 1);
        let mut head = (*item.lines.start()..=end).flat_map(|n| words(self.line(n)));
        head.any(|word| word == self.field(part))
    }

    /// The name of the field in these lines.
    fn field(&self, part: &Lines) -> &str {
        let lines = part.clone().map(|n| self.line(n).trim());
        let mut heads = lines.filter(|line| !line.starts_with("#[") && !line.starts_with("//"));
        let head = without_visibility(heads.next().unwrap_or_default());
        words(head).next().unwrap_or_default()
    }

    fn is_id(&self, part: &Lines) -> bool {
        part.clone()
            .any(|n| self.line(n).contains("rename = \"_id\""))
    }
}

impl Item {
    /// The item in these lines. `None` for what no page shows: `main`, and imports that every program has.
    fn new(all: &[String], lines: Lines) -> Option<Self> {
        let mut trimmed = lines.clone().map(|n| all[n - 1].trim());
        let head = without_visibility(trimmed.find(|line| is_head(line))?);
        let mut first = words(head).filter(|word| !["async", "unsafe"].contains(word));
        let (kind, name) = match first.next()? {
            "use" if is_noise(head) => return None,
            "use" => (Kind::Use, ""),
            "impl" => (Kind::Impl, self_type(head)),
            _ => (Kind::Named, first.next().unwrap_or_default()),
        };
        if name == "main" {
            return None;
        }
        let name = name.to_owned();
        let parts = parts(all, &lines);
        let generated = parts.iter().filter_map(|part| generated(all, part));
        let generated = generated.map(str::to_owned).collect();
        Some(Self {
            lines,
            name,
            kind,
            parts,
            generated,
        })
    }
}

/// The fields, variants or statements between the outermost braces of an item.
fn parts(all: &[String], lines: &Lines) -> Vec<Lines> {
    let mut parts = Vec::new();
    let (mut depth, mut first) = (0, None);
    for n in lines.clone() {
        let line = &all[n - 1];
        let before = depth;
        depth += nesting(line);
        if before == 0 || depth == 0 {
            continue;
        }
        let start = *first.get_or_insert(n);
        let code = code(line);
        if depth == 1 && (code.ends_with(',') || code.ends_with(';')) {
            parts.push(start..=n);
            first = None;
        }
    }
    parts
}

/// The struct that is generated for a field: the last name in its type, `ProductPart` in `Vec<ProductPart>`.
fn generated<'a>(all: &'a [String], part: &Lines) -> Option<&'a str> {
    let has = |start: &str| {
        let mut lines = part.clone().map(|n| all[n - 1].trim());
        lines.any(|line| line.starts_with(start))
    };
    let entry = has("#[denorm") && (has("#[refs") || has("#[parent"));
    (entry || has("#[recent")).then(|| words(&all[part.end() - 1]).last())?
}

fn holds(lines: &Lines, some: &BTreeSet<usize>) -> bool {
    some.range(lines.clone()).next().is_some()
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim_end()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    code(line)
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn without_visibility(line: &str) -> &str {
    line.trim_start_matches("pub(crate) ")
        .trim_start_matches("pub ")
}

/// True if a line begins an item, and is no attribute or comment before one.
fn is_head(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "struct ",
        "enum ",
        "union ",
        "fn ",
        "async fn ",
        "type ",
        "mod ",
        "const ",
        "static ",
        "trait ",
        "impl",
        "use ",
        "macro_rules!",
        "extern ",
    ];
    let line = without_visibility(line);
    STARTS.iter().any(|start| line.starts_with(start))
}

/// True if a reader can do without this import. Imports from `chrono`, `uuid` or another module are worth showing, and so is an alias.
fn is_noise(line: &str) -> bool {
    const KNOWN: &[&str] = &["mongo_model", "serde", "bson", "std"];
    let path = line.trim_start_matches("use ").trim_start_matches("::");
    let root = words(path).next();
    !line.contains(" as ") && root.is_some_and(|root| KNOWN.contains(&root))
}

/// The type that an `impl` is of.
fn self_type(head: &str) -> &str {
    let after = head
        .split_once(" for ")
        .or_else(|| head.split_once("> "))
        .or_else(|| head.split_once("impl "));
    after
        .and_then(|(_, path)| words(path).next())
        .unwrap_or_default()
}

/// How many brackets a line opens more than it closes, outside of strings and comments.
fn nesting(line: &str) -> isize {
    let (mut depth, mut quoted) = (0, false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted => {
                chars.next();
            }
            '"' => quoted = !quoted,
            _ if quoted => {}
            '/' if chars.peek() == Some(&'/') => break,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// Two models.

use mongo_model::{Id, MongoModel};
use chrono::Utc;

#[derive(MongoModel)]
#[model(
    collection = \"parts\",
)]
pub struct Part {
    #[serde(rename = \"_id\")]
    pub id: Id<Part>,
    pub name: String,
    pub at: Date,
}

#[derive(MongoModel)]
pub struct Product {
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
}

pub struct View {
    pub of: ProductPart,
}

type Date = chrono::DateTime<Utc>;

fn main() {}
";

    fn chosen(item: &str, fields: &[&str]) -> Chosen {
        let fields = fields.iter().map(|&field| field.to_owned()).collect();
        [(item.to_owned(), fields)].into()
    }

    #[test]
    fn a_chosen_item_brings_what_it_names() {
        let source = Source::new(TEXT);
        let part = source.chosen(&chosen("Part", &[]));
        assert!(part.text.starts_with("use chrono::Utc;\n\n#[derive"));
        assert!(
            part.text
                .ends_with("}\n\ntype Date = chrono::DateTime<Utc>;\n")
        );
        assert!(!part.text.contains("Product") && !part.text.contains("main"));
        assert_eq!(part.places[&4], 1);
        assert_eq!(part.places[&6], 3, "behind an empty line");
    }

    #[test]
    fn a_generated_struct_brings_the_model_that_generates_it() {
        let view = Source::new(TEXT).chosen(&chosen("View", &[]));
        assert!(view.text.contains("pub struct Product {"));
    }

    #[test]
    fn chosen_fields_stand_beside_the_id_alone() {
        let part = Source::new(TEXT).chosen(&chosen("Part", &["name"]));
        assert!(part.text.contains("pub id") && part.text.contains("pub name"));
        assert!(!part.text.contains("Date"));
    }

    #[test]
    fn fields_with_other_mistakes_are_left_out() {
        let shown = Source::new(TEXT).around(&[13].into(), &[13, 14].into(), &Chosen::new());
        assert!(shown.text.contains("pub name") && !shown.text.contains("pub at"));
    }
}
