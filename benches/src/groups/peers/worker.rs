//! A program of another language that waits for tasks.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::Result;

pub(super) const MONGOOSE: &str = "mongoose";
pub(super) const MONGOOSE_LEAN: &str = "mongoose, lean";
pub(super) const BEANIE: &str = "beanie";

/// The versions that are installed.
const PACKAGES: [&str; 2] = ["mongoose@8", "beanie>=2,<3"];

/// A running worker; it ends when its standard input does.
#[derive(Debug)]
pub(super) struct Worker {
    ways: &'static [(&'static str, &'static str)],
    versions: String,
    talk: Mutex<Talk>,
}

#[derive(Debug)]
struct Talk {
    process: Child,
    tasks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    pub(super) fn mongoose(uri: &str, database: &str, arguments: &[String]) -> Result<Self> {
        let folder = cache("node");
        std::fs::create_dir_all(&folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]);
        npm.arg(&folder).arg(PACKAGES[0]);
        run(npm)?;
        let mut node = Command::new("node");
        node.env("NODE_PATH", folder.join("node_modules"));
        node.arg(script("mongoose.js")).args([uri, database]);
        let ways = &[(MONGOOSE, ""), (MONGOOSE_LEAN, "_lean")];
        Worker::start(node.args(arguments), ways)
    }

    pub(super) fn beanie(uri: &str, database: &str, arguments: &[String]) -> Result<Self> {
        let folder = cache("python");
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"]);
        pip.arg(&folder).arg(PACKAGES[1]);
        if !folder.join("beanie").exists() {
            run(pip)?;
        }
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", folder);
        python.arg(script("beanie_worker.py")).args([uri, database]);
        Worker::start(python.args(arguments), &[(BEANIE, "")])
    }

    fn start(command: &mut Command, ways: &'static [(&'static str, &'static str)]) -> Result<Self> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let tasks = process.stdin.take();
        let answers = process.stdout.take().ok_or("no standard output")?;
        let mut talk = Talk {
            process,
            tasks,
            answers: BufReader::new(answers),
        };
        let first = talk.answer()?;
        match first.strip_prefix("ready: ") {
            Some(versions) => Ok(Worker {
                ways,
                versions: versions.to_owned(),
                talk: Mutex::new(talk),
            }),
            None => Err(format!("{command:?} began with `{first}`").into()),
        }
    }

    /// The versions of what it runs: `mongoose 8.1.0, node 20.1.0`.
    pub(super) fn versions(&self) -> &str {
        &self.versions
    }

    /// The names of its ways, and the suffix that each adds to the name of a task.
    pub(super) fn ways(&self) -> &'static [(&'static str, &'static str)] {
        self.ways
    }

    /// Waits until a task is done, and gives how much was handled.
    pub(super) fn does(&self, task: &str) -> Result<usize> {
        let mut talk = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
        let tasks = talk.tasks.as_mut().ok_or("it has ended")?;
        writeln!(tasks, "{task}")?;
        tasks.flush()?;
        Ok(talk.answer()?.parse()?)
    }
}

impl Talk {
    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.tasks.take());
        // The exit status does not matter any more.
        let _ = self.process.wait();
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("peers")
        .join(name)
}

fn cache(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../target/bench-peers")
        .join(name)
}

fn run(mut command: Command) -> Result<()> {
    let out = command.output();
    let out = out.map_err(|error| format!("{command:?}: {error}"))?;
    if out.status.success() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&out.stderr);
    let last = told.lines().next_back().unwrap_or_default();
    Err(format!("{command:?}: {last}").into())
}
