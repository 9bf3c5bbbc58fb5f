use super::options::is_locale;
use super::*;
use crate::ctxt::Ctxt;
use crate::syntax::{ConditionAttr, ConditionOp};

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

fn field(cx: &Ctxt, text: &str) -> Option<IndexAttr> {
    parse_on_field(Opts::split(
        cx,
        "index",
        "M::f",
        tokens("index"),
        tokens(text),
        0,
    ))
}

fn item(cx: &Ctxt, text: &str) -> Option<IndexAttr> {
    parse_on_item(Opts::split(
        cx,
        "index",
        "M",
        tokens("index"),
        tokens(text),
        0,
    ))
}

/// The errors reported about it, as one text.
fn told(parse: fn(&Ctxt, &str) -> Option<IndexAttr>, text: &str) -> String {
    let cx = Ctxt::default();
    let parsed = parse(&cx, text);
    assert_eq!(parsed.is_none(), cx.has_failed(), "{text}");
    assert!(cx.report_count() < 2, "one mistake, one error: {text}");
    cx.into_tokens().to_string()
}

fn keys(text: &str) -> Vec<(String, KeyKind)> {
    let cx = Ctxt::default();
    let index = item(&cx, text).expect("an index");
    index
        .keys
        .iter()
        .map(|key| {
            (
                key.path.iter().map(unraw).collect::<Vec<_>>().join("."),
                key.kind,
            )
        })
        .collect()
}

macro_rules! refused {
    ($parse:ident, $($text:literal => $($part:literal),+;)*) => {$({
        let told = told($parse, $text);
        $(assert!(told.contains($part), "{} gives {told}", $text);)+
    })*};
}

#[test]
fn keys_are_paths_and_kinds() {
    let all = keys(
        "keys(host, -time, address.city, -a.b.c, text(title), hashed(user), geo(place), wildcard(attrs), desc(at), wildcard, r#wildcard, r#type, text,)",
    );
    let expected = [
        ("host", KeyKind::Asc),
        ("time", KeyKind::Desc),
        ("address.city", KeyKind::Asc),
        ("a.b.c", KeyKind::Desc),
        ("title", KeyKind::Text),
        ("user", KeyKind::Hashed),
        ("place", KeyKind::Geo),
        ("attrs", KeyKind::Wildcard),
        ("at", KeyKind::Desc),
        ("", KeyKind::Wildcard),
        ("wildcard", KeyKind::Asc),
        ("type", KeyKind::Asc),
        ("text", KeyKind::Asc),
    ];
    assert_eq!(all.len(), expected.len());
    for ((path, kind), (expected_path, expected_kind)) in all.iter().zip(expected) {
        assert_eq!(path, expected_path);
        assert!(*kind == expected_kind, "{path}");
    }
}

#[test]
fn keys_of_other_forms_are_repaired() {
    refused! { item,
        "" => "ATTR_MISSING", "index(keys(host, -time, address.city))";
        "keys" => "ATTR_VALUE";
        "keys()" => "ATTR_VALUE";
        "keys(\"address.city\")" => "ATTR_VALUE", "did you mean `address.city`?";
        "keys(time = -1)" => "did you mean `-time`?";
        "keys(a.b: 1)" => "did you mean `a.b`?";
        "keys(body = \"text\")" => "did you mean `text(body)`?";
        "keys(a::b)" => "a key is";
        "keys(-)" => "a key is";
        "keys(1)" => "a key is";
        "keys(pt.0)" => "a key is";
        "keys(-text(a))" => "a key is";
        "keys(text())" => "a key is";
        "keys(text(a, b))" => "a key is";
        "keys(hash(a))" => "ATTR_VALUE", "did you mean `hashed`?";
        "keys(btree(a))" => "expected one of";
        "keys(a), desc" => "ATTR_PLACE", "keys(-time)";
        "keys(a), text" => "ATTR_PLACE", "keys(text(field))";
        "keys(a), uniqe" => "ATTR_UNKNOWN", "did you mean `unique`?";
        "keys(a), unique, unique" => "ATTR_DUPLICATE";
        "keys(a), unique = true" => "ATTR_VALUE";
        "kyes(a)" => "ATTR_UNKNOWN", "did you mean `keys`?";
    }
}

#[test]
fn a_field_is_its_own_key() {
    let cx = Ctxt::default();
    for (text, own) in [
        ("", KeyKind::Asc),
        ("unique", KeyKind::Asc),
        ("desc", KeyKind::Desc),
        ("text", KeyKind::Text),
        ("hashed, sparse", KeyKind::Hashed),
    ] {
        let index = field(&cx, text).expect("an index");
        assert!(index.own == own && index.keys.is_empty(), "{text}");
    }
    assert!(!cx.has_failed());
    refused! { field,
        "keys(a)" => "ATTR_PLACE", "#[model(index(keys(a, -b)))]";
        "weights(a = 1)" => "ATTR_PLACE";
        "text, desc" => "ATTR_CONFLICT", "`desc` on `M::f` contradicts `text`";
        "hashed(x)" => "ATTR_VALUE";
        "ttl = 5" => "ATTR_UNKNOWN";
    }
}

