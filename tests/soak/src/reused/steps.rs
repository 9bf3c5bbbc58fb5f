//! Writes of these models that are stopped half way.

use bson::doc;
use mongo_model::{Database, Error};

use super::client::{
    write_essay, write_item, write_note, write_player, write_remark, write_story, write_thing,
};
use super::models::COLLECTIONS;

/// The writes by name: the pair, and what is done to it.
pub const STEPS: [&str; 59] = [
    "item: insert",
    "item: insert two",
    "item: move",
    "item: move every",
    "item: save",
    "item: delete parent",
    "item: delete parents",
    "item: replace",
    "item: replace all",
    "essay: insert",
    "essay: insert two",
    "essay: move",
    "essay: move every",
    "essay: save",
    "essay: delete",
    "essay: delete parent",
    "essay: delete parents",
    "essay: replace",
    "essay: replace all",
    "thing: insert",
    "thing: insert two",
    "thing: move",
    "thing: move every",
    "thing: save",
    "thing: delete",
    "thing: delete parent",
    "thing: delete parents",
    "thing: replace",
    "thing: replace all",
    "player: insert",
    "player: insert two",
    "player: move",
    "player: move every",
    "player: save",
    "player: delete",
    "player: delete parent",
    "player: delete parents",
    "player: replace",
    "player: replace all",
    "story: insert",
    "story: move",
    "story: move every",
    "story: save",
    "story: delete",
    "story: delete parent",
    "story: delete parents",
    "story: replace",
    "story: replace all",
    "remark: move",
    "remark: save",
    "remark: delete parent",
    "remark: delete parents",
    "remark: replace all",
    "note: insert",
    "note: move",
    "note: move every",
    "note: save",
    "note: delete parent",
    "note: replace all",
];

/// The writes that run while a write of this pair waits.
macro_rules! meanwhile {
    ($pair:literal) => {
        &[
            concat!($pair, ": delete parent"),
            concat!($pair, ": replace all"),
            concat!($pair, ": replace parent"),
            concat!($pair, ": replace"),
        ]
    };
}

/// The writes that run on the same documents while `first` waits.
///
/// # Panics
/// If there is no such pair.
#[must_use]
pub fn meanwhile(first: &str) -> &'static [&'static str] {
    match halves(first).0 {
        "item" => meanwhile!("item"),
        "essay" => meanwhile!("essay"),
        "thing" => meanwhile!("thing"),
        "player" => meanwhile!("player"),
        "story" => meanwhile!("story"),
        "remark" => meanwhile!("remark"),
        "note" => meanwhile!("note"),
        pair => panic!("there is no pair {pair}"),
    }
}

/// Every point of the library where one of these writes can stop.
pub const POINTS: [&str; 25] = [
    "before_w1",
    "after_w1",
    "before_w2",
    "after_w2",
    "after_w3",
    "before_i1",
    "after_i1",
    "after_i2",
    "after_i3",
    "before_d1",
    "after_d1",
    "mid_d1",
    "mid_d2",
    "after_d2",
    "before_d3",
    "after_d3",
    "after_fused",
    "after_fused_clear",
    "recent_after_pull",
    "after_c1",
    "after_c2",
    "after_c3",
    "begin_after_children",
    "2w_after_p1",
    "2w_after_w1",
];

/// Stores the initial documents of `step`.
///
/// # Errors
/// The library's.
pub async fn prepare(db: &Database, step: &str) -> mongo_model::Result<()> {
    let emptied = COLLECTIONS.map(|collection| async move {
        let all = db.collection::<bson::Document>(collection);
        all.delete_many(doc! {}).await
    });
    futures::future::try_join_all(emptied).await?;
    let (pair, _) = halves(step);
    if pair == "story" || pair == "remark" {
        super::client::desks_and_blogs(db).await?;
    }
    run(db, &format!("{pair}: prepare")).await
}

/// The pair and the write of a step.
pub(crate) fn halves(step: &str) -> (&str, &str) {
    step.split_once(": ").expect("a pair and a write")
}

/// Runs one write. It can be run twice.
///
/// # Errors
/// The library's.
///
/// # Panics
/// If there is no step of this name.
pub async fn run(db: &Database, step: &str) -> mongo_model::Result<()> {
    let (pair, write) = halves(step);
    let done = match pair {
        "item" => write_item(db, write).await,
        "essay" => write_essay(db, write).await,
        "thing" => write_thing(db, write).await,
        "player" => write_player(db, write).await,
        "story" => write_story(db, write).await,
        "remark" => write_remark(db, write).await,
        "note" => write_note(db, write).await,
        _ => panic!("there is no pair {pair}"),
    };
    match done {
        Err(Error::NotFound { .. }) if write.starts_with("delete") => Ok(()),
        done => done,
    }
}
