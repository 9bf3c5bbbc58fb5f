use syn::DeriveInput;

use super::*;
use crate::syntax::Kind;

/// The errors that the rules report for `code`, derived as `kind`: one entry per error.
fn errors(kind: Kind, code: &str) -> Vec<String> {
    let input: DeriveInput = syn::parse_str(code).expect("an item");
    let cx = Ctxt::default();
    let item = crate::parse::parse_item(&input, kind, &cx);
    check(&Ir::lower(&item), &cx);
    let text = cx.into_tokens().to_string().replace("\\\"", "\"");
    text.split("compile_error !")
        .skip(1)
        .map(str::to_owned)
        .collect()
}

/// A model with these fields and an `_id`.
fn model(fields: &str) -> Vec<String> {
    errors(
        Kind::Model,
        &format!(
            r#"#[model(collection = "users")] struct User {{ #[serde(rename = "_id")] id: ObjectId, {fields} }}"#
        ),
    )
}

fn embed(code: &str) -> Vec<String> {
    errors(Kind::Embed, code)
}

#[track_caller]
fn one(errors: &[String], code: &str, says: &str) {
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(
        errors[0].contains(&format!("[{code}]")) && errors[0].contains(says),
        "{says}: {}",
        errors[0]
    );
}

#[track_caller]
fn none(errors: &[String]) {
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn a_model_has_an_id() {
    let with = |fields: &str, attrs: &str| {
        errors(
            Kind::Model,
            &format!(r#"#[model(collection = "users")] {attrs} struct User {{ {fields} }}"#),
        )
    };
    one(
        &with("id: ObjectId, name: String", ""),
        "ID_MISSING",
        r#"`#[serde(rename = "_id")] id: ObjectId`"#,
    );
    one(&with("", ""), "ID_MISSING", "id: Id<User>");
    one(
        &with("_id: ObjectId", r#"#[serde(rename_all = "camelCase")]"#),
        "ID_MISSING",
        "`User::_id` is stored as `id`",
    );
    one(
        &with(r#"#[serde(rename = "_id", skip)] id: ObjectId"#, ""),
        "ID_MISSING",
        "skip",
    );
    none(&with("_id: ObjectId", ""));
    none(&with(r#"#[serde(rename = "_id")] key: String"#, ""));
    none(&embed("struct Address { street: String }"));
}

#[test]
fn an_id_is_one_value() {
    let id = |field: &str| {
        errors(
            Kind::Model,
            &format!(r#"#[model(collection = "users")] struct User {{ {field} }}"#),
        )
    };
    one(&id("_id: Option<ObjectId>"), "ID_OPTION", "`_id: ObjectId`");
    one(
        &id(r#"#[serde(skip_serializing_if = "Option::is_none")] _id: Option<ObjectId>"#),
        "ID_OPTION",
        "left out",
    );
    for array in [
        "Vec<u8>",
        "[u8; 12]",
        "(i32, i32)",
        "HashSet<i32>",
        "bson::Regex",
    ] {
        one(&id(&format!("_id: {array}")), "ID_TYPE", "cannot be");
    }
    none(&id(r#"#[serde(with = "serde_bytes")] _id: Vec<u8>"#));
    none(&id("_id: Address"));
}

#[test]
fn values_are_stored_as_what_they_are() {
    one(
        &model("at: DateTime<Utc>"),
        "DATE_AS_STRING",
        r#"#[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]"#,
    );
    one(
        &model("at: Option<chrono::DateTime<Utc>>"),
        "DATE_AS_STRING",
        r#"`at: Option<bson::DateTime>`"#,
    );
    one(
        &model("at: Vec<DateTime<Utc>>"),
        "DATE_AS_STRING",
        r#"serde_as(as = "Vec<bson::serde_helpers::datetime::FromChrono04DateTime>")"#,
    );
    one(
        &model("at: DateTime<Local>"),
        "DATE_AS_STRING",
        "chrono::DateTime<chrono::Utc>",
    );
    one(
        &model("at: time::OffsetDateTime"),
        "DATE_AS_STRING",
        "an array of nine integers",
    );
    one(
        &model("at: std::time::Duration"),
        "DATE_AS_STRING",
        "`at: i64`",
    );
    one(
        &model("key: uuid::Uuid"),
        "UUID_GENERIC",
        "`key: bson::Uuid`",
    );
    one(
        &model("key: Option<uuid::Uuid>"),
        "UUID_GENERIC",
        r#"serde_as(as = "Option<bson::serde_helpers::uuid_1::AsBinary>")"#,
    );
    one(
        &model("data: Option<Vec<u8>>"),
        "BYTES_AS_ARRAY",
        "`data: Option<bson::Binary>`",
    );
    one(
        &model("n: Option<u128>"),
        "INT_RANGE",
        "`User::n` of type `Option<u128>`",
    );
    one(
        &model("n: HashMap<i128, i128>"),
        "INT_RANGE",
        "`n: HashMap<i128, i64>`",
    );
    one(
        &embed("struct Stamp(DateTime<Utc>);"),
        "DATE_AS_STRING",
        "help: `bson::DateTime`",
    );
    none(&model(
        "a: DateTime, b: bson::DateTime, c: Uuid, d: bson::Uuid, e: bson::Binary, f: u64",
    ));
    none(&model(
        r#"#[serde(with = "m")] a: DateTime<Utc>, #[model(opaque)] b: uuid::Uuid, #[serde(skip)] c: Vec<u8>"#,
    ));
}

#[test]
fn overrides_hold_back() {
    none(&model(
        r#"#[model(allow(date_as_string, reason = "days"))] day: NaiveDate"#,
    ));
    none(&model(
        r#"#[model(allow(uuid_generic, reason = "old data"))] key: uuid::Uuid"#,
    ));
    none(&model(
        r#"#[model(allow(bytes_as_array, reason = "old data"))] data: Vec<u8>"#,
    ));
    none(&embed(
        r#"#[model(allow(enum_untagged, reason = "old data"))] enum Shape { Circle { r: f64 } }"#,
    ));
}

#[test]
fn stored_names_are_usable() {
    for (name, usable) in [("a.b", "a_b"), ("$a", "a"), ("", "f"), ("a\\0", "a")] {
        one(
            &model(&format!(r#"#[serde(rename = "{name}")] f: i32"#)),
            "FIELD_NAME",
            &format!(r#"`#[serde(rename = "{usable}")]`"#),
        );
    }
    for name in ["_dn", "_ng", "_r", "_r_owner"] {
        one(
            &model(&format!(r#"#[serde(rename = "{name}")] f: i32"#)),
            "RESERVED_FIELD",
            name,
        );
    }
    none(&model(
        r#"#[serde(rename = "_dna")] a: i32, #[serde(rename = "_rate")] b: i32, #[serde(rename = "a$b")] c: i32"#,
    ));
    none(&model(r#"#[serde(flatten)] _r: Rest"#));
    one(
        &embed(r#"#[serde(tag = "_r")] enum E { A { b: i32 } }"#),
        "RESERVED_FIELD",
        "the tag of `E`",
    );
    one(
        &embed(r#"#[serde(tag = "a.b")] enum E { A { b: i32 } }"#),
        "FIELD_NAME",
        "the tag of `E`",
    );
}

#[test]
fn two_fields_have_two_names() {
    one(
        &model(r#"#[serde(rename = "b")] a: i32, b: i32"#),
        "FIELD_DUP",
        r#"`#[serde(rename = "a")]` on `a`"#,
    );
    one(
        &model(r#"#[serde(rename = "x")] a: i32, #[serde(rename = "x")] b: i32"#),
        "FIELD_DUP",
        "`User::a` and `User::b` are both stored as `x`",
    );
    one(
        &model(r#"a: i32, #[serde(alias = "a")] b: i32"#),
        "FIELD_DUP",
        "alias `a` of `User::b`",
    );
    one(
        &model(r#"#[serde(rename = "_id")] other: i32"#),
        "FIELD_DUP",
        "`User::id` and `User::other`",
    );
    // A field named like the tag is serde's own error.
    none(&embed(
        r#"#[serde(tag = "kind")] enum E { A { x: i32 }, B { kind: i32, x: i32 } }"#,
    ));
    one(
        &embed(r#"enum E { A, #[serde(rename = "A")] B }"#),
        "FIELD_DUP",
        "variants `E::A` and `E::B` are both stored as `A`",
    );
    none(&model(r#"#[serde(skip, rename = "b")] a: i32, b: i32"#));
    none(&model(
        r#"#[serde(alias = "a")] a: i32, #[serde(alias = "old")] b: i32"#,
    ));
}

#[test]
fn skipped_and_flattened_fields_have_no_rules() {
    for attr in [
        "#[refs(Task)]",
        "#[parent(Task)]",
        "#[embed(max = 3)]",
        "#[volatile]",
    ] {
        one(
            &model(&format!("#[serde(skip)] {attr} f: Vec<Task>")),
            "SERDE_SKIP_RULE",
            "`User::f`",
        );
    }
    for attr in ["#[refs(Task)]", "#[parent(Task)]", "#[embed(max = 3)]"] {
        one(
            &model(&format!("#[serde(flatten)] {attr} f: Task")),
            "FLATTEN_RULE",
            "`User::f`",
        );
    }
    none(&model(
        "#[serde(flatten)] #[volatile] f: Task, #[serde(skip)] g: i32",
    ));
}

#[test]
fn what_is_left_out_can_be_read_again() {
    one(
        &model(r#"#[serde(skip_serializing_if = "Vec::is_empty")] f: Vec<i32>"#),
        "SERDE_UNSUPPORTED",
        r#"default, skip_serializing_if = "Vec::is_empty""#,
    );
    one(
        &model("#[serde(skip_serializing)] f: String"),
        "SERDE_UNSUPPORTED",
        "`#[serde(skip)]`",
    );
    one(
        &model(r#"#[serde(with = "m", skip_serializing_if = "Option::is_none")] f: Option<i32>"#),
        "SERDE_UNSUPPORTED",
        "even if it is an `Option`",
    );
    none(&model(
        r#"#[serde(skip_serializing_if = "Vec::is_empty", default)] f: Vec<i32>"#,
    ));
    none(&model(
        r#"#[serde(skip_serializing_if = "Option::is_none")] f: Option<i32>, #[serde(skip_serializing)] g: Option<i32>"#,
    ));
    none(&model(
        r#"#[serde(skip_serializing_if = "Mine::is_empty")] f: Mine"#,
    ));
}

#[test]
fn collection_names() {
    let named = |name: &str| {
        errors(
            Kind::Model,
            &format!(r#"#[model(collection = "{name}")] struct User {{ _id: ObjectId }}"#),
        )
    };
    for (name, usable) in [
        ("", "users"),
        ("a$b", "ab"),
        ("a\\0b", "ab"),
        ("system.users", "users"),
        (".a", "a"),
        ("a.", "a"),
        ("a.system.b", "a.b"),
        ("_dn.locks", "locks"),
    ] {
        one(
            &named(name),
            "COLLECTION_NAME",
            &format!(r#"collection = "{usable}""#),
        );
    }
    one(&named(&"x".repeat(192)), "NS_TOO_LONG", "192 bytes");
    for name in ["users", "a.b", "systems", "fs.files"] {
        none(&named(name));
    }
    none(&named(&"x".repeat(191)));
    let with_log = |log: &str, bytes: usize| {
        let name = "x".repeat(bytes);
        let model = format!(
            r#"#[model(collection = "{name}", {log})] struct User {{ #[serde(rename = "_id")] id: ObjectId }}"#
        );
        errors(Kind::Model, &model)
    };
    for (log, most) in [("events = String", 180), ("history", 179)] {
        none(&with_log(log, most));
        let over = with_log(log, most + 1);
        one(&over, "NS_TOO_LONG", &format!("limit of {most}"));
    }
}

#[test]
fn enums_with_data_have_a_tag() {
    one(
        &embed("enum Shape { Circle { r: f64 } }"),
        "ENUM_UNTAGGED",
        r#"`#[serde(tag = "type")]` on `Shape`"#,
    );
    one(
        &embed("#[serde(untagged)] enum Shape { Circle { r: f64 } }"),
        "ENUM_UNTAGGED",
        "untagged",
    );
    one(
        &embed("#[serde(untagged)] enum Unit { A, B }"),
        "SERDE_UNSUPPORTED",
        "as null",
    );
    one(
        &embed(r#"#[serde(tag = "t", content = "c")] enum Shape { Circle { r: f64 } }"#),
        "SERDE_UNSUPPORTED",
        r#"#[serde(tag = "t")]"#,
    );
    for alone in ["f64", "Vec<Point>", "Option<Point>", "(f64, f64)"] {
        one(
            &embed(&format!(
                r#"#[serde(tag = "t")] enum Shape {{ Circle({alone}) }}"#
            )),
            "SERDE_UNSUPPORTED",
            "name the field",
        );
    }
    none(&embed(
        r#"#[serde(tag = "t")] enum Shape { Circle { r: f64 }, Poly(Poly), Rest(HashMap<String, i32>), None }"#,
    ));
    none(&embed("enum Unit { A, B }"));
    none(&embed(
        r#"#[serde(tag = "t", content = "c")] enum Unit { A, B }"#,
    ));
}

#[test]
fn the_stored_form_is_the_fields() {
    one(
        &embed("#[serde(transparent)] struct Wrap { inner: String }"),
        "SERDE_UNSUPPORTED",
        "struct Wrap(..)",
    );
    none(&embed("#[serde(transparent)] struct Wrap(String);"));
    one(
        &embed(r#"#[serde(into = "Other")] struct S { a: i32 }"#),
        "SERDE_UNSUPPORTED",
        "stored as `Other`",
    );
    one(
        &model_with(r#"#[serde(into = "Other")]"#),
        "SERDE_UNSUPPORTED",
        "in your own code",
    );
    none(&embed(
        r#"#[serde(try_from = "RawRange")] struct Range { from: i32, to: i32 }"#,
    ));
    none(&model_with(r#"#[serde(from = "Versions")]"#));
    none(&embed(
        r#"#[serde(try_from = "String", into = "String")] struct Email(String);"#,
    ));
    one(
        &embed(r#"#[serde(try_from = "String")] struct Port(u16);"#),
        "SERDE_UNSUPPORTED",
        "struct Port(String);",
    );
    none(&embed(
        r#"#[serde(from = "String", into = "String")] enum Lang { En, De }"#,
    ));
    one(
        &embed(r#"#[serde(into = "u8")] enum Level { Low, High }"#),
        "SERDE_UNSUPPORTED",
        "opaque",
    );
}

fn model_with(attr: &str) -> Vec<String> {
    errors(
        Kind::Model,
        &format!(r#"#[model(collection = "users")] {attr} struct User {{ _id: ObjectId }}"#),
    )
}

#[test]
fn unknown_fields_are_let_in_where_the_library_writes() {
    let deny = |kind, fields: &str| {
        errors(
            kind,
            &format!(
                r#"#[model({})] #[serde(deny_unknown_fields)] struct S {{ _id: ObjectId, {fields} }}"#,
                if kind == Kind::Model {
                    r#"collection = "s""#
                } else {
                    "crate = x"
                }
            ),
        )
    };
    one(
        &deny(Kind::Model, "#[refs(Part)] parts: Vec<Id<Part>>"),
        "SERDE_UNSUPPORTED",
        "`S::parts`",
    );
    one(
        &deny(
            Kind::Embed,
            "#[parent(Host)] host: Id<Host>, #[denorm(from = Host, field = ip)] ip: String",
        ),
        "SERDE_UNSUPPORTED",
        "`S::ip`",
    );
    none(&deny(Kind::Embed, "#[parent(Host)] host: Id<Host>"));
    none(&deny(Kind::Model, "name: String"));
}

#[test]
fn advice_is_data() {
    let code = r#"#[model(collection = "users")] struct User {
        _id: ObjectId, unit_price: f64, weight: f64, nick: Option<String>, #[parent(Host)] host: Option<Id<Host>>, tags: Vec<String>,
        hits: Option<u64>, page_views: i32, #[check(range = 0..=9)] votes: u8, likes: u32, #[serde(default)] clicks: Vec<i32>, #[serde(flatten)] rest: BTreeMap<String, i64>, #[serde(flatten)] more_of_it: Rest, #[serde(skip)] cost: f64,
        #[count(Hit)] seen: i64, #[serde(default)] #[count(Hit)] all: i64,
        #[serde(default)] more: Vec<f32>, #[serde(skip_serializing_if = "Option::is_none")] total: Option<f64> }"#;
    let input: DeriveInput = syn::parse_str(code).expect("an item");
    let item = crate::parse::parse_item(&input, Kind::Model, &Ctxt::default());
    let found: Vec<(&str, String)> = advice(&Ir::lower(&item))
        .into_iter()
        .map(|(rule, field)| (rule.code, field))
        .collect();
    let expected = [
        ("MONEY_FLOAT", "unit_price"),
        ("NULL_VS_MISSING", "nick"),
        ("PARENT_OPTION_NULL", "host"),
        ("VEC_NO_DEFAULT", "tags"),
        ("NULL_VS_MISSING", "hits"),
        ("INT_UNSIGNED", "hits"),
        ("INC_NARROW", "page_views"),
        ("FLATTEN", "rest"),
        ("COUNT_NO_DEFAULT", "seen"),
        ("MONEY_FLOAT", "total"),
    ];
    assert_eq!(
        found,
        expected.map(|(rule, field)| (rule, field.to_owned()))
    );
}
