//! Rules 4.E on indexes, as far as the struct shows them.

mod asked;
mod one;
mod served;
mod stored;
mod text;

use proc_macro2::{Ident, Span, TokenStream};

pub(crate) use self::asked::{Asks, questions};
pub(crate) use self::served::{Served, advice, leading, unique, unique_keys};
pub(super) use self::stored::is_array;

use crate::check::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Entry, Ir, Role, Row};
use crate::names::unraw;
use crate::rules;
use crate::syntax::{CollationAttr, ConditionAttr, ConditionOp, IndexAttr, KeyKind};

/// The number of indexes that the server allows in one collection, `_id` included.
const SERVER_MAX: usize = 64;
/// Atlas reports a collection with more indexes than this.
const ATLAS_MAX: usize = 30;

/// A declared index, with the fields of its keys.
pub(super) struct Index<'a> {
    pub(super) attr: &'a IndexAttr,
    /// The field that has the attribute; `None` for an index that the item declares.
    pub(super) row: Option<&'a Row<'a>>,
    pub(super) keys: Vec<Key<'a>>,
}

pub(super) struct Key<'a> {
    /// Empty for `wildcard`, the whole document.
    pub(super) path: Vec<Ident>,
    pub(super) kind: KeyKind,
    pub(super) tokens: TokenStream,
    /// The field of the item that the path begins with.
    pub(super) row: Option<&'a Row<'a>>,
}

impl<'a> Key<'a> {
    /// `address.city`
    pub(super) fn rust(&self) -> String {
        self.path.iter().map(unraw).collect::<Vec<_>>().join(".")
    }

    /// `Product::address.city`
    fn owner(&self, ir: &Ir<'_>) -> String {
        format!("{}::{}", ir.name(), self.rust())
    }

    /// The field itself, where the path leads no deeper.
    pub(super) fn single_field(&self) -> Option<&'a Row<'a>> {
        self.row.filter(|_| self.path.len() == 1)
    }

    pub(super) fn is_btree(&self) -> bool {
        matches!(self.kind, KeyKind::Asc | KeyKind::Desc)
    }

    /// True if a value of the key is a whole generated entry, which changes when its source does.
    fn holds_live_copies(&self) -> bool {
        let entry = self.single_field().and_then(Row::entry);
        entry.is_some_and(Entry::has_live_copies)
    }
}

impl Index<'_> {
    fn place(&self) -> usize {
        self.row.map_or(0, Row::place)
    }

    pub(super) fn has(&self, kind: KeyKind) -> bool {
        self.keys.iter().any(|key| key.kind == kind)
    }

    /// The name of the index in messages: its fields.
    fn owner(&self, ir: &Ir<'_>) -> String {
        let names: Vec<String> = self
            .keys
            .iter()
            .map(|key| {
                if key.path.is_empty() {
                    ir.name()
                } else {
                    key.owner(ir)
                }
            })
            .collect();
        names.join("`, `")
    }

    /// Keys and kinds: `host 1, time -1`.
    fn pattern(&self) -> Vec<(String, KeyKind)> {
        self.keys.iter().map(|key| (key.rust(), key.kind)).collect()
    }

    /// The properties by which the server distinguishes two indexes of the same keys.
    fn identity(&self) -> (bool, bool, Vec<String>, Option<String>) {
        let mut conditions: Vec<String> = self
            .attr
            .partial
            .iter()
            .flat_map(|partial| &partial.conditions)
            .map(|one| self.condition(one))
            .collect();
        conditions.sort();
        (
            self.attr.unique.is_some(),
            self.attr.sparse.is_some(),
            conditions,
            self.attr.collation.as_ref().and_then(collation),
        )
    }

    fn condition(&self, condition: &ConditionAttr) -> String {
        let path = match condition.path.as_slice() {
            [] => self.keys.first().map(Key::rust).unwrap_or_default(),
            path => path.iter().map(unraw).collect::<Vec<_>>().join("."),
        };
        format!("{path} {}", operation(&condition.op))
    }

    /// The name in the database; None where a part of it lies in another type.
    fn name(&self) -> Option<String> {
        if let Some(name) = &self.attr.name {
            return Some(name.value());
        }
        let parts: Option<Vec<String>> = self
            .keys
            .iter()
            .map(|key| {
                let kind = match key.kind {
                    KeyKind::Asc => "1",
                    KeyKind::Desc => "-1",
                    KeyKind::Text => "text",
                    KeyKind::Hashed => "hashed",
                    KeyKind::Geo => "2dsphere",
                    KeyKind::Wildcard => "$**_1",
                };
                Some(format!("{}_{kind}", key.single_field()?.field.serde.name))
            })
            .collect();
        parts.map(|parts| parts.join("_"))
    }
}

