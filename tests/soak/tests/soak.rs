//! Clients and servers are killed while everybody writes the same few documents. A longer run is that of the program:
//! `cargo run -p mongo-model-soak -- run 110 set3 kept model`.

use mongo_model_dev_server::Topology;
use mongo_model_soak::client::Mode;
use mongo_model_soak::family::Family;
use mongo_model_soak::run::{Report, Settings, soak};
use tokio::sync::Mutex;

/// One run at a time, or the machine is the bottleneck and little happens in either.
static ALONE: Mutex<()> = Mutex::const_new(());

async fn run(seconds: u64, topology: Topology, family: Family, mode: Mode) -> Report {
    let _alone = ALONE.lock().await;
    let report = soak(&Settings {
        program: env!("CARGO_BIN_EXE_soak").into(),
        seconds,
        topology,
        family,
        mode,
        clients: 6,
        sweepers: if mode == Mode::Model { 1 } else { 0 },
        disturb: 5,
    })
    .await;
    println!("{topology:?} {family:?} {mode:?}\n{report}");
    assert!(
        report.client_kills > 0 && report.acknowledged > 0 && report.copies > 0,
        "{report}"
    );
    assert!(report.server_kills + report.step_downs > 0, "{report}");
    report
}

fn assert_right(report: &Report) {
    assert!(report.lost.is_empty(), "{report}");
    assert!(report.stale_after.is_empty(), "{report}");
    assert!(report.foreign.is_empty(), "{report}");
    assert_eq!(report.flags_after, 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_are_right_after_a_standalone_was_killed() {
    let report = run(12, Topology::Standalone, Family::Copies, Mode::Model).await;
    assert_right(&report);
    assert!(report.dangling.is_empty(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_are_right_after_primaries_were_killed() {
    let report = run(18, Topology::ReplicaSet(3), Family::Copies, Mode::Model).await;
    assert_right(&report);
    assert!(report.dangling.is_empty(), "{report}");
}

/// Otherwise the other two would show nothing: the same writes without flags, killed in the same way.
#[tokio::test(flavor = "multi_thread")]
async fn copies_without_flags_are_stale_for_ever() {
    let report = run(8, Topology::Standalone, Family::Copies, Mode::Naive).await;
    assert!(report.stale > 0 && !report.lost.is_empty(), "{report}");
    assert!(!report.stale_after.is_empty(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_is_right_after_a_standalone_was_killed() {
    assert_right(&run(12, Topology::Standalone, Family::Kept, Mode::Model).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_is_right_after_primaries_were_killed() {
    assert_right(&run(18, Topology::ReplicaSet(3), Family::Kept, Mode::Model).await);
}

/// References may lead nowhere where ids are used again: a child can be stored while its parent is away.
#[tokio::test(flavor = "multi_thread")]
async fn documents_that_come_back_are_right_after_a_standalone_was_killed() {
    assert_right(&run(12, Topology::Standalone, Family::Reused, Mode::Model).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_come_back_are_right_after_primaries_were_killed() {
    assert_right(&run(18, Topology::ReplicaSet(3), Family::Reused, Mode::Model).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_by_hand_is_wrong_for_ever() {
    let report = run(8, Topology::Standalone, Family::Kept, Mode::Naive).await;
    assert!(report.stale > 0 && !report.lost.is_empty(), "{report}");
    assert!(!report.stale_after.is_empty(), "{report}");
}
