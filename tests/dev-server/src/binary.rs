//! The search for a mongod that can be run here: a named one, an installed one, a fetched one.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Environment, Error, fetch};

/// A mongod that answered `--version`; `uri` says why `$MONGODB_URI` does not serve, for the error.
pub(crate) fn find(environment: &Environment, uri: &str) -> Result<PathBuf, Error> {
    if let Some(path) = &environment.mongod {
        // If the user names a binary, use no other in its place: that would hide the mistake.
        return match check(path) {
            Ok(()) => Ok(path.clone()),
            Err(reason) => Err(Error::Mongod {
                path: path.clone(),
                reason,
            }),
        };
    }
    let installed = match environment.find("mongod") {
        None => "MONGOD is not set and PATH has no mongod".to_owned(),
        Some(path) => match check(&path) {
            Ok(()) => return Ok(path),
            Err(reason) => format!("{} does not run: {reason}", path.display()),
        },
    };
    fetch::mongod(environment).map_err(|fetched| Error::Unavailable {
        uri: uri.to_owned(),
        installed,
        fetched,
    })
}

/// Checks if the file runs here as a mongod: only running it reveals a file that was built for
/// another system, or that misses a library.
pub(crate) fn check(mongod: &Path) -> Result<(), String> {
    let said = run(Command::new(mongod).arg("--version"))?;
    if said.contains("db version") {
        Ok(())
    } else {
        Err("it runs, but its --version is not that of a mongod".to_owned())
    }
}

/// Runs the command to its end: returns its output, or the end of its error output.
pub(crate) fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    // The last lines name the cause; what precedes them is progress or a stack.
    let lines: Vec<&str> = complaint
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let tail = lines[lines.len().saturating_sub(3)..].join(" / ");
    Err(format!("{}: {tail}", output.status))
}
