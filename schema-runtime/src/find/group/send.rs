//! The command of a grouping.

use std::collections::HashSet;
use std::pin::pin;

use bson::{DateTime, RawDocument, RawDocumentBuf};
use futures::TryStreamExt;

use super::totals::unreadable;
use super::*;
use crate::builder::awaits;
use crate::driver;
use crate::driver::capabilities::require;
use crate::error::server::Feature;
use crate::find::operators::{NEAR, refuse_operators};
use crate::index::collect::{asked_keys, definitions};

impl<M: Model, K: GroupKey<M>, V: Totals, R> GroupBy<'_, M, K, V, R> {
    fn pipeline(&self, filter: Document) -> Vec<Document> {
        let mut scopes = Vec::new();
        self.key.add_scopes(&mut scopes);
        let mut group = doc! { "_id": self.key.expression() };
        group.extend(self.totals.clone());
        group.extend(self.misfits.clone());
        let mut stages = self.find.stages(filter, scopes);
        stages.extend(self.items.iter().cloned());
        stages.push(doc! { "$group": group });
        self.add_selection(&mut stages);
        stages
    }

    /// Appends the stages that select and sort the groups.
    fn add_selection(&self, stages: &mut Vec<Document>) {
        let sizes = self.sets.iter().map(|name| {
            let values = doc! { "$setDifference": [format!("${name}"), [Bson::Null]] };
            (name.clone(), doc! { "$size": values }.into())
        });
        let sizes: Document = sizes.collect();
        stages.extend((!sizes.is_empty()).then(|| doc! { "$set": sizes }));
        // A group that cannot be read is an error, whatever is selected.
        let misfits = || self.misfits.keys();
        for condition in &self.having {
            let mut any = vec![condition.clone()];
            any.extend(misfits().map(|name| doc! { name: { "$gt": 0 } }));
            stages.push(doc! { "$match": { "$or": any } });
        }
        let mut sort = Document::new();
        if self.limit.is_some() {
            sort.extend(misfits().map(|name| (name.clone(), Bson::Int32(-1))));
        }
        if let Some(order) = self.order {
            sort.insert(selected::name(order.n), order.direction);
        }
        sort.insert("_id", 1);
        stages.push(doc! { "$sort": sort });
        stages.extend(self.limit.map(|limit| doc! { "$limit": i64::from(limit) }));
    }

    /// The index to walk along: one that has all the fields in question, so that no document need be read, or else the first one that leads
    /// with the key.
    fn index(&self) -> Option<Document> {
        let key = self.key.leading_path().filter(|_| self.by_index)?;
        let mut fields = vec![key.clone()];
        for accumulator in self.totals.values() {
            totals::fields(accumulator, &mut fields);
        }
        let all = definitions(M::model_meta());
        let leads = all.iter().filter(|index| {
            let mut keys = asked_keys(M::model_meta(), index);
            index.is_plain() && keys.next().is_some_and(|(path, _)| *path == key)
        });
        let leads: Vec<_> = leads.collect();
        let covers = leads.iter().find(|index| {
            fields
                .iter()
                .all(|field| index.keys.iter().any(|(path, _)| path == field))
        });
        let index = covers.or(leads.first())?;
        index.spec().get_document("key").cloned().ok()
    }

    /// The totals of a group without documents.
    fn no_documents(&self) -> Document {
        let none = |(name, accumulator): (&String, &Bson)| {
            let accumulator = accumulator.as_document();
            let adds = accumulator.is_some_and(|sum| sum.contains_key("$sum"));
            let is_number = adds || self.sets.contains(name);
            let none = if is_number {
                Bson::Int32(0)
            } else {
                Bson::Null
            };
            (name.clone(), none)
        };
        self.totals.iter().map(none).collect()
    }
}

impl<M: Model, K: GroupKey<M>, V: Totals, R> GroupBy<'_, M, K, V, R> {
    /// The beginnings of the periods that have a group in any case.
    async fn starts(&mut self) -> Result<Vec<DateTime>> {
        let Some(pipeline) = self.key.fill() else {
            return Ok(Vec::new());
        };
        require(self.find.db, Feature::Periods).await?;
        let read = |raw: &RawDocument| Ok(raw.get_datetime("start").ok());
        let (reads, session) = (
            driver::Reads::AsConfigured,
            self.find.session.as_deref_mut(),
        );
        let rows = driver::aggregate(self.find.db, None, pipeline, None, reads, session, read);
        let starts: Vec<Option<DateTime>> = pin!(rows).try_collect().await?;
        Ok(starts.into_iter().flatten().collect())
    }

    async fn send<Row>(
        mut self,
        mut make: impl FnMut(K::Value, V::Values) -> Row,
    ) -> Result<Vec<Row>> {
        let starts = self.starts().await?;
        let is_empty = self.find.limit == Some(0) || self.limit == Some(0);
        let model = M::model_meta().name;
        let filter = self.find.take_filter()?;
        refuse_operators(model, "a grouping", &filter, &NEAR)?;
        if self.by_index && self.find.sort.is_none() {
            // A sort by the leading key makes the server walk along the index.
            self.find.sort = self.key.leading_path().map(|path| doc! { path: 1 });
        }
        let key = &self.key;
        let read = |raw: &RawDocument| {
            let id = totals::get(raw, "_id");
            let totals = V::read(&Read { raw, model })?;
            Ok((id.as_datetime().copied(), key.read(&id, model)?, totals))
        };
        let no_documents = self.no_documents();
        let mut groups = Vec::new();
        if !is_empty {
            let rows = driver::group(
                self.find.db,
                M::model_meta().collection,
                self.pipeline(filter),
                self.index(),
                self.find.strings(),
                self.find.options,
                self.find.session,
            );
            groups = rows.await?.all(read).await?;
        }
        if !starts.is_empty() {
            let found: HashSet<DateTime> = groups.iter().filter_map(|(start, ..)| *start).collect();
            for start in starts.into_iter().filter(|start| !found.contains(start)) {
                let mut group = doc! { "_id": start };
                group.extend(no_documents.clone());
                let group = RawDocumentBuf::try_from(&group);
                let group = group.map_err(|error| unreadable(model, error.into()))?;
                groups.push(read(&group)?);
            }
            groups.sort_by_key(|(start, ..)| *start);
        }
        let rows = groups.into_iter();
        Ok(rows.map(|(_, key, totals)| make(key, totals)).collect())
    }
}

awaits!(['a, M: Model, K: GroupKey<M> + 'a, V: Totals + 'a, R: 'a] GroupBy<'a, M, K, V, R> => Vec<Group<K::Value, V::Values>>, self {
    self.send(|key, totals| Group { key, totals }).await
});

awaits!(['a, M: Model, K: GroupKey<M> + 'a, V: Totals + 'a, Row: Send + 'a, F: FnMut(K::Value, V::Values) -> Row + Send + 'a, R: 'a] GroupRows<'a, M, K, V, F, R> => Vec<Row>, self {
    self.groups.send(self.make).await
});
