//! `assert_locked!`: a test fails with the text of `lock --check`.

use std::fs;
use std::path::Path;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
struct Note {
    #[serde(rename = "_id")]
    id: Id<Note>,
    text: String,
}

const LOCK: &str = "format = 1\n\n[next.\"notes.Note\"]\n\"$model\" = \"plain\"\n_id = \"object id\"\ntext = \"string\"\n";

/// The message of a test about the lock in this folder, if it fails.
fn message(folder: &Path) -> Option<String> {
    let folder = folder.to_str().expect("a path").to_owned();
    let failed = std::panic::catch_unwind(|| mongo_model_tool::assert_lock(&folder));
    failed
        .err()
        .map(|message| *message.downcast().expect("text"))
}

#[test]
fn a_test_fails_with_the_text_of_the_check() {
    let folder = std::env::temp_dir().join(format!("mongo-model-assert-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("made");
    let file = folder.join("mongo-model.lock");
    let help =
        "  help: `cargo mongo-model lock` writes it: review it, and commit it with the change\n";
    let shown = file.display();
    let none = format!("there is no {shown}\n{help}");
    assert_eq!(message(&folder), Some(none));

    fs::write(&file, LOCK).expect("written");
    assert_eq!(message(&folder), None);

    fs::write(&file, LOCK.replace("string", "i32")).expect("written");
    let differs = format!(
        "- notes.Note  text = \"i32\"\n+ notes.Note  text = \"string\"\n\n{shown} is not what the models promise: 1 fact\n{help}"
    );
    assert_eq!(message(&folder), Some(differs));

    fs::write(&file, "format = 7\n").expect("written");
    let newer = format!("{shown} has format 7, and this tool knows format 1 alone");
    assert_eq!(message(&folder), Some(newer));
    fs::remove_dir_all(&folder).expect("removed");
}
