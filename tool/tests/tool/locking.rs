//! `lock`: the file with the promises of the models, releases that do not change, and files that are none. `compat`: what has changed since.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::linking::{commit, git};
use crate::support::{Place, Ran, cargo_mongo_model, command, demo, golden, run};

/// A folder of a test's own, with the path of the lock in it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("mongo-model-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("made");
        Folder(folder)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("mongo-model.lock")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).expect("there")
    }

    fn write(&self, text: &str) {
        fs::write(self.file(), text).expect("written");
    }

    fn lock(&self, args: &[&str]) -> Ran {
        lock(&self.file(), args)
    }

    /// Nothing is written by this run, which could not do its work and says why in these words.
    #[track_caller]
    fn refused(&self, args: &[&str], words: &[&str]) {
        let before = fs::read_to_string(self.file()).ok();
        let ran = self.lock(args).code(2);
        for word in words {
            assert!(ran.err.contains(word), "no `{word}` in {}", ran.err);
        }
        assert_eq!(fs::read_to_string(self.file()).ok(), before);
        assert_eq!(ran.out, "");
        let files = fs::read_dir(&self.0).expect("a folder").count();
        assert_eq!(
            files,
            usize::from(before.is_some()),
            "nothing lies beside it"
        );
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The folder of a test that failed may be of use.
        if !std::thread::panicking() {
            fs::remove_dir_all(&self.0).expect("removed");
        }
    }
}

fn lock(file: &Path, args: &[&str]) -> Ran {
    let mut all = vec!["lock", "--path", file.to_str().expect("a path")];
    all.extend(args);
    run(demo(), &all)
}

#[test]
fn the_demo_is_locked() {
    let folder = Folder::new("lock-golden");
    let ran = folder.lock(&[]).code(0);
    assert!(
        ran.out.starts_with("wrote ") && ran.out.lines().count() == 1,
        "{}",
        ran.out
    );
    golden("mongo-model.lock", &folder.text());
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/mongo-model.lock");
    lock(&stored, &["--check"]).code(0);
}

#[test]
fn a_lock_that_is_current_stays_as_it_is() {
    let folder = Folder::new("lock-current");
    folder.lock(&[]).code(0);
    // Another form of the same facts.
    let formatted = folder.text().replace(" = ", "  =  ");
    folder.write(&formatted);
    for args in [&[][..], &["--check"]] {
        let ran = folder.lock(args).code(0);
        assert!(
            ran.out.contains("says what the models promise"),
            "{}",
            ran.out
        );
        assert_eq!(folder.text(), formatted);
    }
    let said = folder.lock(&["--check", "--json"]).code(0).json();
    assert_eq!(said["command"], "lock");
    assert_eq!(said["written"], false);
    assert_eq!(said["changes"], serde_json::json!([]));
}

#[test]
fn a_change_is_shown_and_written() {
    let folder = Folder::new("lock-change");
    folder.lock(&[]).code(0);
    let current = folder.text();
    let old = current.replace(
        "[next.\"products.Product\"]\n",
        "[next.\"products.Product\"]\ngone = [\"i32\", \"or null\"]\n",
    );
    let name = "name = \"string\"\n";
    assert!(old != current && old.contains(name));
    let old = old.replace(name, "name = \"i32\"\n");
    folder.write(&old);

    let ran = folder.lock(&["--check"]).code(1);
    assert!(
        ran.out
            .contains("- products.Product  gone = [\"i32\", \"or null\"]\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains(
            "- products.Product  name = \"i32\"\n+ products.Product  name = \"string\"\n"
        ),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("`demo lock` writes it"), "{}", ran.out);
    assert_eq!(folder.text(), old, "a check writes nothing");

    let said = folder.lock(&["--check", "--json"]).code(1).json();
    assert_eq!(said["ok"], false);
    let change = &said["changes"][0];
    let shown = [&change["model"], &change["fact"], &change["new"]].map(ToString::to_string);
    assert!(
        said["changes"].as_array().is_some_and(|all| all.len() > 1),
        "{said}"
    );
    assert!(shown.iter().all(|text| !text.is_empty()), "{shown:?}");

    let ran = folder.lock(&[]).code(0);
    assert!(
        ran.out.contains("- products.Product  gone = ") && ran.out.contains("\nwrote "),
        "{}",
        ran.out
    );
    assert_eq!(folder.text(), current);
}