fn operation(op: &ConditionOp) -> String {
    use quote::ToTokens;
    match op {
        ConditionOp::Exists => "exists".to_owned(),
        ConditionOp::Type(name) => format!("type {name}"),
        ConditionOp::Eq(lit) => format!("eq {}", lit.to_token_stream()),
        ConditionOp::Gt(lit) => format!("gt {}", lit.to_token_stream()),
        ConditionOp::Gte(lit) => format!("gte {}", lit.to_token_stream()),
        ConditionOp::Lt(lit) => format!("lt {}", lit.to_token_stream()),
        ConditionOp::Lte(lit) => format!("lte {}", lit.to_token_stream()),
    }
}

/// The collation as a text; `None` for the binary order, which an index without collation has too.
fn collation(attr: &CollationAttr) -> Option<String> {
    let CollationAttr {
        site: _,
        locale,
        strength,
        case_level,
        numeric_ordering,
    } = attr;
    (locale != "simple")
        .then(|| format!("{locale} {strength:?} {case_level:?} {numeric_ordering:?}"))
}

/// All declared indexes: the item's own, then those of its fields, in source order.
pub(super) fn declared<'i>(ir: &'i Ir<'_>) -> Vec<Index<'i>> {
    let on_item = ir.item.attrs.indexes.iter().map(|attr| {
        let keys = attr.keys.iter().map(|key| Key {
            path: key.path.clone(),
            kind: key.kind,
            tokens: key.tokens.clone(),
            row: key.path.first().and_then(|first| ir.field(first)),
        });
        Index {
            attr,
            row: None,
            keys: keys.collect(),
        }
    });
    let on_fields = ir.fields().flat_map(|row| {
        row.indexes().iter().map(|attr| {
            let key = Key {
                path: vec![row.field.ident.clone()],
                kind: attr.own,
                tokens: attr.site.clone(),
                row: Some(row),
            };
            Index {
                attr,
                row: Some(row),
                keys: vec![key],
            }
        })
    });
    on_item.chain(on_fields).collect()
}

/// The keys of the indexes that references bring with them.
pub(super) fn automatic(ir: &Ir<'_>) -> Vec<Vec<(Vec<Ident>, KeyKind)>> {
    // No index can name what lies under a map's keys.
    let rows = ir
        .stored()
        .filter(|row| row.is_reference() && !row.is_map());
    let keys = rows.map(|row| {
        let mut reference = vec![row.field.ident.clone()];
        if !row.copies().is_empty() {
            reference.push(Ident::new("id", Span::call_site()));
        }
        let mut keys = vec![(reference, KeyKind::Asc)];
        if let Role::Parent { attr, .. } = &row.role
            && let Some(sort) = &attr.sort
        {
            let kind = if sort.descending {
                KeyKind::Desc
            } else {
                KeyKind::Asc
            };
            keys.push((vec![sort.field.clone()], kind));
        }
        keys
    });
    keys.collect()
}

/// True if an index that the item itself declares makes documents expire.
pub(crate) fn expires(ir: &Ir<'_>) -> bool {
    ir.item
        .attrs
        .indexes
        .iter()
        .any(|index| index.expire_after.is_some())
}

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let indexes = declared(ir);
    for index in &indexes {
        cx.set_place(index.place());
        match index.row.filter(|row| row.unnamed) {
            // An unnamed field has no path of its own.
            Some(row) => cx.push(diag::idx_unnamed(&index.attr.site, row.owner())),
            None => one::check(ir, index, cx),
        }
    }
    check_number(ir, &indexes, cx);
    check_pairs(ir, &indexes, cx);
    check_texts(ir, &indexes, cx);
}

