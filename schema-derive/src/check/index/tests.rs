use syn::DeriveInput;

use super::*;
use crate::parse;
use crate::syntax::Kind;

/// The item and what its index rules say, as `CODE: first line`.
fn told(source: &str) -> Vec<String> {
    let input: DeriveInput = syn::parse_str(source).expect("valid Rust");
    let kind = if source.contains("collection") {
        Kind::Model
    } else {
        Kind::Embed
    };
    let cx = Ctxt::default();
    let item = parse::parse_item(&input, kind, &cx);
    check(&Ir::lower(&item), &cx);
    let tokens = cx.into_tokens().to_string();
    let messages = tokens.split("compile_error !").skip(1);
    let firsts = messages.map(|message| {
        message
            .split("\\n")
            .next()
            .unwrap_or_default()
            .trim_start_matches([' ', '{', '(', '"'])
    });
    let parts = firsts.map(|first| {
        first
            .trim_end_matches([' ', '}', ')', ';', ':', '"'])
            .rsplit_once(" [")
    });
    parts
        .map(|parts| parts.expect("a code"))
        .map(|(text, code)| format!("{}: {text}", code.trim_end_matches(']')))
        .collect()
}

fn codes(source: &str) -> Vec<String> {
    told(source)
        .iter()
        .map(|line| line.split(':').next().unwrap_or_default().to_owned())
        .collect()
}

/// A model with these options and fields.
fn model(options: &str, fields: &str) -> String {
    format!(
        "#[model(collection = \"c\", {options})] struct M {{ #[serde(rename = \"_id\")] id: ObjectId, {fields} }}"
    )
}

fn asked(source: &str) -> Vec<(Asks, String)> {
    let input: DeriveInput = syn::parse_str(source).expect("valid Rust");
    let cx = Ctxt::default();
    let item = parse::parse_item(&input, Kind::Model, &cx);
    questions(&Ir::lower(&item))
        .into_iter()
        .map(|question| (question.asks, question.paths.join(" ")))
        .collect()
}

fn served(source: &str) -> Vec<String> {
    let input: DeriveInput = syn::parse_str(source).expect("valid Rust");
    let item = parse::parse_item(&input, Kind::Model, &Ctxt::default());
    let name = |served: &Served<'_>| match served {
        Served::Btree => "btree".to_owned(),
        Served::Sparse => "sparse".to_owned(),
        Served::PartialOwn(conditions) => format!("partial {}", conditions.len()),
        Served::Hashed => "hashed".to_owned(),
        Served::Collated(_) => "collated".to_owned(),
        Served::Text => "text".to_owned(),
        Served::TextBehind => "text behind keys".to_owned(),
        Served::Geo => "geo".to_owned(),
    };
    leading(&Ir::lower(&item))
        .iter()
        .map(|(path, served)| {
            format!(
                "{} {}",
                path.iter().map(unraw).collect::<Vec<_>>().join("."),
                name(served)
            )
        })
        .collect()
}

fn advised(source: &str) -> Vec<String> {
    let input: DeriveInput = syn::parse_str(source).expect("valid Rust");
    let item = parse::parse_item(&input, Kind::Model, &Ctxt::default());
    advice(&Ir::lower(&item))
        .into_iter()
        .map(|(rule, field)| format!("{} {field}", rule.code))
        .collect()
}

macro_rules! cases {
    ($($name:ident: [$(($options:literal, $fields:literal) => [$($code:literal),*],)*])*) => {$(
        #[test]
        fn $name() {
            $(
                let expected: &[&str] = &[$($code),*];
                assert_eq!(codes(&model($options, $fields)), expected, "{} | {}", $options, $fields);
            )*
        }
    )*};
}

const NONE: [&str; 0] = [];

