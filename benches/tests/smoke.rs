//! A smoke run of every group that needs no second compilation.

use std::process::Command;

#[test]
fn every_group_runs() {
    let program = env!("CARGO_BIN_EXE_mongo-model-benches");
    let out = Command::new(program).arg("--quick").output();
    let out = out.expect("started");
    let told = String::from_utf8_lossy(&out.stdout);
    let failed = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{told}{failed}");
    for work in [
        "decode Dn",
        "encode LogMsg",
        "1 product x 200 references",
        "the last 500 messages",
        "insert_many of 500",
        "update of a source",
        "insert of one, inside of a wall",
        "rename that 40 documents",
        "verify of all copies",
    ] {
        let judged = |line: &&str| {
            let line = line.strip_prefix("| ").unwrap_or_default();
            line.starts_with(work) && (line.ends_with("| met |") || line.ends_with("missed** |"))
        };
        assert!(told.lines().any(|line| judged(&line)), "{work}: {told}");
    }
    // Nothing is flagged in what the smoke run stores, whatever else its numbers say.
    assert!(told.contains("| 0 examined |"), "{told}");
}

// Its interrupted renames kill this program, which the group starts once more.
#[test]
fn what_grows_without_bounds_runs_when_it_is_named() {
    let program = env!("CARGO_BIN_EXE_mongo-model-benches");
    let out = Command::new(program).args(["--quick", "scale"]).output();
    let out = out.expect("started");
    let told = String::from_utf8_lossy(&out.stdout);
    let failed = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{told}{failed}");
    assert_eq!(told.matches("; 0 stale.").count(), 2, "{told}");
    for work in ["verify of 2000 references", "8 tasks that read and write"] {
        assert!(told.contains(&format!("| {work} |")), "{work}: {told}");
    }
}

#[test]
fn an_unknown_group_is_refused() {
    let program = env!("CARGO_BIN_EXE_mongo-model-benches");
    let out = Command::new(program).arg("jions").output();
    let out = out.expect("started");
    let failed = String::from_utf8_lossy(&out.stderr);
    assert!(
        !out.status.success() && failed.contains("joins"),
        "{failed}"
    );
}