#[test]
fn there_is_no_lock_yet() {
    let folder = Folder::new("lock-none");
    let ran = folder.lock(&["--check"]).code(1);
    assert!(
        ran.out.contains("there is no ") && ran.out.contains("demo lock"),
        "{}",
        ran.out
    );
    assert!(!folder.file().exists());
}

#[test]
fn a_release_is_kept_and_does_not_change() {
    let folder = Folder::new("lock-release");
    let ran = folder.lock(&["--as", "1.4.0"]).code(0);
    assert!(ran.out.contains(", release 1.4.0\n"), "{}", ran.out);
    folder.lock(&["--as", "1.10.0"]).code(0);
    folder.lock(&["--as", "1.9.0-rc.1"]).code(0);
    let text = folder.text();
    let headings: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("[release.") && !line.contains("\".\""))
        .collect();
    assert_eq!(
        headings,
        [
            "[release.\"1.4.0\"]",
            "[release.\"1.9.0-rc.1\"]",
            "[release.\"1.10.0\"]"
        ]
    );
    folder.lock(&["--check"]).code(0);
    folder.refused(
        &["--as", "1.4.0"],
        &["has the release 1.4.0 already", "help: "],
    );

    // An edit of the past, where the file stays a lock.
    let at = text
        .find("[release.\"1.4.0\".\"products.Product\"]")
        .expect("a model");
    let edited = format!(
        "{}{}",
        &text[..at],
        text[at..].replacen("name = \"string\"", "name = \"i32\"", 1)
    );
    assert_ne!(edited, text);
    folder.write(&edited);
    let ran = folder.lock(&["--check"]).code(1);
    assert!(
        ran.out.contains("the facts of release 1.4.0 do not match"),
        "{}",
        ran.out
    );
    let said = folder.lock(&["--check", "--json"]).code(1).json();
    assert_eq!(said["edited"], serde_json::json!(["1.4.0"]));
    folder.refused(&[], &["release 1.4.0", "from version control"]);
    folder.refused(&["--as", "2.0.0"], &["release 1.4.0"]);
}

#[test]
fn what_is_no_lock_is_refused_in_a_sentence() {
    let folder = Folder::new("lock-damaged");
    folder.refused(&["--as", "next"], &["`next` is no version", "`1.4.0`"]);
    folder.refused(&["--as", "1.4"], &["`1.4` is no version"]);
    folder.write("format = 1\n\n[next.\"parts.Part\"]\nname = 3\n");
    folder.refused(&[], &["is damaged in line 4", "version control"]);
    folder.refused(&["--check"], &["is damaged in line 4"]);
    folder.write("format = 1\n<<<<<<< HEAD\n");
    folder.refused(&[], &["is damaged in line 2"]);
    folder.write("format = 7\n[something.new]\n");
    folder.refused(
        &[],
        &[
            "has format 7, and this tool knows format 1 alone",
            "the version of the tool",
        ],
    );
    folder.refused(&["--model", "Product"], &["all models"]);
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = Folder::new("lock-nowhere");
    let file = folder.0.join("missing/mongo-model.lock");
    let ran = lock(&file, &[]).code(2);
    assert!(
        ran.err
            .contains("missing/mongo-model.lock cannot be written"),
        "{}",
        ran.err
    );
    assert!(
        !ran.err.contains(".new") && ran.err.contains("--path"),
        "{}",
        ran.err
    );
    let ran = lock(&folder.0, &[]).code(2);
    assert!(ran.err.contains("cannot be read"), "{}", ran.err);
}

