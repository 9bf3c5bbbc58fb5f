//! All documents of one tenant: given out, and deleted.

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{Error, Id, MongoModel, Tenants, export_tenant, purge_tenant};

use super::inside::{Match, Member, game, member, prepare_teams};
use super::proof::assert_walled;
use super::{Note, Org, note, org, tenant};
use crate::common::{Bench, alone, on_both};

const COLLECTIONS: [(&str, &str, &str); 4] = [
    ("matches", "Match", "o"),
    ("members", "Member", "org"),
    ("notes", "Note", "org"),
    ("teams", "Team", "org"),
];

/// The documents of a tenant, each with the name of its model.
async fn stored(bench: &Bench, of: u8) -> Vec<(&'static str, Document)> {
    let mut all = Vec::new();
    for (collection, model, field) in COLLECTIONS {
        let raw = bench.raw(collection);
        let rows = raw.find(doc! { field: org(of) });
        let rows = rows.sort(doc! { "_id": 1 }).await.expect("found");
        let rows: Vec<Document> = rows.try_collect().await.expect("read");
        all.extend(rows.into_iter().map(|one| (model, one)));
    }
    all
}

/// Teams that members and matches refer to, and a note that is marked as deleted, of each of two tenants.
async fn prepare(bench: &Bench) {
    let (mine, theirs) = prepare_teams(bench).await;
    bench.index(&[Note::meta()]).await;
    for (of, team) in [(1, &mine), (2, &theirs)] {
        let db = tenant(bench, of);
        let all: Vec<Member> = (1..=3).map(|key| member(of, key, team)).collect();
        Member::insert_many(&db, &all).await.expect("stored");
        let mut host = game(of, &[team]);
        host.host = Some(team.id);
        Match::insert(&db, &host).await.expect("stored");
        let gone = note(of, "gone");
        Note::insert(&db, &gone).await.expect("stored");
        Note::delete(&db, gone.id).await.expect("deleted");
    }
    mongo_model::settle(&bench.db).await;
    bench.forget();
}

#[tokio::test]
async fn an_export_has_every_document_of_its_tenant_and_no_other() {
    on_both("wall_export", async |bench| {
        prepare(bench).await;
        let all: Vec<_> = export_tenant(&tenant(bench, 1))
            .try_collect()
            .await
            .expect("read");
        assert_walled(&bench.take(), &Bson::from(org(1)));
        let all = all.into_iter().map(|one| {
            let document = Document::try_from(one.document).expect("a document");
            (one.model, document)
        });
        let mut all: Vec<(&str, Document)> = all.collect();
        all.sort_by_key(|(model, one)| (*model, one.get_object_id("_id").ok()));
        let wanted = stored(bench, 1).await;
        assert_eq!(wanted.len(), 6);
        assert_eq!(all, wanted);
    })
    .await;
}

#[tokio::test]
async fn a_purge_leaves_nothing_of_its_tenant_and_all_of_others() {
    on_both("wall_purge", async |bench| {
        prepare(bench).await;
        let before = stored(bench, 2).await;
        let many = (0..5_001).map(|n| doc! { "_id": n, "org": org(1), "title": format!("{n}") });
        let many: Vec<Document> = many.collect();
        let done = bench.raw("notes").insert_many(&many).await;
        done.expect("stored");
        bench.forget();
        let one = tenant(bench, 1);
        let mut told = Vec::new();
        let done = purge_tenant(&one).progress(|so_far| told.push(so_far.deleted));
        let done = done.await.expect("deleted");
        assert_walled(&bench.take(), &Bson::from(org(1)));
        assert_eq!(done.deleted, 5_007);
        let mut models = done.models;
        models.sort_unstable();
        let wanted = [("Match", 1), ("Member", 3), ("Note", 5_002), ("Team", 1)];
        assert_eq!(models, wanted);
        assert!(told.len() == 5 && told.is_sorted(), "{told:?}");
        assert_eq!(stored(bench, 1).await, []);
        assert_eq!(stored(bench, 2).await, before);
        let again = purge_tenant(&one).await.expect("deleted");
        assert_eq!((again.deleted, again.models), (0, vec![]));
        let found = mongo_model::verify(&bench.db).await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}

#[tokio::test]
async fn no_call_gives_out_or_deletes_what_all_tenants_have() {
    alone("wall_purge_all", async |bench| {
        prepare(bench).await;
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        let nobody = bench.db.tenant(7_i32);
        let done = [
            purge_tenant(&across).await.map(drop),
            purge_tenant(&nobody).await.map(drop),
            export_tenant(&across)
                .try_collect()
                .await
                .map(|_: Vec<_>| ()),
            export_tenant(&nobody)
                .try_collect()
                .await
                .map(|_: Vec<_>| ()),
        ];
        for done in done {
            assert!(matches!(done, Err(Error::Impossible { .. })), "{done:?}");
        }
        assert_eq!(bench.count(), 0);
    })
    .await;
}
