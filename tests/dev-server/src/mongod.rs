//! One mongod process and the shell that ends it with its parent.

use std::{
    env,
    io::{self, Read, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
};

use crate::unique;

/// See the head of the script for what it promises.
const SUPERVISOR: &str = include_str!("supervisor.sh");
/// The exit status of a supervisor whose mongod lost its port to another process.
const PORT_TAKEN: i32 = 48;

/// A mongod on a port of the loopback interface, with a data folder of its own. Dropping it kills
/// the server and removes the folder; so does the end of this process, in whatever way.
#[derive(Debug)]
pub(crate) struct Mongod {
    supervisor: Child,
    port: u16,
    folder: String,
}

impl Mongod {
    /// Starts it as a member of `replica_set`, or alone. It is not ready yet.
    pub(crate) fn spawn(
        binary: &Path,
        port: u16,
        replica_set: Option<&str>,
        arguments: &[String],
    ) -> io::Result<Self> {
        let folder = format!("mongo-model-{}", unique::suffix());
        let mut command = Command::new("sh");
        command
            .args(["-c", SUPERVISOR, "supervisor"])
            .arg(env::temp_dir().join(&folder))
            .arg(binary)
            .args(["--bind_ip", "127.0.0.1", "--port", &port.to_string()])
            // A socket file would be left in the temporary folder by the kill.
            .arg("--nounixsocket")
            // By default each server would claim half of the machine's memory.
            .args(["--wiredTigerCacheSizeGB", "0.25"])
            .args(["--setParameter", "diagnosticDataCollectionEnabled=false"])
            .arg("--quiet")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(name) = replica_set {
            command.args(["--replSet", name]);
        }
        apart(&mut command);
        let supervisor = command
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("cannot run sh: {error}")))?;
        Ok(Self {
            supervisor,
            port,
            folder,
        })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The last component of the path of its data folder, by which a server can be told from
    /// another one that won the race for its port.
    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }

    /// Kills it with SIGKILL; it starts again on its data.
    pub(crate) fn kill_and_restart(&self) -> io::Result<()> {
        match self.supervisor.stdin.as_ref() {
            Some(mut supervisor) => supervisor.write_all(b"again\n"),
            None => Ok(()),
        }
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&mut self) -> io::Result<Option<End>> {
        let status = self.supervisor.try_wait()?;
        Ok(status.map(|status| match status.code() {
            Some(PORT_TAKEN) => End::PortTaken,
            _ => End::Other(status),
        }))
    }

    /// Ends it, for the end of its log.
    pub(crate) fn stop(mut self) -> String {
        drop(self.supervisor.stdin.take());
        let mut log = Vec::new();
        if let Some(mut output) = self.supervisor.stdout.take() {
            // A log that breaks off still says more than none.
            let _ = output.read_to_end(&mut log);
        }
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Mongod {
    fn drop(&mut self) {
        // Waiting closes the pipe first, which is what the supervisor ends on, and so a server
        // that was dropped is gone. A failure would mean that it was waited for before.
        let _ = self.supervisor.wait();
    }
}

/// How a mongod ended.
pub(crate) enum End {
    /// Another process took its port first.
    PortTaken,
    /// In any other way.
    Other(ExitStatus),
}

/// Keeps the interrupt of a terminal from the supervisor and mongod: it is meant for the parent,
/// whose end they notice.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// A system without process groups has no interrupt that goes to a group.
#[cfg(not(unix))]
fn apart(_command: &mut Command) {}
