//! Two-way references between a parent and children that are marked as deleted.

use mongo_model::model::ModelMeta;
use mongo_model::{Database, Error, Id, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::soft_deleting::object_id;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub(crate) struct Team {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Team>,
    #[refs(Worker, inverse = team, max = 2)]
    pub(crate) workers: Vec<Id<Worker>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "workers", soft_delete)]
pub(crate) struct Worker {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Worker>,
    #[parent(Team, inverse = workers, on_delete = unset)]
    pub(crate) team: Option<Id<Team>>,
    #[version]
    pub(crate) version: i64,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 2] {
    [Team::meta(), Worker::meta()]
}

fn worker(team: &Team) -> Worker {
    Worker {
        id: Id::new(),
        team: Some(team.id),
        version: 0,
        deleted_at: None,
    }
}

/// A team of two, and another team without anybody.
async fn teams(bench: &Bench) -> (Team, Team, Vec<Worker>) {
    bench.index(&[Team::meta(), Worker::meta()]).await;
    let team = || Team {
        id: Id::new(),
        workers: Vec::new(),
    };
    let (first, second) = (team(), team());
    Team::insert_many(&bench.db, [&first, &second])
        .await
        .expect("stored");
    let workers = vec![worker(&first), worker(&first)];
    Worker::insert_many(&bench.db, &workers)
        .await
        .expect("stored");
    bench.forget();
    (first, second, workers)
}

#[track_caller]
fn assert_team<'a>(
    db: &'a Database,
    team: &'a Team,
    workers: &'a [Id<Worker>],
) -> impl Future<Output = ()> + 'a {
    let place = std::panic::Location::caller();
    async move {
        let read = Team::get(db, team.id).await.expect("read").expect("there");
        let mut have: Vec<_> = read.workers.into_iter().map(object_id).collect();
        let mut want: Vec<_> = workers.iter().copied().map(object_id).collect();
        have.sort();
        want.sort();
        assert_eq!(have, want, "{place}");
        let report = verify(db).models(&models()).await.expect("verified");
        assert!(report.is_clean(), "{place}: {report:?}");
        assert!(recover(db).await.expect("recovered").is_idle(), "{place}");
    }
}

#[tokio::test]
async fn a_list_holds_live_children() {
    on_both("array", async |bench| {
        let (db, (first, second, workers)) = (&bench.db, teams(bench).await);
        let (one, other) = (workers[0].id, workers[1].id);
        Worker::delete(db, one).await.expect("deleted");
        assert_team(db, &first, &[other]).await;
        Worker::restore(db, one).await.expect("restored");
        assert_team(db, &first, &[one, other]).await;
        let read = Worker::get(db, one).await.expect("read").expect("live");
        assert_eq!(read.version, 2);
        let stale = workers[0].delete_if_unchanged(db).await;
        assert!(matches!(stale, Err(Error::Conflict(_))), "{stale:?}");
        read.delete_if_unchanged(db).await.expect("deleted");
        assert_team(db, &first, &[other]).await;
        Worker::delete_many(db, |w| w.id.is_in([one, other]))
            .await
            .expect("deleted");
        assert_team(db, &first, &[]).await;
        Worker::restore_many(db, |w| w.id.is_in([one, other]))
            .await
            .expect("restored");
        assert_team(db, &first, &[one, other]).await;

        // From the other side a deleted worker is not there.
        Worker::delete(db, one).await.expect("deleted");
        let added = Team::add_worker(db, second.id, one).await;
        assert!(matches!(added, Err(Error::Dangling { .. })), "{added:?}");
        let moved = Worker::reassign_team(db, one, Some(second.id)).await;
        assert!(matches!(moved, Err(Error::NotFound { .. })), "{moved:?}");
        for worker in [one, other] {
            Team::remove_worker(db, first.id, worker)
                .await
                .expect("removed");
        }
        assert_team(db, &first, &[]).await;
        assert_team(db, &second, &[]).await;
        Worker::restore(db, one).await.expect("restored");
        assert_team(db, &first, &[one]).await;
    })
    .await;
}

#[tokio::test]
async fn a_restore_needs_room_and_a_parent() {
    on_both("array_room", async |bench| {
        let (db, (first, _, workers)) = (&bench.db, teams(bench).await);
        let (one, other) = (workers[0].id, workers[1].id);
        Worker::delete(db, one).await.expect("deleted");
        let third = worker(&first);
        Worker::insert(db, &third).await.expect("there is room");
        let restored = Worker::restore(db, one).await;
        assert!(
            matches!(restored, Err(Error::Full { max: 2, .. })),
            "{restored:?}"
        );
        let restored = Worker::restore_many(db, |w| w.id.eq(one)).await;
        assert!(
            matches!(restored, Err(Error::Full { max: 2, .. })),
            "{restored:?}"
        );
        assert_team(db, &first, &[other, third.id]).await;
        // A team that goes leaves the workers without one, the deleted too.
        Team::delete(db, first.id).await.expect("deleted");
        Worker::restore(db, one).await.expect("restored");
        let read = Worker::get(db, one).await.expect("read").expect("live");
        assert_eq!(read.team, None);
        let report = verify(db).models(&models()).await.expect("verified");
        assert!(report.is_clean(), "{report:?}");
    })
    .await;
}

#[tokio::test]
async fn both_sides_change_in_one_transaction() {
    in_set("array_transaction", async |bench| {
        let (db, (first, _, workers)) = (&bench.db, teams(bench).await);
        let (one, other) = (workers[0].id, workers[1].id);
        let mut session = bench.transaction().await;
        Worker::delete(db, one)
            .driver_session(&mut session)
            .await
            .expect("deleted");
        let inside = Team::get(db, first.id)
            .driver_session(&mut session)
            .await
            .expect("read");
        assert_eq!(inside.map(|team| team.workers), Some(vec![other]));
        session.abort_transaction().await.expect("aborted");
        assert_team(db, &first, &[one, other]).await;
    })
    .await;
}
