//! Programs that die, or pause for longer than the lease of their lock.

use super::*;

/// Dies after every one of its commands. The next program completes the migrations, and the one after it changes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_program_continues_wherever_one_dies() {
    alone("migrations_killed", async |bench| {
        for commands in 1.. {
            store_items(bench).await;
            let program = |db: Database| async move { migrate_all(&db).await };
            let is_done = run_and_kill(bench, commands, program).await;
            migrate_all(&bench.db).await.expect("migrated");
            let all = list_migrations(&bench.db).await.expect("listed");
            assert!(
                all.iter().all(|one| one.state == MigrationState::Done),
                "{commands}: {all:?}"
            );
            let met = met(bench).await;
            // At most the documents of one batch are met twice.
            let twice = met.iter().filter(|times| **times == 2).count();
            assert!(
                met.iter().all(|times| (1..=2).contains(times)) && twice <= BATCH as usize,
                "{commands}: {met:?}"
            );
            let again = migrate_all(&bench.db).await.expect("nothing to do");
            assert_eq!(
                (again.ran.len(), bench.sent()),
                (0, vec!["find".to_owned()])
            );
            if is_done {
                break;
            }
        }
    })
    .await;
}

/// A program that paused for longer than its lease stops at its next position, and records nothing.
#[tokio::test]
async fn a_program_that_was_overtaken_records_nothing() {
    alone("migrations_overtaken", async |bench| {
        store_items(bench).await;
        let mut slow = std::pin::pin!(migrate_all(&bench.db).into_future());
        // As far as the second batch of the first walk.
        let is_behind_a_batch = || {
            let sent = bench.count();
            sent > 14
        };
        while !is_behind_a_batch() {
            assert!(futures::poll!(&mut slow).is_pending());
            tokio::task::yield_now().await;
        }
        pass_time(bench).await;
        let done = migrate_all(&bench.db).await.expect("migrated");
        assert_eq!(done.ran, ORDER);
        let lost = slow.await.expect_err("overtaken");
        assert!(matches!(lost, Error::LeaseLost { token: 1, .. }), "{lost}");
        for name in ORDER {
            let stored = bench.stored("_dn.migrations", name).await;
            let (state, token) = (stored.get_str("state").ok(), stored.get_i64("token").ok());
            assert_eq!((state, token), (Some("done"), Some(2)), "{name}");
        }
        assert_eq!(
            (
                calls(bench, "make_archive").await,
                calls(bench, "close_archive").await
            ),
            (1, 1)
        );
    })
    .await;
}
