//! The field of a document that holds a side of a reference, and how it changes.

use bson::Bson;

use crate::bson_util::path::first_step;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::schema::model::ModelMeta;
use crate::schema::rows::FieldRow;
use crate::tenant::Wall;

/// A field of one document.
#[derive(Debug)]
pub(crate) struct At {
    /// The model.
    pub(crate) meta: &'static ModelMeta,
    /// The Rust name of the field.
    pub(crate) field: &'static str,
    /// The `_id`, as stored.
    pub(crate) id: Bson,
    /// The tenant of the document; `None` if its model has none.
    pub(crate) tenant: Option<Bson>,
}

impl At {
    /// A field of a document that the wall admits.
    ///
    /// # Errors
    /// [`Error::Impossible`] across tenants: the documents on both sides belong to one.
    pub(crate) fn within(
        wall: Option<&Wall>,
        meta: &'static ModelMeta,
        field: &'static str,
        id: Bson,
    ) -> Result<Self> {
        let tenant = wall.map(|wall| {
            wall.tenant().cloned().ok_or_else(|| Error::Impossible {
                what: format!("a change of {}.{field} across tenants, whose other side belongs to one: make it with the `Tenant` of the document", meta.name),
            })
        });
        Ok(At {
            meta,
            field,
            id,
            tenant: tenant.transpose()?,
        })
    }

    /// The link whose derived data the field holds; of an average, its sum or its number.
    pub(crate) fn link(&self) -> Result<&'static Link> {
        self.links().next().ok_or_else(|| self.keeps_nothing())
    }

    /// The links whose derived data the field holds.
    pub(crate) fn links(&self) -> impl Iterator<Item = &'static Link> {
        let row = self
            .meta
            .shape
            .fields
            .iter()
            .find(|row| row.rust == self.field);
        let links = Edges::get().links().iter();
        let collection = self.meta.collection;
        links.filter(move |link| {
            let is_here = |row: &FieldRow| first_step(link.visible()) == row.name;
            link.host.collection == collection && row.is_some_and(is_here)
        })
    }

    pub(crate) fn keeps_nothing(&self) -> Error {
        Error::Impossible {
            what: format!(
                "`{}` of {}: the program links no model whose documents it is kept of",
                self.field, self.meta.name
            ),
        }
    }

    pub(crate) fn found(&self, there: bool) -> Result<()> {
        if there {
            return Ok(());
        }
        Err(Error::NotFound {
            model: self.meta.name,
            id: Box::new(self.id.clone()),
        })
    }
}

/// A change of the array that is the other side: ids of the other model, as stored, or entries that hold one each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// Adds these ids or entries.
    Add(Vec<Bson>),
    /// Removes these ids.
    Remove(Vec<Bson>),
    /// Replaces the array by exactly these ids or entries.
    Replace(Vec<Bson>),
}
