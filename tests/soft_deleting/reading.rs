//! Reads of one model: every finder sees live documents, unless it says otherwise.

use bson::{Bson, doc};
use futures::TryStreamExt;
use mongo_model::filter::everything;
use mongo_model::{Database, MongoModel};

use crate::common::{alone, on_both};
use crate::soft_deleting::{User, emails, users};

#[tokio::test]
async fn finders_see_live_documents() {
    on_both("live", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let found = User::find(db, |u| u.email.gte(""))
            .sort(|u| u.email.asc())
            .await
            .expect("read");
        assert_eq!(emails(&found), ["1", "3"]);
        let command = bench.only();
        let filter = command.get_document("filter").expect("a filter");
        assert_eq!(
            *filter,
            doc! { "email": { "$gte": "" }, "gone": Bson::Null }
        );

        let scanned = User::scan(db, |_| everything()).await.expect("read");
        assert_eq!(scanned.len(), 2);
        assert_eq!(User::get(db, all[1].id).await.expect("read"), None);
        assert_eq!(
            User::get(db, all[0].id).await.expect("read").as_ref(),
            Some(&all[0])
        );
        assert_eq!(
            User::find_one(db, |u| u.email.eq("2@example.com"))
                .await
                .expect("read"),
            None
        );
        assert_eq!(User::count(db, |u| u.team.eq(1)).await.expect("counted"), 2);
        assert!(
            !User::exists(db, |u| u.email.eq("2@example.com"))
                .await
                .expect("read")
        );
        assert_eq!(
            User::find(db, |u| u.team.eq(1))
                .ids()
                .await
                .expect("read")
                .len(),
            2
        );
        assert_eq!(
            User::find(db, |u| u.team.eq(1))
                .fresh()
                .await
                .expect("read")
                .len(),
            2
        );
        let streamed: Vec<User> = User::of_team(db, 1)
            .stream()
            .try_collect()
            .await
            .expect("read");
        assert_eq!(emails(&streamed), ["3", "1"]);
        let page = User::of_team(db, 1).page(1).await.expect("read");
        assert_eq!(emails(&page.items), ["3"]);
        let next = User::of_team(db, 1)
            .page(1)
            .after(page.next)
            .await
            .expect("read");
        assert_eq!((emails(&next.items), next.next), (vec!["1"], None));
    })
    .await;
}

#[tokio::test]
async fn deleted_documents_are_seen_by_those_who_ask() {
    on_both("scopes", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let found = User::find(db, |u| u.email.gte(""))
            .with_deleted()
            .sort(|u| u.email.asc());
        assert_eq!(emails(&found.await.expect("read")), ["1", "2", "3"]);
        let found = User::of_team(db, 1).only_deleted().await.expect("read");
        assert_eq!(emails(&found), ["2"]);
        assert!(found[0].deleted_at.is_some());
        let got = User::get(db, all[1].id).with_deleted().await.expect("read");
        assert_eq!(got.as_ref(), Some(&found[0]));
        assert_eq!(
            User::count(db, |u| u.team.eq(1))
                .with_deleted()
                .await
                .expect("counted"),
            3
        );
        assert_eq!(
            User::count(db, |u| u.team.eq(1))
                .only_deleted()
                .await
                .expect("counted"),
            1
        );
        assert!(
            User::exists(db, |u| u.email.eq("2@example.com"))
                .only_deleted()
                .await
                .expect("read")
        );
        let ids = User::find(db, |u| u.team.eq(1))
            .ids()
            .only_deleted()
            .await
            .expect("read");
        assert_eq!(ids, [all[1].id]);
        let page = User::of_team(db, 1)
            .page(5)
            .with_deleted()
            .await
            .expect("read");
        assert_eq!(emails(&page.items), ["3", "2", "1"]);
        let since = bson::DateTime::from_millis(0);
        let found = User::find(db, |u| u.deleted_at.gt(since))
            .only_deleted()
            .await
            .expect("read");
        assert_eq!(emails(&found), ["2"]);
        // A condition of the call's own on the field is one more.
        let none = User::find(db, |u| u.deleted_at.gt(since))
            .await
            .expect("read");
        assert_eq!(none, []);
    })
    .await;
}

#[tokio::test]
async fn groups_are_of_live_documents() {
    alone("groups", async |bench| {
        let db = &bench.db;
        users(bench).await;
        let counted = async |db: &Database| -> Vec<(i32, u64)> {
            let groups = User::group_by(db, |u| u.team)
                .count()
                .await
                .expect("grouped");
            groups
                .into_iter()
                .map(|group| (group.key, group.totals.0))
                .collect()
        };
        assert_eq!(counted(db).await, [(1, 2)]);
        bench.plan().await.assert_served_by("team");
        let groups = User::group_by(db, |u| u.team)
            .count()
            .with_deleted()
            .await
            .expect("grouped");
        assert_eq!(groups[0].totals.0, 3);
        let groups = User::find(db, |u| u.team.eq(1))
            .group_by(|u| u.team)
            .sum(|u| u.age);
        assert_eq!(groups.await.expect("grouped")[0].totals.0, 4);
        let of_team = || User::find(db, |u| u.team.eq(1));
        let facet = of_team().facet(|u| (u.team, u.age));
        let (teams, ages) = facet.await.expect("counted");
        assert_eq!((teams[0].totals, ages.len()), (2, 2));
        let (teams, _) = of_team()
            .facet(|u| (u.team, u.age))
            .only_deleted()
            .await
            .expect("counted");
        assert_eq!(teams[0].totals, 1);
        let pipeline = of_team().into_pipeline().expect("a pipeline");
        let live = doc! { "$match": { "team": { "$eq": 1 }, "gone": Bson::Null } };
        assert_eq!(pipeline, [live]);
    })
    .await;
}

#[tokio::test]
async fn a_document_without_the_field_is_live() {
    alone("absent", async |bench| {
        let db = &bench.db;
        let old = crate::soft_deleting::user(7);
        let mut stored = bson::serialize_to_document(&old).expect("encodes");
        stored.remove("gone");
        bench.seed("users", [stored]).await;
        assert_eq!(User::get(db, old.id).await.expect("read"), Some(old));
    })
    .await;
}
