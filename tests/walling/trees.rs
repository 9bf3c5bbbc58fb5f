//! Trees of tenants: no document is below one of another tenant, and no call moves what it does not see.

use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model::{Error, Id, MongoModel, Tenants, recover, verify};
use serde::{Deserialize, Serialize};

use super::{Org, org, tenant};
use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "walled_pages", tenant = org)]
struct Page {
    #[serde(rename = "_id")]
    id: Id<Page>,
    #[serde(rename = "o")]
    org: Id<Org>,
    #[parent(Page, tree(depth = 3), on_delete = cascade)]
    above: Option<Id<Page>>,
    #[ancestors]
    path: Vec<Id<Page>>,
    text: String,
    #[count(Page)]
    below: i64,
}

fn page(n: u8, above: Option<&Page>) -> Page {
    Page {
        id: Id::new(),
        org: org(n),
        above: above.map(|page| page.id),
        path: Vec::new(),
        text: String::new(),
        below: 0,
    }
}

/// A page of the first tenant with a page below it, and one of the second.
async fn prepare(bench: &Bench) -> [Page; 3] {
    bench.index(&[Page::meta()]).await;
    let top = page(1, None);
    let pages = [top.clone(), page(1, Some(&top)), page(2, None)];
    for page in &pages {
        let all = bench.db.across_tenants("a test");
        let stored = Page::insert(&all, page).settled();
        stored.await.expect("stored");
    }
    bench.forget();
    pages
}

#[track_caller]
fn dangles<T: std::fmt::Debug>(result: Result<T, Error>) {
    let error = result.expect_err("no such parent");
    assert!(matches!(error, Error::Dangling { .. }), "{error:?}");
}

async fn stored(bench: &Bench) -> Vec<Document> {
    let all = bench.db.collection::<Document>("walled_pages");
    let all = all.find(doc! {});
    let all = all.sort(doc! { "_id": 1 }).await.expect("found");
    let mut pages: Vec<Document> = all.try_collect().await.expect("read");
    pages.iter_mut().for_each(|page| drop(page.remove("_dn")));
    pages
}

#[tokio::test]
async fn no_document_gets_a_parent_of_another_tenant() {
    on_both("wall_trees", async |bench| {
        let [top, below, theirs] = prepare(bench).await;
        let (one, all) = (tenant(bench, 1), bench.db.across_tenants("a test"));
        let before = stored(bench).await;
        let foreign = page(1, Some(&theirs));
        dangles(Page::insert(&one, &foreign).await);
        dangles(Page::insert_many(&one, [&page(1, None), &foreign]).await);
        dangles(foreign.save(&one).await);
        dangles(Page::insert(&all, &foreign).await);
        dangles(Page::move_to(&one, below.id, Some(theirs.id)).await);
        dangles(Page::move_to(&all, below.id, Some(theirs.id)).await);
        let unseen = Page::move_to(&one, theirs.id, Some(top.id)).await;
        assert!(matches!(unseen, Err(Error::NotFound { .. })), "{unseen:?}");
        recover(&bench.db).await.expect("recovered");
        assert_eq!(stored(bench).await, before);
        assert!(verify(&bench.db).await.expect("looked").is_clean());
    })
    .await;
}

#[tokio::test]
async fn the_finds_of_a_tree_see_one_tenant() {
    on_both("wall_trees_finds", async |bench| {
        let [top, below, _] = prepare(bench).await;
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        let found = Page::roots(&one).ids().await.expect("found");
        assert_eq!(found, [top.id]);
        for found in [
            Page::children(&one, top.id),
            Page::descendants(&one, top.id),
        ] {
            assert_eq!(found.ids().await.expect("found"), [below.id]);
        }
        for found in [
            Page::children(&two, top.id),
            Page::descendants(&two, top.id),
        ] {
            assert_eq!(found.count().await.expect("counted"), 0);
        }
        let read = Page::get(&one, below.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(read.path, [top.id]);
        assert!(read.ancestors(&two).await.expect("read").is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_tenant_moves_its_documents() {
    on_both("wall_trees_moves", async |bench| {
        let [top, below, theirs] = prepare(bench).await;
        let one = tenant(bench, 1);
        let other = page(1, None);
        Page::insert(&one, &other).settled().await.expect("stored");
        let moved = Page::move_to(&one, top.id, Some(other.id)).settled();
        assert_eq!(moved.await.expect("moved").modified, 2);
        let read = Page::get(&one, below.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(read.path, [other.id, top.id]);
        let read = Page::get(&one, other.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(read.below, 1);
        // By a call that sees all of them.
        let all = bench.db.across_tenants("a test");
        Page::move_to(&all, below.id, None)
            .settled()
            .await
            .expect("moved");
        let roots = Page::roots(&one).count().await.expect("counted");
        assert_eq!(roots, 2);
        assert!(verify(&bench.db).await.expect("looked").is_clean());
        Page::delete(&one, other.id)
            .settled()
            .await
            .expect("deleted");
        let left = Page::roots(&all).ids().await.expect("found");
        assert_eq!(left.len(), 2, "{left:?}");
        assert!(left.contains(&theirs.id) && left.contains(&below.id));
    })
    .await;
}
