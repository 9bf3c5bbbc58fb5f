//! Refuses pages of an access pattern whose order no index has.

use bson::{Bson, Document};

use crate::error::{Error, Result};
use crate::index::collect::{asked_keys, definitions};
use crate::index_spec::definition::Definition;
use crate::schema::access::AccessRow;
use crate::schema::flat::stored_path;
use crate::schema::index_row::KeyKind;
use crate::schema::model::ModelMeta;

/// The access pattern that a query is of.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) row: &'static AccessRow,
    /// The stored paths of the fields that are one value in all its documents.
    pub(crate) constant: Vec<String>,
}

type Keys = Vec<(String, KeyKind)>;

impl Pattern {
    /// Looks for an index that leads to the documents of a page in this order, which ends with the `_id`. The index that serves the pattern
    /// itself may end before that: then the server would read and sort all documents of the pattern for each page.
    pub(crate) fn check(&self, meta: &'static ModelMeta, order: &Document) -> Result<()> {
        let row = self.row;
        // The model allows that no index serves it.
        if row.index.is_empty() {
            return Ok(());
        }
        let order: Keys = order
            .iter()
            .filter(|(path, _)| !self.constant.contains(path))
            .map(|(path, order)| (path.clone(), direction(*order == Bson::Int32(-1))))
            .collect();
        let serving = row.index.iter();
        let serving: Keys = serving
            .map(|key| (stored_path(meta.shape, "", key.path), key.kind))
            .collect();
        if self.has_order(&serving, &order) {
            return Ok(());
        }
        let all = definitions(meta);
        let same_partial = |index: &Definition| {
            let serves = |other: &Definition| asked_keys(meta, other).eq(&serving);
            all.iter()
                .any(|other| serves(other) && other.partial == index.partial)
        };
        let fits = |index: &Definition| {
            let partial = index.partial.is_none() || same_partial(index);
            let mut plain = index.clone();
            plain.partial = None;
            partial && plain.is_plain() && self.has_order(&index.keys, &order)
        };
        if all.iter().any(fits) {
            return Ok(());
        }
        let only = match row.only {
            [] => "",
            _ => ", partial(..)",
        };
        Err(Error::PageNotIndexed {
            model: meta.name,
            pattern: row.name,
            index: format!("index(keys({}){only})", self.write_keys(meta, &order)),
        })
    }

    /// True where the documents of the pattern stand in an index with these keys in this order, from either end.
    fn has_order(&self, keys: &Keys, order: &Keys) -> bool {
        let constant = keys
            .iter()
            .take_while(|(path, _)| self.constant.contains(path))
            .count();
        let rest = &keys[constant..];
        let turned = order.iter().zip(rest).filter(|(a, b)| a.1 != b.1).count();
        let btree = rest
            .iter()
            .all(|(_, kind)| matches!(kind, KeyKind::Asc | KeyKind::Desc));
        btree
            && rest.len() >= order.len()
            && order.iter().zip(rest).all(|(a, b)| a.0 == b.0)
            && (turned == 0 || turned == order.len())
    }

    /// The keys of the index that the pages need, as they are written.
    fn write_keys(&self, meta: &'static ModelMeta, order: &Keys) -> String {
        let fields = &meta.flat().fields;
        let order = order.iter().map(|(path, kind)| {
            let field = fields.iter().find(|field| field.path == *path);
            let minus = if *kind == KeyKind::Desc { "-" } else { "" };
            format!("{minus}{}", field.map_or(&**path, |field| &field.rust))
        });
        let keys = self.row.keys.iter().map(|key| (*key).to_owned());
        keys.chain(order).collect::<Vec<_>>().join(", ")
    }
}

fn direction(descending: bool) -> KeyKind {
    if descending {
        KeyKind::Desc
    } else {
        KeyKind::Asc
    }
}
