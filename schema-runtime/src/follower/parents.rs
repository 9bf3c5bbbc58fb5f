//! The derived data of parents after changes of children, and of the parents themselves, by other programs.

use std::collections::{BTreeMap, HashMap, HashSet};

use bson::{Bson, doc};

use super::batch::Change;
use super::effects::{Done, Effects};
use super::interest::Interest;
use super::position::{Gap, Scope};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::join;
use crate::driver;
use crate::error::Result;
use crate::graph::links::Link;
use crate::maintenance::repair::make_again;
use crate::maintenance::verify::{Parents, Walk};
use crate::propagation::pair::Pair;
use crate::propagation::{counter, two_way};
use crate::schema::stored;

/// Ids, each once.
type Ids = HashMap<IdKey, Bson>;

impl Effects<'_> {
    /// Removes from parents the derived data of children that left them or were deleted, and counts again. The fan-out has written the
    /// present parents of children.
    pub(crate) async fn leave_parents(
        &self,
        interest: &Interest,
        changes: &[&Change],
        done: &mut Done,
    ) -> Result<()> {
        for link in &interest.children {
            let moved = |change: &&&Change| {
                let decides = |name| change.touches(name);
                change.deleted || change.touches(link.row) || link.decisive().any(decides)
            };
            let moved: Vec<&Change> = changes.iter().filter(moved).copied().collect();
            if moved.is_empty() {
                continue;
            }
            let ids: Vec<Bson> = moved.iter().map(|change| change.id.clone()).collect();
            let mut fields = doc! { "_id": 1, &link.reference: 1 };
            fields.extend(link.decisive().map(|name| (name.to_owned(), Bson::from(1))));
            let now =
                driver::read_by(self.db, interest.collection, "_id", &ids, &fields, None).await?;
            let before = moved
                .iter()
                .flat_map(|change| change.before.iter().chain(&change.put));
            if let Some(periods) = link.periods {
                let moments = now.iter().chain(before);
                let moments =
                    moments.filter_map(|child| child.get_datetime(periods.at).ok().copied());
                periods.learn(self.db, moments.collect()).await?;
            }
            let mut present: BTreeMap<IdKey, Vec<Bson>> = BTreeMap::new();
            for child in &now {
                let id = IdKey::new(child.get("_id").unwrap_or(&Bson::Null));
                // The number of a parent that a marked child still refers to is counted again.
                let parents = match link.counts() {
                    true => link.referred(child),
                    false => link.parents_in(child),
                };
                present.insert(id, parents);
            }
            if link.is_two_way() {
                self.leave_arrays(link, &ids, &present, done).await?;
            } else if link.counts() {
                self.count_again(link, &moved, &present, done).await?;
            } else {
                self.leave_lists(link, &ids, &present, done).await?;
            }
        }
        Ok(())
    }

    /// Arrays of parents that hold children which do not refer to them.
    async fn leave_arrays(
        &self,
        link: &'static Link,
        ids: &[Bson],
        present: &BTreeMap<IdKey, Vec<Bson>>,
        done: &mut Done,
    ) -> Result<()> {
        let stored = format!("${}", link.field);
        let list = doc! { "$cond": [{ "$isArray": [&stored] }, stored, []] };
        let held = doc! { "$setIntersection": [list, { "$literal": ids.to_vec() }] };
        let mut fields = doc! { "_id": 1, link.field: held };
        fields.extend(link.tenant());
        let host = link.host.collection;
        let found = driver::read_by(self.db, host, link.field, ids, &fields, None).await?;
        let mut pairs = Vec::new();
        for parent in &found {
            let id = parent.get("_id").unwrap_or(&Bson::Null);
            for child in parent.get_array(link.field).into_iter().flatten() {
                let refers = |parents: &Vec<Bson>| {
                    parents.iter().any(|one| IdKey::new(one) == IdKey::new(id))
                };
                let stays = present.get(&IdKey::new(child)).is_some_and(refers);
                if !stays && link.is_truth(child, id) {
                    pairs.push(Pair {
                        parent: id.clone(),
                        child: child.clone(),
                        tenant: link.tenant_of(parent),
                    });
                }
            }
        }
        let pairs: Vec<&Pair> = pairs.iter().collect();
        done.parents += two_way::mend(self.db, link, &pairs).await?;
        Ok(())
    }

    /// Lists of the last children that show children which do not refer to them.
    async fn leave_lists(
        &self,
        link: &'static Link,
        ids: &[Bson],
        present: &BTreeMap<IdKey, Vec<Bson>>,
        done: &mut Done,
    ) -> Result<()> {
        let shown = join(link.field, stored::ENTRY_ID);
        let fields = doc! { "_id": 1, &shown: 1 };
        let host = link.host.collection;
        let found = driver::read_by(self.db, host, &shown, ids, &fields, None).await?;
        let asked: HashSet<IdKey> = ids.iter().map(IdKey::new).collect();
        for parent in &found {
            let id = parent.get("_id").unwrap_or(&Bson::Null);
            let entries = link.entries(parent);
            let entries = entries.filter_map(|entry| entry.get(stored::ENTRY_ID));
            let left = |child: &Bson| {
                let refers = |parents: &Vec<Bson>| {
                    parents.iter().any(|one| IdKey::new(one) == IdKey::new(id))
                };
                let key = IdKey::new(child);
                asked.contains(&key) && !present.get(&key).is_some_and(refers)
            };
            if entries.into_iter().any(left) {
                done.parents += u64::from(make_again(self.db, link, id).await?);
            }
        }
        Ok(())
    }

    /// The numbers of present and former parents, and of those to which the events have moved the children: the library may have moved or
    /// deleted them since, and has then taken one from a parent that did not count it. A former parent that no event names is somewhere
    /// among all parents. An image also has the count flags that went with the document: their writer counts although it is gone.
    async fn count_again(
        &self,
        link: &'static Link,
        moved: &[&Change],
        present: &BTreeMap<IdKey, Vec<Bson>>,
        done: &mut Done,
    ) -> Result<()> {
        let mut parents = Ids::new();
        let mut add =
            |ids: Vec<Bson>| parents.extend(ids.into_iter().map(|id| (IdKey::new(&id), id)));
        for change in moved {
            let now = present.get(&IdKey::new(&change.id));
            now.into_iter().for_each(|now| add(now.clone()));
            for stored in change.before.iter().chain(&change.put) {
                add(link.referred(stored));
                add(counter::flagged_parents(link, stored));
            }
            if change.without_image {
                let reason = format!(
                    "{} {} has left a parent that is not known",
                    link.child.collection, change.id
                );
                let scope = Scope::Link(link.name.clone());
                if !done.gaps.iter().any(|gap| gap.scope == scope) {
                    done.gaps.push(Gap::new(scope, reason));
                }
            }
        }
        for id in parents.into_values() {
            done.parents += u64::from(make_again(self.db, link, &id).await?);
        }
        Ok(())
    }

    /// Parents that another program stored, or whose derived data it changed.
    pub(crate) async fn compare_parents(
        &self,
        interest: &Interest,
        changes: &[&Change],
        done: &mut Done,
    ) -> Result<()> {
        for link in &interest.hosts {
            let changed = |change: &&&Change| !change.deleted && change.touches(link.visible());
            let ids: Vec<Bson> = changes
                .iter()
                .filter(changed)
                .map(|change| change.id.clone())
                .collect();
            if !ids.is_empty() {
                let (mended, unsettled) = self.mend_parents(link, Some(&ids)).await?;
                done.parents += mended;
                if unsettled {
                    let reason = "other writers changed the children during every look";
                    done.gaps
                        .push(Gap::new(Scope::Link(link.name.clone()), reason));
                }
            }
        }
        Ok(())
    }

    /// Compares the derived data of these parents, or of all, with the children, and makes it again where it differs. Returns how many
    /// differed, and whether some could not be compared because other writers changed them during every look. A flag is no excuse: its
    /// writer may have read the children before another program changed them, and clears it without another look.
    pub(crate) async fn mend_parents(
        &self,
        link: &'static Link,
        only: Option<&[Bson]>,
    ) -> Result<(u64, bool)> {
        let mut mended = 0;
        let mut unsettled = false;
        let one = std::iter::once(link);
        if link.is_two_way() {
            let mut walk = Walk::new(self.db, one);
            if let Some(ids) = only {
                walk = walk.only(ids);
            }
            while let Some(lists) = walk.next().await? {
                let pairs: Vec<&Pair> = lists.wrong.iter().map(|(pair, _)| pair).collect();
                mended += two_way::mend(self.db, link, &pairs).await?;
                unsettled |= lists.unsettled > 0;
            }
            return Ok((mended, unsettled));
        }
        let mut parents = Parents::new(self.db, one).for_good();
        if let Some(ids) = only {
            parents = parents.only(ids);
        }
        while let Some(found) = parents.next().await? {
            let differ = found.wrong.into_iter().map(|finding| finding.id);
            let wrong: Ids = differ
                .chain(found.unsettled)
                .map(|id| (IdKey::new(&id), id))
                .collect();
            for id in wrong.into_values() {
                mended += u64::from(make_again(self.db, link, &id).await?);
            }
        }
        Ok((mended, unsettled))
    }
}
