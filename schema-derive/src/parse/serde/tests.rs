use quote::ToTokens;
use syn::{Data, DeriveInput, Fields};

use super::*;

fn item(attrs: &str) -> (SerdeItem, String) {
    let input: DeriveInput = syn::parse_str(&format!("{attrs} struct S {{}}")).expect("an item");
    let cx = Ctxt::default();
    let parsed = SerdeItem::parse(&input.attrs, &cx, "S");
    (parsed, cx.into_tokens().to_string())
}

fn field_of(
    item: &SerdeItem,
    attrs: &str,
    ident: &str,
    rule: Option<RenameRule>,
) -> (SerdeField, String) {
    let input: DeriveInput =
        syn::parse_str(&format!("struct S {{ {attrs} {ident}: i32 }}")).expect("an item");
    let Data::Struct(data) = &input.data else {
        panic!("a struct")
    };
    let Fields::Named(fields) = &data.fields else {
        panic!("named fields")
    };
    let field = fields.named.first().expect("a field");
    let cx = Ctxt::default();
    let parsed = SerdeField::parse(
        &field.attrs,
        field.ident.as_ref().expect("a name"),
        item,
        rule,
        &cx,
        "S::f",
    );
    (parsed, cx.into_tokens().to_string())
}

fn field(attrs: &str) -> (SerdeField, String) {
    field_of(&SerdeItem::default(), attrs, "f", None)
}

fn variant(attrs: &str, item: &SerdeItem) -> (String, String) {
    let input: DeriveInput =
        syn::parse_str(&format!("enum E {{ {attrs} VeryTasty(i32) }}")).expect("an item");
    let Data::Enum(data) = &input.data else {
        panic!("an enum")
    };
    let variant = data.variants.first().expect("a variant");
    let cx = Ctxt::default();
    let name = variant_name(&variant.attrs, &variant.ident, item, &cx, "E");
    (name.name, cx.into_tokens().to_string())
}

fn text(tokens: Option<&impl ToTokens>) -> String {
    tokens
        .map(|tokens| tokens.to_token_stream().to_string().replace(' ', ""))
        .unwrap_or_default()
}