/// Checks the number of indexes.
fn check_number(ir: &Ir<'_>, indexes: &[Index<'_>], cx: &Ctxt) {
    let patterns: Vec<_> = indexes.iter().map(Index::pattern).collect();
    let brought = automatic(ir)
        .into_iter()
        .map(|keys| {
            keys.into_iter()
                .map(|(path, kind)| (path.iter().map(unraw).collect::<Vec<_>>().join("."), kind))
                .collect::<Vec<_>>()
        })
        .filter(|keys| !patterns.contains(keys))
        .count();
    let (declared, id) = (indexes.len(), usize::from(ir.is_model()));
    let all = declared + brought + id;
    let (ident, owner) = (&ir.item.ident, ir.name());
    cx.set_place(0);
    if all > SERVER_MAX {
        cx.push(diag::idx_too_many(ident, &owner, all, brought, SERVER_MAX));
    } else if declared + brought > ATLAS_MAX && !allowed(ir, None, &rules::IDX_MANY) {
        cx.push(diag::idx_many(ident, &owner, all, brought));
    }
}

/// Checks each pair of indexes for conflicts; the later one carries the message.
fn check_pairs(ir: &Ir<'_>, indexes: &[Index<'_>], cx: &Ctxt) {
    for (n, later) in indexes.iter().enumerate() {
        cx.set_place(later.place());
        for earlier in &indexes[..n] {
            // Two text indexes are one mistake however they are written.
            if later.has(KeyKind::Text) && earlier.has(KeyKind::Text) {
                continue;
            }
            let (owner, site) = (later.owner(ir), &later.attr.site);
            let same_keys = later.pattern() == earlier.pattern();
            let named = (&later.attr.name, &earlier.attr.name);
            if same_keys && later.identity() == earlier.identity() {
                let expiry =
                    |index: &Index<'_>| index.attr.expire_after.as_ref().map(|bound| bound.value);
                cx.push(if expiry(later) == expiry(earlier) {
                    diag::idx_duplicate(site, &owner)
                } else {
                    diag::idx_same_key(
                        later
                            .attr
                            .expire_after
                            .as_ref()
                            .map_or(site, |bound| &bound.tokens),
                        &owner,
                    )
                });
                break;
            }
            let unnamed_twins = same_keys && matches!(named, (None, None));
            if unnamed_twins || later.name().is_some() && later.name() == earlier.name() {
                let name = later.name();
                cx.push(match &later.attr.name {
                    Some(literal) => diag::idx_name_conflict(
                        literal,
                        &owner,
                        &earlier.owner(ir),
                        name.as_deref(),
                    ),
                    None => {
                        diag::idx_name_conflict(site, &owner, &earlier.owner(ir), name.as_deref())
                    }
                });
                break;
            }
        }
    }
}

/// Checks that the item has one text index at most, and that no other field decides its language.
fn check_texts(ir: &Ir<'_>, indexes: &[Index<'_>], cx: &Ctxt) {
    let mut of_text = indexes.iter().filter(|index| index.has(KeyKind::Text));
    let Some(first) = of_text.next() else { return };
    for second in of_text {
        let fields: Vec<String> = first
            .keys
            .iter()
            .chain(&second.keys)
            .filter(|key| key.kind == KeyKind::Text)
            .map(Key::rust)
            .collect();
        cx.set_place(second.place());
        cx.push(diag::idx_text_many(
            &second.attr.site,
            &second.owner(ir),
            &first.owner(ir),
            &fields,
        ));
    }
    cx.set_place(first.place());
    if first.attr.text.language_override.is_some() {
        return;
    }
    let language = ir.stored().find(|row| row.field.serde.name == "language");
    if let Some(language) = language
        && !allowed(ir, Some(language), &rules::IDX_TEXT_LANGUAGE)
        && !first
            .row
            .is_some_and(|row| allowed(ir, Some(row), &rules::IDX_TEXT_LANGUAGE))
    {
        cx.push(diag::idx_text_language(
            &first.attr.site,
            language.owner(),
            &first.owner(ir),
        ));
    }
}

#[cfg(test)]
mod tests;