#[test]
fn sound_indexes_pass() {
    let fields = "#[index(unique)] sku: String, #[index(desc)] time: DateTime, #[index(expire_after = \"30d\")] seen: bson::DateTime,
        #[index(unique, partial(type = \"string\"))] email: Option<String>, #[index] tags: Vec<String>, #[index(hashed)] user: i64,
        #[index(geo)] place: Point, #[index(sparse)] phone: Option<String>, address: Address, #[embed(max = 3)] items: Vec<Item>,
        #[serde(skip_serializing_if = \"Option::is_none\")] #[index(unique, partial(exists))] passport: Option<String>, active: bool";
    let options = "index(keys(sku, -time), name = \"newest\"), index(keys(address.city, items.sku)), index(keys(items.a, items.b)),
        index(keys(text(sku), text(address.note)), weights(sku = 3)), index(keys(time, sku), partial(active = true, user(gte = 5, lt = 9)))";
    assert_eq!(told(&model(options, fields)), NONE);
}

cases! {
    keys_are_stored_fields: [
        ("index(keys(hots))", "host: String") => ["IDX_UNKNOWN_FIELD"],
        ("index(keys(host))", "#[serde(rename = \"h\")] host: String") => [],
        ("index(keys(h))", "#[serde(rename = \"h\")] host: String") => ["IDX_UNKNOWN_FIELD"],
        ("index(keys(cache))", "#[serde(skip)] cache: String") => ["IDX_SKIPPED_FIELD"],
        ("index(keys(a, b, a))", "a: i32, b: i32") => ["IDX_KEY_VALUE"],
        ("index(keys(a, -a))", "a: i32") => ["IDX_KEY_VALUE"],
        ("index(keys(r#type))", "r#type: String") => [],
        ("index(keys(a), partial(b = 1))", "a: i32") => ["IDX_UNKNOWN_FIELD"],
        ("index(keys(rest.a))", "#[serde(flatten)] rest: Rest") => [],
        ("index(keys(rest))", "#[serde(flatten)] rest: Rest") => ["FLATTEN_RULE"],
    ]
    names_are_the_servers: [
        ("", "#[index(name = \"\")] a: i32") => ["IDX_NAME"],
        ("", "#[index(name = \"*\")] a: i32") => ["IDX_NAME"],
        ("", "#[index(name = \"_id_\")] a: i32") => ["IDX_NAME"],
        ("", "#[index(name = \"a\\0b\")] a: i32") => ["IDX_NAME"],
        ("", "#[index(name = \"x\")] a: i32, #[index(name = \"x\")] b: i32") => ["IDX_NAME_CONFLICT"],
        ("index(keys(a, b))", "a: i32, b: i32, #[index] #[serde(rename = \"a_1_b\")] ab: i32") => ["IDX_NAME_CONFLICT"],
        ("index(keys(a), unique)", "#[index] a: i32") => ["IDX_NAME_CONFLICT"],
        ("index(keys(x.a)), index(keys(x.a), unique)", "x: X") => ["IDX_NAME_CONFLICT"],
        ("index(keys(a), unique, name = \"a_unique\")", "#[index] a: i32") => [],
        ("index(keys(a), name = \"a_1\")", "#[index(unique)] a: i32") => ["IDX_NAME_CONFLICT"],
    ]
    twice_is_once_too_often: [
        ("", "#[index] #[index] a: i32") => ["IDX_DUPLICATE"],
        ("index(keys(a))", "#[index] a: i32") => ["IDX_DUPLICATE"],
        ("index(keys(a), name = \"other\")", "#[index] a: i32") => ["IDX_DUPLICATE"],
        ("index(keys(a, b)), index(keys(a, b))", "a: i32, b: i32") => ["IDX_DUPLICATE"],
        ("index(keys(a, b)), index(keys(b, a)), index(keys(a, -b))", "a: i32, b: i32") => [],
        ("index(keys(a), partial(b = 1, a(gt = 1))), index(keys(a), partial(a(gt = 1), b = 1))", "a: i32, b: i32") => ["IDX_DUPLICATE"],
        ("index(keys(d), name = \"d\")", "#[index(expire_after = 5)] d: DateTime") => ["IDX_SAME_KEY"],
        ("", "#[index] #[index(expire_after = 5)] d: DateTime") => ["IDX_SAME_KEY"],
    ]
    the_id_has_its_index: [
        ("index(keys(id))", "") => ["IDX_ID"],
        ("index(keys(-id))", "") => ["IDX_ID"],
        ("index(keys(id), unique)", "") => ["IDX_ID"],
        ("index(keys(hashed(id)))", "") => [],
        ("index(keys(id, a))", "a: i32") => [],
        ("index(keys(id), expire_after = 5)", "") => ["IDX_TTL_ID"],
    ]
    expiry_is_by_one_date: [
        ("index(keys(d, a), expire_after = 5)", "d: DateTime, a: i32") => ["IDX_TTL_COMPOUND"],
        ("", "#[index(expire_after = 2147483648)] d: DateTime") => ["IDX_TTL_RANGE"],
        ("", "#[index(expire_after = 2147483647)] d: DateTime") => [],
        ("", "#[index(expire_after = \"99999w\")] d: DateTime") => ["IDX_TTL_RANGE"],
        ("", "#[index(expire_after = \"0s\")] d: Option<DateTime>") => [],
        ("", "#[index(expire_after = 5)] d: String") => ["IDX_TTL_TYPE"],
        ("", "#[index(expire_after = 5)] d: i64") => ["IDX_TTL_TYPE"],
        ("", "#[index(expire_after = 5)] d: bson::Timestamp") => ["IDX_TTL_TYPE"],
        ("", "#[index(expire_after = 5)] d: Option<chrono::DateTime<Utc>>") => ["IDX_TTL_TYPE"],
        ("", "#[index(expire_after = 5)] d: Vec<String>") => ["IDX_TTL_TYPE"],
        ("", "#[index(expire_after = 5)] d: Vec<DateTime>") => [],
        ("", "#[index(expire_after = 5)] d: Moment") => [],
        ("", "#[index(expire_after = 5)] #[serde(with = \"x\")] d: chrono::DateTime<Utc>") => [],
        ("", "#[index(expire_after = 5, hashed)] d: DateTime") => ["IDX_TTL_SPECIAL"],
        ("index(keys(wildcard), expire_after = 5)", "d: DateTime") => ["IDX_TTL_SPECIAL"],
    ]
    text_has_its_shape: [
        ("", "#[index(text)] a: String, #[index(text)] b: String") => ["IDX_TEXT_MANY"],
        ("index(keys(text(a), n, text(b)))", "a: String, b: String, n: i32") => ["IDX_TEXT_SHAPE"],
        ("index(keys(n, text(a), text(b), -m))", "a: String, b: String, n: i32, m: i32") => [],
        ("index(keys(text(a), geo(g)))", "a: String, g: G") => ["IDX_TEXT_SHAPE"],
        ("index(keys(text(a), hashed(n)))", "a: String, n: i32") => ["IDX_TEXT_SHAPE"],
        ("", "#[index(text, collation(locale = \"en\"))] a: String") => ["IDX_TEXT_SHAPE"],
        ("", "#[index(text, collation(locale = \"simple\"))] a: String") => [],
        ("index(keys(tags, text(a)))", "tags: Vec<i32>, a: String") => ["IDX_TEXT_SHAPE"],
        ("index(keys(text(tags), text(a)))", "tags: Vec<String>, a: String") => [],
        ("", "#[index(text)] n: i64") => ["IDX_TEXT_SHAPE"],
        ("", "#[index(text, unique)] a: String") => ["ATTR_CONFLICT"],
        ("index(keys(a), default_language = \"german\")", "a: String") => ["ATTR_CONFLICT"],
        ("index(keys(text(a)), weights(b = 2))", "a: String, b: String") => ["ATTR_VALUE"],
        ("index(keys(text(a)), default_language = \"klingon\")", "a: String") => ["IDX_TEXT_LANGUAGE"],
        ("", "#[index(text)] a: String, language: String") => ["IDX_TEXT_LANGUAGE"],
        ("", "#[index(text)] a: String, #[serde(rename = \"lang\")] language: String") => [],
        ("", "#[index(text)] a: String, #[serde(rename = \"language\")] lang: String") => ["IDX_TEXT_LANGUAGE"],
        ("", "#[index(text, language_override = \"lang\")] a: String, language: String") => [],
        ("allow(idx_text_language, reason = \"x\")", "#[index(text)] a: String, language: String") => [],
        ("", "#[index(text)] a: String, #[model(allow(idx_text_language, reason = \"x\"))] language: String") => [],
    ]
    special_keys_are_plain: [
        ("", "#[index(hashed, unique)] a: i32") => ["IDX_HASHED"],
        ("index(keys(hashed(a), hashed(b)))", "a: i32, b: i32") => ["IDX_HASHED"],
        ("", "#[index(hashed)] a: Vec<i32>") => ["IDX_HASHED"],
        ("index(keys(hashed(a), b.c))", "a: i32, b: Vec<B>") => ["IDX_HASHED"],
        ("index(keys(hashed(a), geo(b)))", "a: i32, b: G") => ["IDX_HASHED"],
        ("index(keys(wildcard), unique)", "") => ["IDX_WILDCARD"],
        ("index(keys(wildcard(a)), sparse)", "a: A") => ["IDX_WILDCARD"],
        ("index(keys(wildcard(a), b))", "a: A, b: i32") => ["IDX_WILDCARD"],
        ("index(keys(wildcard(a)), partial(b = 1))", "a: A, b: i32") => [],
        ("", "#[index(geo)] a: String") => ["IDX_GEO"],
        ("", "#[index(geo)] a: Option<f64>") => ["IDX_GEO"],
        ("", "#[index(geo)] a: [f64; 2]") => [],
        ("", "#[index(geo)] a: (f64, f64)") => [],
    ]
    two_arrays_are_parallel: [
        ("index(keys(a, b))", "a: Vec<i32>, b: Vec<i32>") => ["IDX_PARALLEL"],
        ("index(keys(a.x, b.y))", "a: Vec<A>, b: Vec<B>") => ["IDX_PARALLEL"],
        ("index(keys(a.x, a.y, c))", "a: Vec<A>, c: i32") => [],
        ("index(keys(a, geo(b)))", "a: Vec<i32>, b: Vec<f64>") => [],
    ]
    unique_is_across_documents: [
        ("", "#[index(unique)] a: Vec<String>") => ["IDX_UNIQUE_ARRAY"],
        ("index(keys(b, a.x), unique)", "a: Vec<A>, b: i32") => ["IDX_UNIQUE_ARRAY"],
        ("", "#[index(unique)] #[model(allow(idx_unique_array, reason = \"x\"))] a: Vec<String>") => [],
        ("index(keys(b, a), unique)", "#[parent(User)] #[denorm(from = User, field = name)] a: Author, b: i32") => ["IDX_UNIQUE_ENTRY"],
        ("", "#[parent(User)] #[denorm(from = User, field = name)] #[index(unique)] a: Author") => ["IDX_UNIQUE_ENTRY"],
        ("index(keys(b, a.id), unique)", "#[parent(User)] #[denorm(from = User, field = name)] a: Author, b: i32") => [],
        ("", "#[parent(User)] #[denorm(from = User, field = name, snapshot)] #[index(unique)] a: Author") => [],
        ("index(keys(b, a))", "#[parent(User)] #[denorm(from = User, field = name)] a: Author, b: i32") => [],
        ("", "#[index(unique)] a: Option<String>") => ["IDX_UNIQUE_NULL"],
        ("", "#[index(unique, sparse)] a: Option<String>") => ["IDX_UNIQUE_NULL"],
        ("", "#[index(unique, partial(exists))] a: Option<String>") => ["IDX_UNIQUE_NULL"],
        ("", "#[index(unique, partial(type = \"null\"))] a: Option<String>") => ["IDX_UNIQUE_NULL"],
        ("", "#[index(unique, partial(type = \"string\"))] a: Option<String>") => [],
        ("", "#[index(unique, partial(gt = \"\"))] a: Option<String>") => [],
        ("", "#[index(unique)] #[serde(skip_serializing_if = \"Option::is_none\")] a: Option<String>") => ["IDX_UNIQUE_NULL"],
        ("", "#[index(unique, sparse)] #[serde(skip_serializing_if = \"Option::is_none\")] a: Option<String>") => [],
        ("", "#[index(unique, partial(exists))] #[serde(skip_serializing_if = \"Option::is_none\")] a: Option<String>") => [],
        ("index(keys(a), unique, partial(b = 1))", "a: Option<String>, b: i32") => ["IDX_UNIQUE_NULL"],
        ("index(keys(a), unique, partial(a(type = \"string\")))", "a: Option<String>") => [],
        ("index(keys(a, b), unique)", "a: Option<String>, b: i32") => [],
        ("index(keys(a, b), unique)", "a: Option<String>, b: Option<i32>") => ["IDX_UNIQUE_NULL"],
        ("allow(idx_unique_null, reason = \"x\")", "#[index(unique)] a: Option<String>") => [],
    ]
    conditions_can_be_met: [
        ("", "#[index(sparse, partial(exists))] a: String") => ["IDX_PARTIAL"],
        ("index(keys(a), partial(b = \"true\"))", "a: i32, b: bool") => ["IDX_PARTIAL"],
        ("", "#[index(partial(gt = 5))] a: String") => ["IDX_PARTIAL"],
        ("", "#[index(partial(type = \"int\"))] a: String") => ["IDX_PARTIAL"],
        ("", "#[index(partial(type = \"long\"))] a: Option<i64>") => [],
        ("", "#[index(partial(gt = 1.5))] a: Decimal128") => [],
        ("index(keys(a), partial(status = \"open\"))", "a: i32, status: Status") => [],
    ]
}

