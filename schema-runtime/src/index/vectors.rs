//! Indexes of vectors: what models declare, compared with what the search process of the server has.

use mongodb::Database;

use crate::driver::search::{create_search_index, list_search_indexes, update_search_index};
use crate::index_spec::error::IndexFailure;
use crate::index_spec::vector::{VectorChange, VectorDefinition};
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::deleted_field;
use crate::schema::tenant::tenant_field;

/// The indexes of vectors that a model declares. Searches in it filter by its tenant, and leave out what is marked as deleted.
#[must_use]
pub fn vector_definitions(meta: &ModelMeta) -> Vec<VectorDefinition> {
    let rows = meta.shape.fields.iter();
    let own = [tenant_field(meta), deleted_field(meta)];
    let declared = rows.filter_map(|row| {
        let index = row.vector?;
        let named = index.filter.iter();
        let named = named.filter_map(|rust| Some(meta.shape.field_at(rust)?.0));
        let mut filter: Vec<String> = own.into_iter().flatten().map(str::to_owned).collect();
        for path in named {
            if !filter.contains(&path) {
                filter.push(path);
            }
        }
        let measure = (index.dimensions, index.similarity);
        Some(VectorDefinition::new(row.name, measure, filter))
    });
    declared.collect()
}

/// The declared indexes of vectors that a collection lacks or has in another form. Sends one `aggregate` if a model declares some.
pub(super) async fn plan_vectors(
    db: &Database,
    collection: &str,
    models: &[&'static ModelMeta],
) -> Result<Vec<VectorChange>, mongodb::error::Error> {
    let declared = models.iter().flat_map(|meta| vector_definitions(meta));
    let declared: Vec<VectorDefinition> = declared.collect();
    if declared.is_empty() {
        return Ok(Vec::new());
    }
    let Some(listed) = list_search_indexes(db, collection).await? else {
        return Ok(declared
            .into_iter()
            .map(VectorChange::Unavailable)
            .collect());
    };
    let changes = declared.into_iter().filter_map(|declared| {
        let mut live = listed.iter();
        let live = live.find(|index| {
            index
                .get_str("name")
                .is_ok_and(|name| name == declared.name)
        });
        let Some(live) = live else {
            return Some(VectorChange::Create(declared));
        };
        let reason = declared.difference(live)?;
        Some(VectorChange::Replace { declared, reason })
    });
    Ok(changes.collect())
}

/// Has the server carry out a change; one that replaces an index only if `replaces`. Gives the change if it is done or cannot be done here.
pub(super) async fn change_vectors(
    db: &Database,
    collection: &str,
    change: VectorChange,
    replaces: bool,
) -> Result<VectorChange, IndexFailure> {
    let done = match &change {
        VectorChange::Create(index) => create_search_index(db, collection, index).await,
        VectorChange::Replace { .. } if !replaces => {
            return Err(IndexFailure::VectorConflict(change));
        }
        VectorChange::Replace { declared, .. } => {
            update_search_index(db, collection, declared).await
        }
        VectorChange::Unavailable(_) => Ok(()),
    };
    match done {
        Ok(()) => Ok(change),
        Err(source) => Err(IndexFailure::Vector { change, source }),
    }
}
