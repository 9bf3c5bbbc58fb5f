//! The source of a case, cut into items, so that a page can show the relevant ones only.

use std::collections::{BTreeMap, BTreeSet};

/// One top-level item of a file.
#[derive(Debug)]
struct Item {
    /// Its lines, from 1, both included.
    first: usize,
    last: usize,
    /// The name that other items use, empty for an `impl` or a `use`.
    name: String,
    /// Every identifier in it.
    words: BTreeSet<String>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A struct, function or any other item with a name.
    Named,
    /// An `impl`, which is shown with its type. `name` is that type.
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
            let code = line.split("//").next().unwrap_or_default().trim_end();
            if depth <= 0 && (code.ends_with('}') || code.ends_with(';')) {
                items.extend(Item::new(&lines, start, n));
                (first, depth) = (None, 0);
            }
        }
        Self { lines, items }
    }

    /// The items with these lines and all that they name.
    pub(crate) fn around(&self, lines: &BTreeSet<usize>) -> Excerpt {
        self.excerpt(|item| item.holds(lines))
    }

    /// The names of the items with these lines.
    pub(crate) fn names_at(&self, lines: &BTreeSet<usize>) -> BTreeSet<String> {
        let items = self.items.iter().filter(|item| item.holds(lines));
        items.map(|item| item.name.clone()).collect()
    }

    /// The items with these names and all that they name.
    pub(crate) fn named(&self, names: &BTreeSet<String>) -> Excerpt {
        self.excerpt(|item| names.contains(&item.name))
    }

    pub(crate) fn whole(&self) -> Excerpt {
        self.excerpt(|_| true)
    }

    fn excerpt(&self, wanted: impl Fn(&Item) -> bool) -> Excerpt {
        let named = |item: &&Item| item.kind == Kind::Named;
        let mut names: BTreeSet<String> = self
            .items
            .iter()
            .filter(named)
            .filter(|item| wanted(item))
            .map(|item| item.name.clone())
            .collect();
        loop {
            let used = self.items.iter().filter(named).filter(|item| {
                !names.contains(&item.name)
                    && self
                        .items
                        .iter()
                        .any(|user| names.contains(&user.name) && user.words.contains(&item.name))
            });
            let more: Vec<String> = used.map(|item| item.name.clone()).collect();
            if more.is_empty() {
                break;
            }
            names.extend(more);
        }
        let words = |item: &Item| {
            let shown = |user: &Item| user.kind != Kind::Use && names.contains(&user.name);
            self.items
                .iter()
                .filter(|user| shown(user))
                .any(|user| item.words.iter().any(|word| user.words.contains(word)))
        };
        let shown = self.items.iter().filter(|item| match item.kind {
            Kind::Named | Kind::Impl => names.contains(&item.name),
            Kind::Use => words(item),
        });
        self.print(&shown.collect::<Vec<_>>())
    }

    fn print(&self, items: &[&Item]) -> Excerpt {
        let (mut text, mut places) = (String::new(), BTreeMap::new());
        let mut count = 0;
        let mut before: Option<&Item> = None;
        for item in items {
            let apart = |before: &Item| before.last + 1 != item.first;
            if before.is_some_and(apart) {
                text.push('\n');
                count += 1;
            }
            for n in item.first..=item.last {
                count += 1;
                places.insert(n, count);
                text.push_str(&self.lines[n - 1]);
                text.push('\n');
            }
            before = Some(item);
        }
        Excerpt { text, places }
    }
}

impl Item {
    /// The item in these lines, from 0. `None` for what no page shows: `main`, and imports that every program has.
    fn new(lines: &[String], first: usize, last: usize) -> Option<Self> {
        let head = lines[first..=last]
            .iter()
            .map(|line| line.trim())
            .find(|line| is_head(line))?;
        let head = head
            .trim_start_matches("pub(crate) ")
            .trim_start_matches("pub ");
        let mut words: Vec<&str> = head.split(|c: char| !is_word(c)).collect();
        words.retain(|word| !word.is_empty() && *word != "async" && *word != "unsafe");
        let (kind, name) = match *words.first()? {
            "use" if is_noise(head) => return None,
            "use" => (Kind::Use, ""),
            "impl" => (Kind::Impl, self_type(head)),
            _ => (Kind::Named, words.get(1).copied().unwrap_or_default()),
        };
        if name == "main" {
            return None;
        }
        let mut words = BTreeSet::new();
        for line in &lines[first..=last] {
            let code = line.split("//").next().unwrap_or_default();
            let found = code.split(|c: char| !is_word(c));
            words.extend(
                found
                    .filter(|word| !word.is_empty() && *word != "use")
                    .map(str::to_owned),
            );
        }
        Some(Self {
            first: first + 1,
            last: last + 1,
            name: name.to_owned(),
            words,
            kind,
        })
    }

    fn holds(&self, lines: &BTreeSet<usize>) -> bool {
        lines.range(self.first..=self.last).next().is_some()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a line begins an item, and is no attribute or comment before one.
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
    let line = line
        .trim_start_matches("pub(crate) ")
        .trim_start_matches("pub ");
    STARTS.iter().any(|start| line.starts_with(start))
}

/// Whether a reader can do without this import. What comes from `chrono`, `uuid` or another module is worth showing, and so is an alias.
fn is_noise(line: &str) -> bool {
    const KNOWN: &[&str] = &["mongo_model", "serde", "bson", "std"];
    let path = line.trim_start_matches("use ").trim_start_matches("::");
    let root = path.split(|c: char| !is_word(c)).next();
    !line.contains(" as ") && root.is_some_and(|root| KNOWN.contains(&root))
}

/// The type that an `impl` is of.
fn self_type(head: &str) -> &str {
    let after = head
        .split_once(" for ")
        .or_else(|| head.split_once("> "))
        .or_else(|| head.split_once("impl "));
    let path = after.map_or("", |(_, path)| path);
    path.split(|c: char| !is_word(c)).next().unwrap_or_default()
}

/// How many brackets a line opens more than it closes, outside of strings, characters and comments.
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