#[test]
fn indexes_are_counted_with_those_of_references() {
    let fields = |n: usize| {
        (0..n)
            .map(|n| format!("#[index] f{n}: i32,"))
            .collect::<String>()
    };
    assert_eq!(codes(&model("", &fields(30))), NONE);
    assert_eq!(codes(&model("", &fields(31))), ["IDX_MANY"]);
    assert_eq!(
        codes(&model("allow(idx_many, reason = \"x\")", &fields(63))),
        NONE
    );
    assert_eq!(
        codes(&model("allow(idx_many, reason = \"x\")", &fields(64))),
        ["IDX_TOO_MANY"]
    );
    let with = |reference: &str| {
        model(
            "allow(idx_many, reason = \"x\")",
            &format!("{} {reference}", fields(63)),
        )
    };
    assert_eq!(
        codes(&with("#[parent(Host, sort = -f0)] host: Id<Host>")),
        ["IDX_TOO_MANY"]
    );
    assert_eq!(
        codes(&with("#[refs(Part)] parts: Vec<Id<Part>>")),
        ["IDX_TOO_MANY"]
    );
    let declared = model(
        "allow(idx_many, reason = \"x\")",
        &format!("{} #[parent(Host)] #[index] host: Id<Host>", fields(62)),
    );
    assert_eq!(codes(&declared), NONE);
    let keys = (0..33).map(|n| format!("f{n},")).collect::<String>();
    let fields = (0..33).map(|n| format!("f{n}: i32,")).collect::<String>();
    assert_eq!(
        codes(&model(&format!("index(keys({keys}))"), &fields)),
        ["IDX_FIELDS"]
    );
}

