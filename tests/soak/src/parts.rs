//! Parts of a test side by side, each in a process of its own: the points where writes stop are the process's.

use std::env;
use std::process::Stdio;

use futures::{StreamExt, stream};
use mongo_model_dev_server::Topology;
use tokio::process::Command;

const PART: &str = "MONGO_MODEL_SOAK_PART";

/// A test on either kind of server.
pub const ON_BOTH: [(&str, Topology); 2] = [
    ("alone", Topology::Standalone),
    ("in a set", Topology::ReplicaSet(1)),
];

/// Runs each part of a test in a process of its own, three at a time: they wait for the server half of the time. `test` is the name of the calling test: in the processes
/// that it starts, it does `run` for the part that each has to run. Calls wait for all of their work there.
///
/// # Panics
/// If a part fails, with what it said.
pub async fn side_by_side<T: Copy>(test: &str, parts: &[(&str, T)], run: impl AsyncFnOnce(T)) {
    if let Ok(own) = env::var(PART) {
        // Every point lies in the call, where it can be stopped.
        mongo_model::settle_in_calls(true);
        let part = parts.iter().find(|(name, _)| *name == own);
        return run(part.expect("a part of this test").1).await;
    }
    let program = env::current_exe().expect("a program");
    let running = parts.iter().map(|(name, _)| {
        let child = Command::new(&program)
            .args([test, "--exact", "--include-ignored", "--nocapture"])
            .env(PART, name)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        async move { (*name, child.await.expect("the program runs")) }
    });
    let done: Vec<_> = stream::iter(running).buffer_unordered(3).collect().await;
    for (name, output) in done {
        let said = String::from_utf8_lossy(&output.stdout);
        let failed = String::from_utf8_lossy(&output.stderr);
        // A test that is not there passes too.
        let passed = output.status.success() && said.contains("test result: ok. 1 passed");
        assert!(passed, "{name}: {said}\n{failed}");
    }
}