#[test]
fn expiry_has_units() {
    let cx = Ctxt::default();
    for (text, seconds) in [
        ("\"30d\"", 2_592_000),
        ("\"1w\"", 604_800),
        ("\"1y\"", 31_536_000),
        ("\"12h\"", 43_200),
        ("\"5m\"", 300),
        ("\"90s\"", 90),
        ("3600", 3_600),
        ("1_000", 1_000),
        ("0", 0),
        ("\"99999999999999999999w\"", u64::MAX / 1_000),
    ] {
        let index = field(&cx, &format!("expire_after = {text}")).expect("an index");
        assert_eq!(
            index.expire_after.map(|bound| bound.value),
            Some(seconds),
            "{text}"
        );
    }
    refused! { field,
        "expire_after" => "ATTR_VALUE", "expire_after = ";
        "expire_after = \"30\"" => "units: `s`, `m`, `h`, `d`, `w`, `y`";
        "expire_after = \"d\"" => "ATTR_VALUE";
        "expire_after = \"30 days\"" => "ATTR_VALUE";
        "expire_after = \"1h30m\"" => "ATTR_VALUE";
        "expire_after = -5" => "ATTR_VALUE";
        "expire_after = 5u32" => "ATTR_VALUE";
        "expire_after = \"é\"" => "ATTR_VALUE";
        "expire_after = DAY" => "ATTR_VALUE";
    }
}

/// The conditions, as `path op value`.
fn conditions(parse: fn(&Ctxt, &str) -> Option<IndexAttr>, text: &str) -> Vec<String> {
    let cx = Ctxt::default();
    let index = parse(&cx, text).expect("an index");
    let conditions = index.partial.expect("conditions").conditions;
    let op = |op: &ConditionOp| match op {
        ConditionOp::Exists => "exists".to_owned(),
        ConditionOp::Type(name) => format!("type {name}"),
        ConditionOp::Eq(lit) => format!("= {}", lit.to_token_stream()),
        ConditionOp::Gt(lit) => format!("> {}", lit.to_token_stream()),
        ConditionOp::Gte(lit) => format!(">= {}", lit.to_token_stream()),
        ConditionOp::Lt(lit) => format!("< {}", lit.to_token_stream()),
        ConditionOp::Lte(lit) => format!("<= {}", lit.to_token_stream()),
    };
    let text = |one: &ConditionAttr| {
        format!(
            "{} {}",
            one.path.iter().map(unraw).collect::<Vec<_>>().join("."),
            op(&one.op)
        )
    };
    conditions
        .iter()
        .map(|one| text(one).trim().replace("- ", "-"))
        .collect()
}

#[test]
fn conditions_are_what_the_server_takes() {
    assert_eq!(conditions(field, "partial(exists)"), ["exists"]);
    assert_eq!(conditions(field, "partial(exists = true)"), ["exists"]);
    assert_eq!(
        conditions(field, "partial(type = \"string\")"),
        ["type string"]
    );
    assert_eq!(
        conditions(field, "partial(gt = -5, lte = 1.5)"),
        ["> -5", "<= 1.5"]
    );
    assert_eq!(
        conditions(
            item,
            "keys(a), partial(active = true, status = \"open\", total(gte = 5, lt = 9), email(exists), a.b(type = \"date\"), a.c = -1)"
        ),
        [
            "active = true",
            "status = \"open\"",
            "total >= 5",
            "total < 9",
            "email exists",
            "a.b type date",
            "a.c = -1"
        ]
    );
    refused! { field,
        "partial" => "ATTR_VALUE";
        "partial()" => "at least one condition";
        "partial(ne = 5)" => "IDX_PARTIAL", "possible are";
        "partial(nin(1, 2))" => "IDX_PARTIAL";
        "partial(in(1, 2))" => "IDX_PARTIAL";
        "partial(not(eq = 1))" => "IDX_PARTIAL";
        "partial(exists = false)" => "`exists = false` on `M::f`", "IDX_PARTIAL";
        "partial(regex = \"x\")" => "IDX_PARTIAL";
        "partial(exist)" => "ATTR_UNKNOWN", "did you mean `exists`?";
        "partial(active = true)" => "ATTR_UNKNOWN", "stands on the struct";
        "partial(type = \"strin\")" => "IDX_PARTIAL", "did you mean `string`?";
        "partial(type = string)" => "ATTR_VALUE";
        "partial(eq)" => "ATTR_VALUE";
        "partial(eq = Status::Open)" => "ATTR_VALUE", "`Status :: Open`";
        "partial(eq = 5u8)" => "ATTR_VALUE";
        "partial(eq = 99999999999999999999)" => "ATTR_VALUE";
        "partial(eq = 'c')" => "ATTR_VALUE";
        "partial(5)" => "ATTR_VALUE";
    }
    refused! { item,
        "keys(a), partial(active)" => "ATTR_VALUE";
        "keys(a), partial(email())" => "ATTR_VALUE";
        "keys(a), partial(total(ne = 5))" => "IDX_PARTIAL";
        "keys(a), partial(email(exists = false))" => "IDX_PARTIAL";
        "keys(a), partial(active = )" => "ATTR_VALUE";
    }
}