#[test]
fn embedded_documents_are_looked_at_alone() {
    assert_eq!(
        codes(
            "struct E { #[serde(rename = \"_id\")] #[index] id: i32, #[index(unique)] a: Option<String> }"
        ),
        ["IDX_UNIQUE_NULL"]
    );
    assert_eq!(codes("struct E(#[index] i32);"), ["ATTR_PLACE"]);
}

#[test]
fn messages_name_the_users_fields() {
    assert_eq!(
        told(&model(
            "index(keys(hots, -time))",
            "host: String, time: DateTime"
        )),
        ["IDX_UNKNOWN_FIELD: index on `M::hots`: `M` has no field `hots`"]
    );
    assert_eq!(
        told(&model(
            "index(keys(time, a.b), expire_after = 5)",
            "time: DateTime, a: A"
        )),
        [
            "IDX_TTL_COMPOUND: `expire_after` in the index on `M::time`, `M::a.b`, which has several keys"
        ]
    );
    assert_eq!(
        told(&model("", "#[index(unique)] email: Option<String>")),
        [
            "IDX_UNIQUE_NULL: unique index on `M::email: Option<String>`: two documents without a value would collide on null"
        ]
    );
}

#[test]
fn only_what_is_open_is_asked_of_the_types() {
    let fields = "#[index(unique)] sku: String, #[index] name: Alias, #[parent(Host)] #[index(unique)] host: HostId, a: i32, x: X, tags: Vec<i32>";
    assert_eq!(asked(&model("index(keys(sku, -a, tags))", fields)), []);
    let fields = "#[index(unique)] email: Email, #[index(expire_after = 5)] at: Moment, #[index(hashed)] h: H, #[index(geo)] g: G, x: X, y: Y";
    assert_eq!(
        asked(&model(
            "index(keys(x.a, y, g)), index(keys(text(x.t), y)), index(keys(h), partial(x.b = 1), name = \"p\")",
            fields
        )),
        [
            (Asks::Key, "x.a".to_owned()),
            (Asks::Parallel, "x.a y g".to_owned()),
            (Asks::Key, "x.t".to_owned()),
            (Asks::Language, "x.t".to_owned()),
            (Asks::BesideText, "y".to_owned()),
            (Asks::Key, "x.b".to_owned()),
            (Asks::Unique, "email".to_owned()),
            (Asks::Ttl, "at".to_owned()),
            (Asks::Hashed, "h".to_owned()),
            (Asks::Geo, "g".to_owned()),
        ]
    );
}

