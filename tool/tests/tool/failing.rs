//! Bad input: one clear sentence, exit code 2, and never a password.

use std::io::{Read, Write};
use std::net::TcpListener;

use bson::{Document, doc};

use crate::support::{Place, demo, run};

#[test]
fn without_a_server_or_a_database_there_is_one_sentence() {
    let ran = run(demo(), &["check", "--uri", ""]).code(2);
    assert!(
        ran.err.starts_with("error: no server is named"),
        "{}",
        ran.err
    );
    let ran = run(
        demo(),
        &["check", "--uri", "mongodb://localhost:1", "--timeout", "1"],
    )
    .code(2);
    assert!(
        ran.err.starts_with("error: no database is named"),
        "{}",
        ran.err
    );
    let ran = run(
        demo(),
        &[
            "check",
            "--uri",
            "mongodb://localhost:1/shop",
            "--timeout",
            "1",
        ],
    )
    .code(2);
    assert!(
        ran.err
            .starts_with("error: no server answers at localhost:1 within 1 second"),
        "{}",
        ran.err
    );
    let ran = run(
        demo(),
        &[
            "check",
            "--uri",
            "mongodb://localhost:1/shop",
            "--timeout",
            "1",
            "--json",
        ],
    )
    .code(2);
    assert_eq!(
        ran.json()["error"]["message"],
        "no server answers at localhost:1 within 1 second"
    );
    assert_eq!(ran.json()["command"], "check");
}

#[test]
fn a_connection_string_that_cannot_be_read_has_help() {
    let uri = "mongodb://ann:p@ss@localhost:1/shop";
    let ran = run(demo(), &["check", "--uri", uri]).code(2);
    let starts = "error: the connection string is not valid: ";
    assert!(ran.err.starts_with(starts), "{}", ran.err);
    let help = "help: write it as `mongodb://user:password@host:27017/database`; ";
    assert!(ran.err.contains(help), "{}", ran.err);
}

#[test]
fn no_message_has_the_password() {
    for uri in [
        "mongodb://ann:s3cret-word@localhost:1/shop",
        "mongodb://ann:s3cret-word@localhost:1:2/shop",
        "mongodb://ann:s3cret-word@localhost:1/shop?tls=maybe",
        "mongodb+srv://ann:s3cret-word@localhost:1/shop",
        "mongo://ann:s3cret-word@localhost:1/shop",
        "mongodb://ann:s3cret-word%@localhost:1/shop",
        "mongodb://ann:s3cret%2Dword@localhost:1/shop",
        "mongodb+srv://ann:s3cret-word@nowhere.invalid/shop",
        "mongodb://ann:s3cret-word@nowhere.invalid/shop",
        "mongodb://localhost:1/shop?tls=true&tlsCertificateKeyFile=/nowhere&tlsCertificateKeyFilePassword=s3cret-word",
    ] {
        let ran = run(demo(), &["check", "--uri", uri, "--timeout", "1"]).code(2);
        assert!(
            !ran.err.contains("s3cret") && !ran.out.contains("s3cret"),
            "{uri}: {}",
            ran.err
        );
        assert!(ran.err.starts_with("error: "), "{uri}: {}", ran.err);
    }
    // Nor does the help show the variable.
    let ran = run(demo(), &["check", "--help"]).code(0);
    assert!(ran.out.contains("[env: MONGODB_URI]"), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_database_without_collections_is_probably_misspelt() {
    let place = Place::new("empty").await;
    for command in ["check", "verify", "explain"] {
        let ran = place.demo(&[command]).code(2);
        assert!(
            ran.err.contains("has no collections"),
            "{command}: {}",
            ran.err
        );
    }
}

/// A server that says that it is MongoDB 3.6.
#[test]
fn an_old_server_is_named_as_that() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("it has an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || while answer(&mut stream).is_some() {});
        }
    });
    let uri = format!("mongodb://127.0.0.1:{port}/shop");
    let ran = run(demo(), &["check", "--uri", &uri, "--timeout", "3"]).code(2);
    assert!(
        ran.err.contains("is too old") && ran.err.contains("4.4 or newer"),
        "{}",
        ran.err
    );
}

/// Reads a message of the wire protocol and answers with a `hello` of MongoDB 3.6.
fn answer(stream: &mut (impl Read + Write)) -> Option<()> {
    let mut header = [0_u8; 16];
    stream.read_exact(&mut header).ok()?;
    let number = |at: usize| {
        i32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    let mut body = vec![0; usize::try_from(number(0)).ok()?.checked_sub(16)?];
    stream.read_exact(&mut body).ok()?;
    let hello: Document = doc! {
        "ismaster": true, "isWritablePrimary": true, "minWireVersion": 0, "maxWireVersion": 6, "maxBsonObjectSize": 16_777_216,
        "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000, "ok": 1.0,
    };
    let hello = bson::serialize_to_vec(&hello).ok()?;
    const QUERY: i32 = 2004;
    let (opcode, mut payload) = match number(12) {
        // An old query: flags, cursor, position and count, then the document.
        QUERY => (
            1,
            [
                0_i32.to_le_bytes(),
                0_i32.to_le_bytes(),
                0_i32.to_le_bytes(),
                0_i32.to_le_bytes(),
                1_i32.to_le_bytes(),
            ]
            .concat(),
        ),
        // A message: flags and the kind of its section.
        _ => (2013, vec![0, 0, 0, 0, 0]),
    };
    payload.extend(hello);
    let length = i32::try_from(payload.len() + 16).ok()?;
    let mut message = Vec::new();
    for field in [length, 1, number(4), opcode] {
        message.extend(field.to_le_bytes());
    }
    message.extend(payload);
    stream.write_all(&message).ok()
}

/// Change streams need a replica set; the sentence names the option that does without.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_standalone_server_cannot_be_followed() {
    let place = Place::new("follow").await;
    let ran = place.demo(&["follow", "--yes"]).code(2);
    assert!(ran.err.contains("standalone"), "{}", ran.err);
    assert!(ran.err.contains("--poll"), "{}", ran.err);
}
