//! Migrations that are undone.

use mongo_model::undo_migration;

use super::*;

#[tokio::test]
async fn what_is_undone_runs_again() {
    alone("migrations_undone", async |bench| {
        let db = &bench.db;
        store_items(bench).await;
        migrate_all(db).await.expect("migrated");
        let refused = async |name: &str| {
            undo_migration(db, name)
                .await
                .expect_err("refused")
                .to_string()
        };
        let of = |name: &str, why: &str| format!("an undo of the migration `{name}`: {why}");
        assert_eq!(
            refused("none").await,
            of("none", "the program has none of this name")
        );
        assert_eq!(
            refused(ORDER[1]).await,
            of(ORDER[1], "it declares no `undo`")
        );
        let above = "`close_archive` comes after it, and is not undone";
        assert_eq!(refused(ORDER[0]).await, of(ORDER[0], above));

        bench
            .raw("_dn.migrations")
            .delete_one(doc! { "_id": ORDER[2] })
            .await
            .expect("deleted");
        undo_migration(db, ORDER[0]).await.expect("undone");
        assert_eq!(refused(ORDER[0]).await, of(ORDER[0], "it is not done"));
        let numbers = Item::scan(db, |_| mongo_model::filter::everything())
            .await
            .expect("read");
        assert!(numbers.iter().all(|item| item.number == 0));
        let all = list_migrations(db).await.expect("listed");
        assert_eq!(
            (all[0].state, all[0].has_undo),
            (MigrationState::Pending, true)
        );

        let done = migrate_all(db).await.expect("migrated");
        assert_eq!(done.ran, [ORDER[0], ORDER[2]]);
        assert_eq!(met(bench).await, [2; ITEMS as usize]);
    })
    .await;
}

/// An undo that dies half way stops the runs until another undo has completed it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_undo_that_dies_is_continued() {
    alone("migrations_undo_killed", async |bench| {
        for commands in 1.. {
            store_items(bench).await;
            let db = &bench.db;
            migrate_all(db).await.expect("migrated");
            bench
                .raw("_dn.migrations")
                .delete_one(doc! { "_id": ORDER[2] })
                .await
                .expect("deleted");
            let program = |db: Database| async move { undo_migration(&db, ORDER[0]).await };
            let is_done = run_and_kill(bench, commands, program).await;
            let state = list_migrations(db).await.expect("listed")[0].state;
            if state == MigrationState::Undoing {
                let error = migrate_all(db).await.expect_err("half undone").to_string();
                assert!(
                    error.ends_with("`1_number_items` is half undone: undo it once more"),
                    "{error}"
                );
            }
            if state != MigrationState::Pending {
                undo_migration(db, ORDER[0]).await.expect("undone");
            }
            let numbers = Item::scan(db, |_| mongo_model::filter::everything())
                .await
                .expect("read");
            assert!(
                numbers.iter().all(|item| item.number == 0),
                "{commands}: {numbers:?}"
            );
            if is_done {
                break;
            }
        }
    })
    .await;
}