#[test]
fn collations_have_a_locale() {
    let cx = Ctxt::default();
    let index = field(
        &cx,
        "collation(locale = \"en\", strength = 2, case_level = true, numeric_ordering = false)",
    )
    .expect("an index");
    let collation = index.collation.expect("a collation");
    assert_eq!(
        (
            collation.locale.as_str(),
            collation.strength,
            collation.case_level,
            collation.numeric_ordering
        ),
        ("en", Some(2), Some(true), Some(false))
    );
    for locale in [
        "simple",
        "en_US",
        "zh_Hant",
        "zh_Hant_HK",
        "de_AT@collation=phonebook",
        "fil",
    ] {
        assert!(is_locale(locale), "{locale}");
    }
    for locale in ["", "en-US", "EN", "english", "en_us", "en@phonebook", "é"] {
        assert!(!is_locale(locale), "{locale}");
    }
    refused! { field,
        "collation" => "ATTR_VALUE";
        "collation(strength = 2)" => "ATTR_MISSING";
        "collation(locale = \"en\", strength = 6)" => "a number from 1 to 5";
        "collation(locale = \"en\", strength = 0)" => "ATTR_VALUE";
        "collation(locale = \"en-US\")" => "ICU locale";
        "collation(locale = \"en\", level = 2)" => "ATTR_UNKNOWN";
        "collation(locale = \"en\", case_level)" => "ATTR_VALUE";
    }
}

#[test]
fn text_has_weights_and_languages() {
    let cx = Ctxt::default();
    let index = item(&cx, "keys(text(title), text(body.de)), weights(title = 10, body.de = 99_999), default_language = \"german\", language_override = \"lang\"").expect("an index");
    let weights: Vec<_> = index
        .text
        .weights
        .iter()
        .map(|(path, weight)| (path.len(), *weight))
        .collect();
    assert_eq!(weights, [(1, 10), (2, 99_999)]);
    assert_eq!(index.text.default_language.as_deref(), Some("german"));
    assert_eq!(index.text.language_override.as_deref(), Some("lang"));
    assert!(index.text.site.is_some());
    refused! { item,
        "keys(text(a)), weights" => "ATTR_VALUE";
        "keys(text(a)), weights()" => "ATTR_VALUE";
        "keys(text(a)), weights(a)" => "ATTR_VALUE";
        "keys(text(a)), weights(a = 0)" => "from 1 to 99999";
        "keys(text(a)), weights(a = 100000)" => "ATTR_VALUE";
        "keys(text(a)), weights(a = \"10\")" => "ATTR_VALUE";
        "keys(text(a)), default_language = german" => "ATTR_VALUE";
    }
}

#[test]
fn token_soup_is_reported_not_panicked_at() {
    let parts = [
        "keys",
        "(",
        ")",
        "a",
        ".",
        "-",
        "=",
        "\"x\"",
        "5",
        "partial",
        "text",
        ",",
        "[",
        "]",
        "expire_after",
        "exists",
        "::",
        "#",
        "-1",
        "collation",
    ];
    // A small linear congruence: the same soup on every run.
    let mut state = 7_u64;
    for _ in 0..3_000 {
        let mut text = String::new();
        for _ in 0..8 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let index = usize::try_from(state >> 33).expect("31 bits") % parts.len();
            text.push_str(parts[index]);
            text.push(' ');
        }
        let Ok(soup) = text.parse::<TokenStream>() else {
            continue;
        };
        let cx = Ctxt::default();
        let parsed = parse_on_item(Opts::split(
            &cx,
            "index",
            "M",
            tokens("index"),
            soup.clone(),
            0,
        ));
        assert_eq!(parsed.is_none(), cx.has_failed(), "{text}");
        parse_on_field(Opts::split(&cx, "index", "M::f", tokens("index"), soup, 0));
    }
}