#[test]
fn names_of_fields() {
    let (plain, _) = field("");
    assert_eq!(
        (plain.name.as_str(), plain.renamed_tokens.is_none()),
        ("f", true)
    );
    let (renamed, errors) = field(r#"#[serde(rename = "_id")]"#);
    assert_eq!(
        (
            renamed.name.as_str(),
            text(renamed.renamed_tokens.as_ref()).as_str(),
            errors.as_str()
        ),
        ("_id", "\"_id\"", "")
    );
    let camel = RenameRule::from_name("camelCase");
    assert_eq!(
        field_of(&SerdeItem::default(), "", "r#type_of", camel)
            .0
            .name,
        "typeOf"
    );
    assert_eq!(
        field_of(&SerdeItem::default(), "", "r#type", None).0.name,
        "type"
    );
    assert_eq!(
        field_of(
            &SerdeItem::default(),
            r#"#[serde(rename = "f_g")]"#,
            "a_b",
            camel
        )
        .0
        .name,
        "f_g"
    );
}

#[test]
fn both_directions_have_one_name() {
    for fine in [
        r#"#[serde(rename(serialize = "a", deserialize = "a"))]"#,
        r#"#[serde(rename(serialize = "a", deserialize = "b", deserialize = "a"))]"#,
        r#"#[serde(rename(serialize = "a", deserialize = "b"), alias = "a")]"#,
        r#"#[serde(rename(serialize = "a"), alias = "a")]"#,
        r#"#[serde(rename(deserialize = "f"))]"#,
        r#"#[serde(rename(serialize = "f"))]"#,
    ] {
        assert_eq!(field(fine).1, "", "{fine}");
    }
    for (asymmetric, name) in [
        (
            r#"#[serde(rename(serialize = "a", deserialize = "b"))]"#,
            "a",
        ),
        (r#"#[serde(rename(serialize = "a"))]"#, "a"),
        (r#"#[serde(rename(deserialize = "b"))]"#, "f"),
    ] {
        let (field, errors) = field(asymmetric);
        assert!(errors.contains("RENAME_ASYM"), "{asymmetric}: {errors}");
        assert_eq!(field.name, name);
    }
    assert_eq!(
        item(r#"#[serde(rename_all(serialize = "camelCase", deserialize = "camelCase"))]"#).1,
        ""
    );
    for asymmetric in [
        r#"#[serde(rename_all(serialize = "camelCase", deserialize = "snake_case"))]"#,
        r#"#[serde(rename_all(serialize = "camelCase"))]"#,
        r#"#[serde(rename_all_fields(deserialize = "camelCase"))]"#,
    ] {
        assert!(item(asymmetric).1.contains("RENAME_ASYM"), "{asymmetric}");
    }
}

#[test]
fn what_an_item_is_told() {
    let (item, errors) = item(
        r#"#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase", tag = "kind", content = "c", untagged)]
           #[serde(transparent, deny_unknown_fields, default = "make", from = "A", try_from = "a::B<C, D>", into = "E")]"#,
    );
    assert_eq!(errors, "");
    assert_eq!(
        (item.rename_all, item.rename_all_fields),
        (
            RenameRule::from_name("kebab-case"),
            RenameRule::from_name("camelCase")
        )
    );
    assert_eq!(
        (item.tag.as_deref(), text(item.tag_tokens.as_ref()).as_str()),
        (Some("kind"), "\"kind\"")
    );
    assert!(
        item.content.is_some()
            && item.untagged.is_some()
            && item.transparent.is_some()
            && item.deny_unknown_fields.is_some()
            && item.default
    );
    let conversions: Vec<(&str, String)> = item
        .conversions
        .iter()
        .map(|c| (c.key.as_str(), text(Some(&c.ty))))
        .collect();
    assert_eq!(
        conversions,
        [
            ("from", "A".to_owned()),
            ("try_from", "a::B<C,D>".to_owned()),
            ("into", "E".to_owned())
        ]
    );
}

#[test]
fn what_changes_no_stored_byte_is_let_be() {
    let harmless = r#"#[serde(bound = "T: A<B, C>", bound(serialize = "T: A"), crate = "serde", expecting = "an S", rename = "T")]"#;
    let (parsed, errors) = item(&format!(
        r#"{harmless} #[serde(bound = "T: A", tag = "t")]"#
    ));
    assert_eq!((errors.as_str(), parsed.tag.as_deref()), ("", Some("t")));
    let (parsed, errors) =
        field(r#"#[serde(borrow = "'a + 'b", bound = "T: A", borrow, rename = "n")]"#);
    assert_eq!((errors.as_str(), parsed.name.as_str()), ("", "n"));
    assert_eq!(
        variant("#[serde(other)]", &SerdeItem::default()),
        ("VeryTasty".to_owned(), String::new())
    );
}

#[test]
fn what_cannot_be_honoured_is_refused() {
    for (attrs, word) in [
        (r#"#[serde(remote = "other::S")]"#, "remote"),
        ("#[serde(field_identifier)]", "field_identifier"),
        ("#[serde(variant_identifier)]", "variant_identifier"),
    ] {
        let errors = item(attrs).1;
        assert!(
            errors.contains("SERDE_UNSUPPORTED") && errors.contains(word),
            "{attrs}: {errors}"
        );
    }
    assert!(
        field("#[serde(skip_deserializing)]")
            .1
            .contains("never read")
    );
    for attrs in [
        "#[serde(untagged)]",
        r#"#[serde(with = "m")]"#,
        r#"#[serde(serialize_with = "f")]"#,
        "#[serde(skip_deserializing)]",
    ] {
        let errors = variant(attrs, &SerdeItem::default()).1;
        assert!(
            errors.contains("SERDE_UNSUPPORTED") && errors.contains("E::VeryTasty"),
            "{attrs}: {errors}"
        );
    }
}

#[test]
fn skips() {
    for (attrs, skip, sought) in [
        ("#[serde(skip)]", true, false),
        ("#[serde(skip_serializing)]", true, true),
        (
            "#[serde(skip_serializing, skip_deserializing)]",
            true,
            false,
        ),
        ("", false, false),
    ] {
        let (field, errors) = field(attrs);
        assert_eq!(
            (field.skip.is_some(), field.sought, errors.as_str()),
            (skip, sought, ""),
            "{attrs}"
        );
    }
    for (path, none) in [
        ("Option::is_none", true),
        ("std::option::Option::<T>::is_none", true),
        ("Vec::is_empty", false),
        ("is_none", false),
    ] {
        let (field, errors) = field(&format!(r#"#[serde(skip_serializing_if = "{path}")]"#));
        assert_eq!(
            (field.skip_if.is_some(), field.skip_none, errors.as_str()),
            (true, none, ""),
            "{path}"
        );
    }
}

#[test]
fn defaults_flatten_and_aliases() {
    assert!(!field("").0.default);
    assert!(field("#[serde(default)]").0.default);
    assert!(field(r#"#[serde(default = "make")]"#).0.default);
    assert!(
        field_of(&item("#[serde(default)]").0, "", "f", None)
            .0
            .default
    );
    let (parsed, errors) = field(r#"#[serde(flatten, alias = "a", alias = "b")]"#);
    assert!(parsed.flatten.is_some() && errors.is_empty());
    assert_eq!(
        parsed.aliases.iter().map(LitStr::value).collect::<Vec<_>>(),
        ["a", "b"]
    );
}

#[test]
fn functions_of_a_field() {
    let (both, _) = field(r#"#[serde(with = "a::b")]"#);
    assert_eq!(
        (
            text(both.serialize_with.as_ref()),
            text(both.deserialize_with.as_ref())
        ),
        ("a::b::serialize".to_owned(), "a::b::deserialize".to_owned())
    );
    let (generic, _) = field(r#"#[serde(with = "::serde_with::As::<Option<Same>>")]"#);
    assert_eq!(
        text(generic.serialize_with.as_ref()),
        "::serde_with::As::<Option<Same>>::serialize"
    );
    let (qualified, _) = field(r#"#[serde(with = "<A as B>::C")]"#);
    assert_eq!(
        text(qualified.deserialize_with.as_ref()),
        "<AasB>::C::deserialize"
    );
    let (one, _) = field(r#"#[serde(serialize_with = "f")]"#);
    assert_eq!(
        (
            text(one.serialize_with.as_ref()).as_str(),
            one.deserialize_with.is_none(),
            one.with.is_some()
        ),
        ("f", true, true)
    );
    assert!(
        field(r#"#[serde(deserialize_with = "g")]"#)
            .0
            .with
            .is_some()
    );
}

#[test]
fn variants_by_rule_and_by_name() {
    let snake = SerdeItem {
        rename_all: RenameRule::from_name("snake_case"),
        ..SerdeItem::default()
    };
    assert_eq!(variant("", &snake).0, "very_tasty");
    assert_eq!(
        variant(r#"#[serde(rename = "yum", alias = "old")]"#, &snake),
        ("yum".to_owned(), String::new())
    );
    assert!(
        variant(r#"#[serde(rename(serialize = "a"))]"#, &snake)
            .1
            .contains("RENAME_ASYM")
    );
    for unwritten in [
        "#[serde(skip)]",
        "#[serde(skip_serializing)]",
        "#[serde(skip_serializing, skip_deserializing)]",
    ] {
        assert_eq!(variant(unwritten, &snake).1, "", "{unwritten}");
    }
    let input: DeriveInput =
        syn::parse_str(r#"#[serde(rename_all = "UPPERCASE")] struct V {}"#).expect("an item");
    assert_eq!(
        variant_rename_all(&input.attrs, &Ctxt::default(), "E::V"),
        RenameRule::from_name("UPPERCASE")
    );
}

#[test]
fn malformed_attributes_are_left_to_serde() {
    for attrs in [
        "#[serde]",
        "#[serde()]",
        "#[serde = 1]",
        "#[serde(rename)]",
        "#[serde(rename = 1)]",
        "#[serde(rename(other = \"a\"))]",
        "#[serde(= = =)]",
        "#[serde(rename_all = \"Title Case\")]",
        "#[serde(from = \"<\")]",
        "#[serde(tag)]",
        "#[serde(a::b = 1, tag = 2)]",
        "#[serde(\"literal\")]",
        "#[serde(alias(x))]",
        "#[serde(unknown(some = 1), skip_serializing_if = 3)]",
        "#[serde[default]]",
        "#[serde{,}]",
    ] {
        assert_eq!(item(attrs).1, "", "{attrs}");
        assert_eq!(field(attrs).1, "", "{attrs}");
        assert_eq!(variant(attrs, &SerdeItem::default()).1, "", "{attrs}");
    }
    assert_eq!(field(r#"#[serde(with = "not a path")]"#).1, "");
    // Options before the mistake count.
    assert_eq!(
        field(r#"#[serde(rename = "a", nonsense, default = )]"#)
            .0
            .name,
        "a"
    );
}

#[test]
fn the_function_that_writes_an_id() {
    let form_of = |attr: &str, ty: &str| {
        let (field, _) = field(&format!("#[serde({attr})]"));
        let function = field.serialize_with.expect("a function");
        name_form(&function, &syn::parse_str(ty).expect("a type"))
    };
    for (attr, ty, form) in [
        (r#"with = "a::B""#, "Uuid", "a::B"),
        (r#"with = "crate::a::B""#, "Uuid", "a::B"),
        (r#"with = "super::super::hex""#, "String", "hex"),
        (r#"serialize_with = "a::B::serialize""#, "Uuid", "a::B"),
        (r#"serialize_with = "write_hex""#, "String", "write_hex"),
        (r#"with = "::serde_with::As::<a::B>""#, "Uuid", "a::B"),
        (
            r#"with = "::serde_with::As::<Vec<a::B>>""#,
            "Vec<Uuid>",
            "a::B",
        ),
        (
            r#"with = "::serde_with::As::<Option<Vec<B>>>""#,
            "Option<Vec<Uuid>>",
            "B",
        ),
        (
            r#"with = "::serde_with::As::<Option<::serde_with::Same>>""#,
            "Option<Uuid>",
            "",
        ),
        (r#"with = "::serde_with::As::<Vec<_>>""#, "Vec<Uuid>", ""),
        // A function that takes the whole array may store anything.
        (r#"with = "a::B""#, "Vec<Uuid>", "a::B of Vec<Uuid>"),
        (
            r#"with = "::serde_with::As::<a::B>""#,
            "Vec<Uuid>",
            "a::B of Vec<Uuid>",
        ),
        (
            r#"with = "::serde_with::As::<BTreeMap<B, C>>""#,
            "BTreeMap<Uuid, i32>",
            "BTreeMap<B,C> of BTreeMap<Uuid,i32>",
        ),
    ] {
        assert_eq!(form_of(attr, ty), form, "{attr} {ty}");
    }
}
