//! A change of the tenant that a document belongs to.

use bson::{Bson, doc};

use super::Update;
use super::only_if::{UpdateIf, WithCondition};
use crate::driver::Database;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::relations::{Reach, Relation, Relations};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::tenant::tenant_field;
use crate::write::cardinality::One;

impl<'a, M: Model> Update<'a, M, WithCondition> {
    /// Gives a document another tenant, if it refers to no document of its present tenant.
    pub(crate) fn moving(
        db: &'a Database,
        id: Result<bson::Document>,
        to: Bson,
    ) -> UpdateIf<'a, M> {
        let meta = M::model_meta();
        let mut update = Update::<M, One>::live(db, id);
        update.with("$set", tenant_field(meta).unwrap_or_default(), to);
        match references(meta) {
            Ok(paths) => paths.into_iter().for_each(|path| {
                update.holding(doc! { path: { "$in": [Bson::Null, Bson::Array(Vec::new())] } });
            }),
            Err(error) => update.changes.fail(error),
        }
        update.into_kind()
    }

    /// Refuses a call that sees the documents of one tenant only.
    pub(crate) fn seeing_all(mut self, is_confined: bool) -> Self {
        if is_confined {
            let name = M::model_meta().name;
            let what = format!("a move of a {name} by one tenant: make it with `across_tenants`");
            self.changes.fail(Error::Impossible { what });
        }
        self
    }
}

/// The paths of the references to documents of the own tenant: a document that moves holds none of them.
///
/// # Errors
/// [`Error::Impossible`] if documents of the tenant may refer to the document, if it stands for a period, if the tenant is in its shard key,
/// or if no filter says that it refers to none.
fn references(meta: &'static ModelMeta) -> Result<Vec<String>> {
    let is_walled = |meta| tenant_field(meta).is_some();
    if meta.shard_key.is_some_and(|key| key.by_tenant) {
        let what = format!(
            "a move of a {} to another tenant: the tenant is in its shard key",
            meta.name
        );
        return Err(Error::Impossible { what });
    }
    let mut links = Edges::get().links().iter();
    if links.any(|link| link.periods.is_some() && link.host.collection == meta.collection) {
        let what = format!(
            "a move of a {} to another tenant: its parent stays",
            meta.name
        );
        return Err(Error::Impossible { what });
    }
    let relations = Relations::get();
    let mut referring = relations.to(meta.collection);
    if let Some(relation) = referring.find(|relation| is_walled(relation.edge.target)) {
        let (name, other) = (meta.name, relation.edge.target.name);
        let what = format!("a move of a {name} to another tenant: each {other} may refer to one");
        return Err(Error::Impossible { what });
    }
    let own = |relation: &&Relation| {
        relation.child() == meta.collection && is_walled(relation.edge.source)
    };
    let paths = relations.all().iter().filter(own).map(|relation| {
        let (place, path) = (&relation.edge.place, relation.edge.place.path());
        let is_filterable = place.is_single() || !path.contains('.');
        match relation.reach {
            Reach::Index if is_filterable => Ok(path),
            _ => Err(Error::Impossible {
                what: format!("a move of a {} with `{path}` to another tenant", meta.name),
            }),
        }
    });
    paths.collect()
}
