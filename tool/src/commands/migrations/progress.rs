//! The progress of a run.

use std::future::IntoFuture;
use std::sync::Mutex;

use mongo_model::migrations::{MigrateAll, RanMigrations};

use crate::failure::Result;
use crate::interrupt::or_stop;
use crate::output::{Output, count};

/// Awaits the run; names each migration when it begins, and shows how far it is. `resume` says how to go on after an interruption.
pub(super) async fn watch(
    run: MigrateAll<'_>,
    resume: &str,
    out: Output,
) -> Result<mongo_model::Result<RanMigrations>> {
    let bar = out.spinner("running");
    let (shown, present) = (bar.clone(), Mutex::new(""));
    let run = run.progress(move |progress| {
        let name = progress.name;
        let before = present
            .lock()
            .map(|mut present| std::mem::replace(&mut *present, name));
        if before.is_ok_and(|before| before != name) {
            shown.suspend(|| out.remark(format!("running {name}")));
        }
        let documents = count(progress.documents, "document");
        shown.set_message(format!("{name}  {documents}"));
    });
    let ran = or_stop(run.into_future(), resume).await;
    bar.finish_and_clear();
    ran
}
