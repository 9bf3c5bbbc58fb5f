use super::*;

/// Texts with everything that TOML has a meaning for, by a number.
fn text(n: u64) -> String {
    const PARTS: [&str; 16] = [
        "parts", "[]", ".", "id", "$index ", "\"", "'", "\\", "\n", "\u{7f}", "ä", "=", "#", " ",
        "{ a: 1 }", "\t",
    ];
    let mut out = String::new();
    let mut rest = n;
    for _ in 0..n % 5 + 1 {
        rest = rest
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(n | 1);
        let part = usize::try_from(rest >> 60).expect("four bits");
        out.push_str(PARTS[part]);
    }
    out
}

fn facts(seed: u64) -> Facts {
    let fact = |n: u64| Fact((0..=n % 3).map(|part| text(n * 7 + part)).collect());
    let model = |n: u64| {
        (0..n % 6)
            .map(|m| (text(n * 31 + m), fact(n * 17 + m)))
            .collect()
    };
    (0..seed % 4)
        .map(|n| (format!("{}.Part", text(seed + n)), model(seed * 13 + n)))
        .collect()
}

fn lock(seed: u64) -> Lock {
    let releases = (0..seed % 3).map(|n| {
        let version = Version::new(1, seed, n);
        let release = Release::new(&version, facts(seed + n + 1));
        (version, release)
    });
    Lock {
        next: facts(seed),
        releases: releases.collect(),
    }
}

fn damaged(text: &str) -> (usize, String) {
    match parse(text) {
        Err(Unreadable::Damaged { line, why }) => (line, why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_written_is_read_and_written_the_same() {
    for seed in 0..2_000 {
        let lock = lock(seed);
        let text = lock.to_string();
        let read = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        assert_eq!(read, lock, "{text}");
        assert_eq!(read.to_string(), text);
        assert_eq!(read.edited(), Vec::<String>::new());
    }
}

#[test]
fn a_fact_is_a_line() {
    for seed in 0..200 {
        let lock = lock(seed);
        let releases = lock.releases.values().map(|release| &release.facts);
        let all = releases.chain([&lock.next]);
        let facts: u64 = all
            .clone()
            .map(crate::commands::lock::facts::number_of)
            .sum();
        let headings: usize = all.map(BTreeMap::len).sum();
        // The comment and the format; an empty line and a heading each; a heading, a digest and an empty line of a release.
        let lines = 2 + 2 * headings + 3 * lock.releases.len();
        let expected = lines as u64 + facts;
        assert_eq!(lock.to_string().lines().count() as u64, expected);
    }
}

#[test]
fn a_change_of_a_release_is_found() {
    let version = Version::new(1, 4, 0);
    let mut lock = Lock::default();
    let name = (
        "name".to_owned(),
        Fact(vec!["string".to_owned(), "max_len 80".to_owned()]),
    );
    let facts = Facts::from([("parts.Part".to_owned(), BTreeMap::from([name]))]);
    lock.releases
        .insert(version.clone(), Release::new(&version, facts));
    let text = lock.to_string();
    let from = text.find("[release").expect("a release");
    let mut found = 0;
    for at in from..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
        let changed = String::from_utf8(bytes).expect("text");
        match parse(&changed) {
            // The text is no lock any more.
            Err(_) => {}
            Ok(read) => {
                assert_eq!(read.edited().len(), 1, "{changed}");
                found += 1;
            }
        }
    }
    assert!(found > 60, "{found} changes leave a lock");
}

#[test]
fn a_release_under_another_name_is_an_edit() {
    let version = Version::new(1, 4, 0);
    let mut lock = Lock::default();
    lock.releases
        .insert(version.clone(), Release::new(&version, facts(3)));
    let renamed = lock.to_string().replace("1.4.0", "1.5.0");
    assert_eq!(parse(&renamed).expect("a lock").edited(), ["1.5.0"]);
}

#[test]
fn the_form_of_the_text_does_not_matter() {
    let written = "format = 1\n\n[next.\"parts.Part\"]\n_id = \"object id\"\nname = [\"string\", \"max 2\"]\n";
    let formatted = "next.'parts.Part' = { name = [\n  'string', # of it\n  'max 2',\n], _id = ['object id'] }\r\nformat = 0x1\r\n";
    assert_eq!(parse(formatted), parse(written));
    assert_eq!(
        parse(formatted).expect("a lock").to_string(),
        format!("{HEAD}{written}")
    );
}

#[test]
fn a_damaged_text_is_named_with_its_line() {
    let cases = [
        ("", 1, "the file has no `format`"),
        ("format = 1\nnext = 3\n", 2, "a table is expected here"),
        (
            "format = 1\n[next]\n\n\"parts.Part\" = 3\n",
            4,
            "a table is expected here",
        ),
        (
            "format = 1\n[next.Part]\nname = \"string\"\n",
            2,
            "`Part` is no model: one is called `collection.Model`",
        ),
        (
            "format = 1\n[next.\"parts.Part\"]\nname = [\"string\", 3]\n",
            3,
            "a fact is a text, or a list of texts",
        ),
        (
            "format = 1\n[next.\"parts.Part\"]\nname = []\n",
            3,
            "a fact is a text, or a list of texts",
        ),
        ("format = 1\n[release.\"1.4\"]\n", 2, "`1.4` is no version"),
        (
            "format = 1\n[release.\"1.4.0\"]\n",
            2,
            "the release 1.4.0 has no `digest`",
        ),
        ("format = 1\nnexts = 1\n", 2, "`nexts` is no part of a lock"),
        ("format = \"1\"\n", 1, "no format is called so"),
    ];
    for (text, line, why) in cases {
        assert_eq!(damaged(text), (line, why.to_owned()), "{text}");
    }
    let (line, _) = damaged("format = 1\n[next.\"parts.Part\"]\n<<<<<<< HEAD\nname = \"string\"\n");
    assert_eq!(line, 3);
}

#[test]
fn a_newer_format_is_said_first() {
    assert_eq!(parse("format = 2\n[later]\n"), Err(Unreadable::Newer(2)));
}
