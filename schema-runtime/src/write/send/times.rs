//! The times that the server wrote into new documents, where lists of their parents show them.

use bson::{Bson, Document};

use crate::bson_util::id_key::{IdKey, IdMap};
use crate::driver::{self, ClientSession, Database};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::schema::model::ModelMeta;
use crate::schema::stamps::Stamps;

/// Replaces the times of the program's values by those that the server wrote. Sends nothing if no other document shows them, else one
/// `find`.
pub(super) async fn read<'s>(
    db: &Database,
    meta: &ModelMeta,
    sources: impl Iterator<Item = &'s mut Source>,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let edges = Edges::get();
    let Some(stamps) = Stamps::of(meta) else {
        return Ok(());
    };
    let of_edges = edges.out_of(meta.collection);
    let copied = of_edges.flat_map(|edge| edge.live.iter().map(|copied| copied.from.as_str()));
    let listed = edges.links_of(meta.collection).flat_map(Link::seen);
    let shown: Vec<&str> = copied.chain(listed).collect();
    let times: Vec<&str> = stamps.times().filter(|name| shown.contains(name)).collect();
    let mut sources: Vec<&mut Source> = sources.collect();
    if times.is_empty() || sources.is_empty() {
        return Ok(());
    }
    let ids: Vec<Bson> = sources.iter().map(|source| source.id.clone()).collect();
    let mut fields: Document = times
        .iter()
        .map(|name| ((*name).to_owned(), Bson::from(1)))
        .collect();
    fields.insert("_id", 1);
    let found = driver::read_by(db, meta.collection, "_id", &ids, &fields, session).await?;
    let mut by_id = IdMap::default();
    for document in found {
        if let Some(id) = document.get("_id") {
            by_id.insert(IdKey::new(id), document.clone());
        }
    }
    for source in &mut sources {
        if let Some(stored) = by_id.get(&IdKey::new(&source.id)) {
            let stored = stored.clone().into_iter().filter(|(name, _)| name != "_id");
            source.fields.extend(stored);
        }
    }
    Ok(())
}