#[test]
fn the_file_lies_beside_the_manifest() {
    let folder = Folder::new("lock-beside");
    let mut program = command(demo(), &["lock"]);
    let done = program
        .env("CARGO_MANIFEST_DIR", &folder.0)
        .output()
        .expect("it runs");
    assert!(done.status.success() && folder.file().exists());
    let mut program = command(demo(), &["lock", "--check"]);
    let done = program
        .env_remove("CARGO_MANIFEST_DIR")
        .current_dir(&folder.0)
        .output()
        .expect("it runs");
    assert!(
        done.status.success(),
        "without cargo it is the present folder"
    );
    // Under cargo, too, where options of the build stand beside.
    let args = [
        "lock",
        "--check",
        "--release",
        "--manifest-path",
        "nowhere/Cargo.toml",
    ];
    let ran = run(cargo_mongo_model(), &args).code(2);
    assert!(
        ran.err.contains("cargo cannot read the package"),
        "{}",
        ran.err
    );
    let help = run(cargo_mongo_model(), &["lock", "--help"]).code(0);
    assert!(
        help.out.contains("--as <VERSION>") && help.out.contains("Exit codes: "),
        "{}",
        help.out
    );
}

/// The lock with another past: a fact of its only release was another one.
pub(crate) fn with_past(text: &str, now: &str, was: &str) -> String {
    let (head, facts) = text.split_once("digest = \"").expect("a release");
    let (digest, facts) = facts.split_once("\"\n").expect("a digest");
    assert!(
        digest.starts_with("sha256:") && facts.contains(now),
        "{facts}"
    );
    let facts = facts.replacen(now, was, 1);
    let digest = Sha256::digest(facts.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{head}digest = \"sha256:{digest}\"\n{facts}")
}

#[test]
fn what_has_changed_since_a_release_is_shown() {
    let folder = Folder::new("compat");
    let file = folder.file();
    let compat = |args: &[&str]| {
        let all = ["compat", "--path", file.to_str().expect("a path")];
        run(demo(), &[&all, args].concat())
    };
    let ran = compat(&[]).code(2);
    assert!(
        ran.err.contains("has no release") && ran.err.contains("lock --as"),
        "{}",
        ran.err
    );
    folder.lock(&["--as", "1.4.0"]).code(0);
    let ran = compat(&[]).code(0);
    assert_eq!(ran.out, "nothing has changed since release 1.4.0\n");
    let ran = compat(&["--against", "1.3.0"]).code(2);
    assert!(
        ran.err.contains("has no release 1.3.0") && ran.err.contains("it has 1.4.0"),
        "{}",
        ran.err
    );
    let current = folder.text();

    // Old programs had a field less, which all documents must have now.
    folder.write(&with_past(&current, "manufacturer = \"string\"\n", ""));
    let ran = compat(&["--against", "1.4.0"]).code(1);
    golden("compat.txt", &ran.out);
    let said = compat(&["--json"]).code(1).json();
    let change = serde_json::json!({
        "model": "products.Product", "fact": "manufacturer", "kind": "field_added_required",
        "says": "a new field that every document must have",
        "old_reads_new": "yes", "new_reads_old": "no", "old_save": "loses",
        "step": "release it as optional, fill it, then require it in another release",
    });
    assert_eq!(said["changes"], serde_json::json!([change]));
    let executed = &said["executed"];
    assert!(executed["documents"].as_u64() > Some(0), "{executed}");
    assert_eq!(executed["contradictions"], serde_json::json!([]));
    assert_eq!(executed["not_executed"], serde_json::json!([]));
    assert_eq!(
        (&said["ok"], &said["against"]),
        (&false.into(), &"1.4.0".into())
    );

    // Old programs had a field more, which could be absent: both run side by side.
    let name = "name = \"string\"\nparts = ";
    let more = "name = \"string\"\nnote = [\"string\", \"optional\"]\nparts = ";
    folder.write(&with_past(&current, name, more));
    let ran = compat(&[]).code(0);
    assert!(
        ran.out
            .contains("1 change since release 1.4.0: old and new programs run side by side"),
        "{}",
        ran.out
    );

    folder.write(&current.replace("sha256:", "sha256:0"));
    let ran = compat(&[]).code(2);
    assert!(
        ran.err.contains("the facts of release 1.4.0 do not match"),
        "{}",
        ran.err
    );
}