#[test]
fn leading_fields_are_served() {
    let fields = "#[index] a: String, #[index(sparse)] b: Option<String>, #[index(partial(gt = 5, lt = 9))] c: i32, #[index(hashed)] d: i32,
        #[index(geo)] e: Geo, #[index(text)] f: String, #[index(collation(locale = \"de\"))] g: String, #[index(collation(locale = \"de\"))] h: i32,
        #[index(hashed, sparse)] i: i32, j: i32, k: X";
    let options = "index(keys(-k.x, j)), index(keys(j), partial(a = \"x\")), index(keys(j, geo(e))), index(keys(a, c), partial(a(exists)))";
    assert_eq!(
        served(&model(options, fields)),
        [
            "k.x btree",
            "a partial 1",
            "a btree",
            "b sparse",
            "c partial 2",
            "d hashed",
            "e geo",
            "f text",
            "g collated",
            "h btree"
        ]
    );
}

#[test]
fn advice_is_given_below_errors() {
    assert_eq!(
        advised(&model(
            "index(keys(a, b))",
            "#[index(desc)] a: i32, #[index] b: i32"
        )),
        ["IDX_REDUNDANT a"]
    );
    assert_eq!(
        advised(&model(
            "index(keys(a, -b, c)), index(keys(-a, b)), index(keys(a, b))",
            "a: i32, b: i32, c: i32"
        )),
        ["IDX_REDUNDANT "]
    );
    assert_eq!(
        advised(&model("index(keys(a)), index(keys(-a))", "a: i32")),
        ["IDX_REDUNDANT "]
    );
    assert_eq!(
        advised(&model(
            "index(keys(a, b))",
            "#[index(unique)] a: i32, b: i32"
        )),
        NONE
    );
    assert_eq!(
        advised(&model(
            "",
            "#[parent(Host, sort = -time)] #[index] host: Id<Host>, time: DateTime"
        )),
        ["IDX_REDUNDANT host"]
    );
    assert_eq!(
        advised(&model("", "#[index(expire_after = 5)] d: Option<DateTime>")),
        ["IDX_TTL_OPTION d"]
    );
    assert_eq!(
        advised(&model("", "#[index(expire_after = 5)] d: Vec<DateTime>")),
        ["IDX_TTL_ARRAY d"]
    );
    assert_eq!(
        advised(&model(
            "",
            "#[index] on: bool, #[index(partial(eq = true))] off: bool"
        )),
        ["IDX_LOW_CARD on"]
    );
    assert_eq!(
        advised(&model("", "#[embed(max = 5)] #[index] items: Vec<Item>")),
        ["IDX_WHOLE_DOC items"]
    );
    assert_eq!(
        advised(&model(
            "index(keys(b, a))",
            "#[parent(User)] #[denorm(from = User, field = name)] a: Author, b: i32"
        )),
        ["IDX_WHOLE_DOC a"]
    );
    assert_eq!(
        advised(&model(
            "",
            "#[embed(max = 2000)] #[index] tags: Vec<String>"
        )),
        ["IDX_MULTIKEY_FAN tags"]
    );
}
