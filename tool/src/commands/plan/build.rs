//! The progress of the server's index builds.

use std::convert::Infallible;
use std::time::Duration;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use indicatif::ProgressBar;

use crate::connection::Connection;
use crate::output::Output;

/// Shows the progress of the server's index builds; never ends.
pub(super) async fn watch(
    connection: &Connection,
    spinner: &ProgressBar,
    out: Output,
) -> Infallible {
    let mut shown: Option<(String, ProgressBar)> = None;
    let admin = connection.db.client().database("admin");
    let namespace = format!("{}.", connection.db.name());
    loop {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let pipeline = vec![
            doc! { "$currentOp": {} },
            doc! { "$match": { "msg": { "$regex": "^Index Build" }, "progress": { "$exists": true } } },
        ];
        // A user who may not ask sees no progress.
        let Ok(mut found) = admin.aggregate(pipeline).await else {
            continue;
        };
        while let Ok(Some(op)) = found.try_next().await {
            let Some(build) = Build::read(&op, &namespace) else {
                continue;
            };
            spinner.finish_and_clear();
            let label = format!("{}: {}", build.collection, build.phase);
            match &shown {
                Some((known, bar)) if *known == label => bar.set_position(build.done),
                _ => {
                    let bar = out.bar(&build.collection, build.total);
                    bar.set_message(build.phase);
                    bar.set_position(build.done);
                    // Work done before the first look says nothing about the rate.
                    bar.reset_eta();
                    shown = Some((label, bar));
                }
            }
        }
    }
}

/// The progress of the server's build of an index.
#[derive(Debug, PartialEq)]
struct Build {
    collection: String,
    /// `scanning collection`.
    phase: String,
    done: u64,
    total: u64,
}

impl Build {
    /// Reads an operation of the server.
    fn read(op: &Document, namespace: &str) -> Option<Self> {
        let collection = op.get_str("ns").ok()?.strip_prefix(namespace)?;
        let progress = op.get_document("progress").ok()?;
        let value = |key| match progress.get(key)? {
            Bson::Int32(n) => u64::try_from(*n).ok(),
            Bson::Int64(n) => u64::try_from(*n).ok(),
            Bson::Double(n) => n.to_string().split('.').next()?.parse().ok(),
            _ => None,
        };
        let message = op.get_str("msg").unwrap_or_default();
        let phase = message.strip_prefix("Index Build: ").unwrap_or(message);
        let phase = phase.split(" Index Build").next().unwrap_or(phase);
        let total = value("total").filter(|total| *total > 0)?;
        Some(Build {
            collection: collection.to_owned(),
            phase: phase.split(':').next().unwrap_or(phase).to_owned(),
            done: value("done")?,
            total,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_of_a_build_is_read() {
        // As a server of version 6.0 says it.
        let op = doc! {
            "ns": "shop.parts",
            "msg": "Index Build: scanning collection Index Build: scanning collection: 2134/120000 1%",
            "progress": { "done": 2134, "total": 120_000 },
        };
        let build = Build {
            collection: "parts".to_owned(),
            phase: "scanning collection".to_owned(),
            done: 2134,
            total: 120_000,
        };
        assert_eq!(Build::read(&op, "shop."), Some(build));
        assert_eq!(Build::read(&op, "other."), None);
        let unknown = doc! { "ns": "shop.parts", "progress": { "done": 0, "total": 0 } };
        assert_eq!(Build::read(&unknown, "shop."), None);
    }
}