#[test]
fn a_branch_is_compared_as_a_release_is() {
    let folder = Folder::new("compat-git");
    let file = folder.file();
    let compat = |against: &str| {
        let (file, against) = (
            file.to_str().expect("a path"),
            format!("--against={against}"),
        );
        run(demo(), &["compat", "--path", file, &against])
    };
    let refused = |against: &str, why: &str| {
        let ran = compat(against).code(2);
        let sentence = format!("error: git does not have mongo-model.lock at `{against}`: {why}");
        assert!(ran.err.starts_with(&sentence), "{}", ran.err);
        assert!(ran.err.contains("by its version: `1.4.0`"), "{}", ran.err);
    };
    refused("main", "not a git repository");
    fs::write(folder.0.join("empty"), "").expect("written");
    commit(&folder.0);
    git(&folder.0, &["tag", "before"]);
    folder.lock(&[]).code(0);
    let current = folder.text();
    folder.write(&current.replace("manufacturer = \"string\"\n", ""));
    commit(&folder.0);

    // The file as it is does not count.
    folder.write(&current);
    for against in ["main", "HEAD", "refs/heads/main"] {
        let ran = compat(against).code(1);
        let said = format!("1 change since `{against}`; for 1 of them");
        assert!(
            ran.out.contains("products.Product manufacturer"),
            "{}",
            ran.out
        );
        assert!(ran.out.contains(&said), "{}", ran.out);
    }
    refused("nowhere", "invalid object name 'nowhere'.");
    refused(
        "before",
        "path 'mongo-model.lock' exists on disk, but not in 'before'",
    );
    commit(&folder.0);
    let ran = compat("main").code(0);
    assert_eq!(ran.out, "nothing has changed since `main`\n");
    folder.write("format = 1\nnext = 7\n");
    commit(&folder.0);
    let ran = compat("main").code(2);
    assert!(
        ran.err
            .contains("mongo-model.lock at `main` is damaged in line 2"),
        "{}",
        ran.err
    );
    // It is no option of git either.
    let ran = compat("--output=lost").code(2);
    assert!(ran.err.contains("--output=lost"), "{}", ran.err);
    assert!(!folder.0.join("lost").exists());
}

#[tokio::test]
async fn documents_of_a_database_are_read() {
    let place = Place::spoiled("compat").await;
    let folder = Folder::new("compat-database");
    folder.lock(&["--as", "1.4.0"]).code(0);
    let file = folder.file();
    let compat = |args: &[&str]| {
        let path = ["compat", "--path", file.to_str().expect("a path")];
        run(demo(), &[&path, args].concat())
    };
    let database = ["--database", place.uri(), "--db", place.db.name()];
    let ran = compat(&database).code(1);
    golden("compat-database.txt", &ran.out);
    assert!(
        !ran.out.contains("Robot") && !ran.out.contains("2024"),
        "{}",
        ran.out
    );
    let said = compat(&[&database[..], &["--json"]].concat())
        .code(1)
        .json();
    let products = said["sampled"].as_array().and_then(|all| {
        let mut all = all.iter();
        all.find(|one| one["collection"] == "products")
    });
    let refused = serde_json::json!([
        { "path": "name", "why": "expected a string, found int32", "documents": 1 },
    ]);
    assert_eq!(products.expect("products")["refused"], refused);
    // A server that is missing is an error, not a finding.
    let nowhere = ["--database", "mongodb://localhost:1/x", "--timeout", "1"];
    let ran = compat(&nowhere).code(2);
    assert!(ran.err.contains("localhost:1"), "{}", ran.err);
    let ran = compat(&["--sample", "7"]).code(2);
    assert!(ran.err.contains("--database"), "{}", ran.err);
}
