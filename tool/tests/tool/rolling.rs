//! An old and a new program write to one database at the same time: each reads of the other what `compat` says.

use std::collections::BTreeMap;
use std::process::Stdio;

use bson::{Bson, Document, doc};

use crate::locking::Folder;
use crate::support::{Place, command, example, run};

/// The documents of the other program that a program could read, and those that it refused, by collection.
type Seen = BTreeMap<String, (u32, u32)>;

/// The answer of `compat` that fits.
fn answer(seen: &Seen, collection: &str) -> &'static str {
    match seen[collection] {
        (0, 0) => "nothing was read",
        (_, 0) => "yes",
        (0, _) => "no",
        _ => "some",
    }
}

/// Runs both programs at once.
fn write_both(place: &Place) -> [Seen; 2] {
    let arguments = ["write", place.uri(), place.db.name()];
    let programs = ["before", "after"].map(|name| {
        let mut program = command(example(name), &arguments);
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        program.spawn().expect("it starts")
    });
    programs.map(|program| {
        let ran = program.wait_with_output().expect("it ends");
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let lines = String::from_utf8(ran.stdout).expect("text");
        let seen = lines.lines().map(|line| {
            let parts: Vec<&str> = line.split(' ').collect();
            let number = |n: usize| parts[n].parse().expect("a number");
            (parts[0].to_owned(), (number(1), number(2)))
        });
        seen.collect()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn programs_that_run_side_by_side_do_as_compat_says() {
    let folder = Folder::new("rolling");
    let file = folder.file();
    let path = ["--path", file.to_str().expect("a path")];
    run(
        example("before"),
        &[&["lock", "--as", "1.0.0"], &path[..]].concat(),
    )
    .code(0);
    let compat = [&["compat", "--json"], &path[..]].concat();
    let said = run(example("after"), &compat).code(1).json();
    let changes = said["changes"].as_array().expect("a list");

    let place = Place::in_set("rolling").await;
    let [old, new] = write_both(&place);
    let mut kinds = Vec::new();
    for change in changes {
        let text = |name: &str| change[name].as_str().expect("text");
        let (collection, kind) = (
            text("model").split('.').next().expect("a part"),
            text("kind"),
        );
        assert_eq!(
            answer(&old, collection),
            text("old_reads_new"),
            "{kind}: {old:?}"
        );
        assert_eq!(
            answer(&new, collection),
            text("new_reads_old"),
            "{kind}: {new:?}"
        );
        // Old programs save what they can read alone. New ones store a value in every third document at least, under one of two names.
        if text("old_reads_new") != "no" && !kind.starts_with("field_removed") {
            let mut lost = doc! { "_id": { "$mod": [3, 0] }, "born": "after", text("fact"): null };
            if kind.starts_with("field_renamed") {
                lost.insert("city", Bson::Null);
            }
            let stored = place.db.collection::<Document>(collection);
            let lost = stored.count_documents(lost).await.expect("counted");
            assert_eq!(lost > 0, text("old_save") == "loses", "{kind}: {lost}");
        }
        kinds.push(kind);
    }
    assert_eq!(
        kinds.len(),
        old.len(),
        "a change in each collection: {kinds:?}"
    );
}
