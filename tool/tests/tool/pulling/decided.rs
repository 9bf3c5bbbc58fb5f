//! `pull.toml`: names and decisions of the user, which every run respects.

use std::fs;
use std::path::Path;

use bson::oid::ObjectId;
use bson::{Document, doc};

use super::doubts::fill;
use super::{folder, pull};
use crate::support::{Place, Ran};

/// Albums that refer to artists and repeat their names, with a field that looks like an enum and one of two types.
async fn albums(name: &str) -> Place {
    let place = Place::new(name).await;
    let ids: Vec<ObjectId> = (0..30).map(|_| ObjectId::new()).collect();
    let artists = ids.iter().enumerate();
    let artists = artists.map(|(n, id)| doc! { "_id": *id, "name": format!("artist {n}") });
    fill(&place, "artists", artists).await;
    let albums = (0..60_usize).map(|n| {
        let size: bson::Bson = if n == 7 { "12".into() } else { 12.into() };
        let form = ["single", "album"][n % 2];
        doc! {
            "id": i32::try_from(n).expect("small"), "artist": ids[n % 30], "artistName": format!("artist {}", n % 30),
            "form": form, "size": size, "cover": { "url": "u", "width": 1 },
        }
    });
    fill(&place, "albums", albums).await;
    place
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect(name)
}

/// A run into a folder with these decisions: what it printed, and the model of the albums.
fn decided(place: &Place, name: &str, decisions: &str) -> (Ran, String) {
    let out = folder(name);
    fs::write(out.join("pull.toml"), decisions).expect("written");
    let ran = pull(place, out.to_str().expect("a path"), &[]);
    assert_eq!(read(&out, "pull.toml"), decisions, "it stays as it is");
    let source = fs::read_to_string(out.join("albums.rs")).unwrap_or_default();
    (ran, source)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_first_run_writes_what_it_decided() {
    let place = albums("drafted").await;
    let out = folder("drafted");
    let path = out.to_str().expect("a path");
    let ran = pull(&place, path, &[]).code(1);
    assert!(ran.out.contains("pull.toml"), "{}", ran.out);
    let draft = read(&out, "pull.toml");
    for part in [
        "# [collections.albums]\n# model = \"Album\"\n",
        "# [collections.albums.fields.artist]\n# reference = true\n",
        "# copy = \"live\"\n# accept = [\"live_or_frozen\"]\n",
        "# enum = true\n# type = \"Form\"\n",
        "# accept = [\"mixed_types\"]\n",
        // A name that depends on others is kept.
        "\n[collections.albums.fields.id]\nname = \"id_2\"\n",
    ] {
        assert!(draft.contains(part), "{part}: {draft}");
    }
    let first = read(&out, "albums.rs");
    let ran = pull(&place, path, &[]).code(1);
    assert!(!ran.out.contains("pull.toml"), "{}", ran.out);
    assert_eq!(read(&out, "albums.rs"), first);
    // All that it proposes is what it decides by itself.
    let (head, proposed) = draft.split_once("\n\n").expect("a head");
    let lines = proposed.lines();
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix("# ").unwrap_or(line))
        .filter(|line| !line.starts_with("accept"))
        .collect();
    let all = format!("{head}\n\n{}\n", lines.join("\n"));
    let (ran, source) = decided(&place, "drafted-all", &all);
    ran.code(1);
    let question = "live or frozen?";
    assert!(first.contains(question) && !source.contains(question));
    let struct_of = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim().starts_with("//"));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(struct_of(&source), struct_of(&first));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn names_and_decisions_are_respected() {
    let place = albums("decided").await;
    let (ran, source) = decided(
        &place,
        "decided",
        r#"
[collections.albums]
model = "Record"
[collections.albums.fields.artistName]
name = "performer"
copy = "snapshot"
[collections.albums.fields.cover]
type = "Picture"
[collections.albums.fields."cover.url"]
name = "address"
[collections.albums.fields.form]
enum = false
[collections.albums.fields.size]
accept = ["mixed_types", "nearly_enum"]
[collections.artists]
model = "Performer"
"#,
    );
    for part in [
        "pub struct Record {",
        "#[denorm(from = Performer, field = name, snapshot)]",
        "pub performer: String",
        "pub cover: Picture",
        "pub address: String",
        "pub form: String",
        "#[parent(Performer)]",
    ] {
        assert!(source.contains(part), "{part}: {source}");
    }
    assert!(!source.contains("REVIEW"), "{source}");
    let unused =
        "nothing in the data asks for `accept = [\"nearly_enum\"]` (line 14 of the decisions)";
    assert!(ran.out.contains(unused), "{}", ran.out);
    ran.code(0);
    let (_, source) = decided(
        &place,
        "decided-not",
        "[collections.albums.fields]\nartist = { reference = false }\n",
    );
    assert!(
        source.contains("pub artist: ObjectId") && !source.contains("#[denorm"),
        "{source}"
    );
    let (_, source) = decided(
        &place,
        "decided-none",
        "[collections.albums.fields]\nartistName = { copy = \"none\" }\n",
    );
    assert!(
        source.contains("#[parent(") && !source.contains("#[denorm"),
        "{source}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn decisions_about_nothing_are_refused() {
    let place = albums("undecided").await;
    for (decisions, message) in [
        (
            "[collections.album]\n",
            "line 1: no collection is called `album`",
        ),
        (
            "[collections.albums.fields.artist]\n\n[collections.albums.fields.\"cover.size\"]\n",
            "line 3: `albums` has no field `cover.size`",
        ),
        (
            "[collections.albums.indexes.size_1]\n",
            "line 1: `albums` has no index `size_1`",
        ),
        (
            "[collections.albums]\n\nmodle = \"A\"\n",
            "line 3: unknown field `modle`",
        ),
    ] {
        let (ran, source) = decided(&place, "undecided", decisions);
        assert!(
            ran.err.contains(message) && ran.err.contains("pull.toml"),
            "{}",
            ran.err
        );
        assert_eq!(source, "", "nothing is written");
        ran.code(2);
    }
    let stored = place.db.collection::<Document>("albums");
    assert_eq!(stored.count_documents(doc! {}).await.expect("counted"), 60);
}
