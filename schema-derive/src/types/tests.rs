use super::*;
use quote::ToTokens;

fn ty(text: &str) -> Type {
    syn::parse_str(text).expect("a type")
}

fn text(ty: Option<&Type>) -> String {
    ty.map_or_else(
        || "-".to_owned(),
        |ty| ty.to_token_stream().to_string().replace(' ', ""),
    )
}

#[test]
fn options_arrays_and_maps_are_looked_into() {
    for (written, option, array, value) in [
        ("Option<String>", "String", "-", "-"),
        ("std::option::Option<Vec<A>>", "Vec<A>", "-", "-"),
        ("Box<Option<A>>", "A", "-", "-"),
        ("Vec<Part>", "-", "Part", "-"),
        (
            "std::collections::HashSet<Id<Part>, S>",
            "-",
            "Id<Part>",
            "-",
        ),
        ("Box<[f64]>", "-", "f64", "-"),
        ("&'a [f64]", "-", "f64", "-"),
        ("Cow<'a, [f64]>", "-", "f64", "-"),
        ("[f64; 2]", "-", "-", "-"),
        ("HashMap<String, Vec<A>>", "-", "-", "Vec<A>"),
        ("Vec", "-", "-", "-"),
        ("HashMap<String>", "-", "-", "-"),
        ("<A as B>::Option<C>", "-", "-", "-"),
        ("fn(Vec<A>) -> B", "-", "-", "-"),
    ] {
        let ty = ty(written);
        assert_eq!(text(option_inner(&ty)), option, "{written}");
        assert_eq!(text(array_element(&ty)), array, "{written}");
        assert_eq!(
            text(map_value(&ty).map(|(_, value)| value)),
            value,
            "{written}"
        );
    }
    assert_eq!(
        text(Some(leaf(&ty(
            "Option<HashMap<String, Vec<Box<[bson::Uuid; 2]>>>>"
        )))),
        "bson::Uuid"
    );
}

#[test]
fn names_as_written() {
    assert_eq!(last_ident(&ty("bson::Uuid")).expect("a path"), "Uuid");
    assert_eq!(last_ident(&ty("Box<Id<Part>>")).expect("a path"), "Id");
    assert!(last_ident(&ty("(A, B)")).is_none());
    assert_eq!(
        plain_ident(&ty("ProductPart")).expect("plain"),
        "ProductPart"
    );
    for written in ["a::B", "B<C>", "Box<B>", "[B; 2]", "&B", "<A>::B"] {
        assert!(plain_ident(&ty(written)).is_none(), "{written}");
    }
}

#[test]
fn a_type_embeds_itself_but_not_its_id() {
    let own = Ident::new("Node", proc_macro2::Span::call_site());
    for written in [
        "Node",
        "Option<Box<Node>>",
        "HashMap<String, Vec<Node>>",
        "(i32, Node)",
        "[Node; 2]",
        "Box<Self>",
        "self::Node",
        "Tree<Node>",
    ] {
        assert!(embeds(&ty(written), &own), "{written}");
    }
    for written in [
        "Id<Node>",
        "Vec<Id<Node>>",
        "PhantomData<Node>",
        "other::Node",
        "Nodes",
        "fn(Node)",
    ] {
        assert!(!embeds(&ty(written), &own), "{written}");
    }
}

#[test]
fn well_known_types_name_nothing_of_the_user() {
    for written in [
        "String",
        "Option<i64>",
        "Vec<bson::Uuid>",
        "HashMap<String, Vec<f64>>",
        "[f64; 2]",
        "&'a str",
    ] {
        assert!(well_known(&ty(written)), "{written}");
    }
    for written in [
        "Id<Part>",
        "Vec<Part>",
        "HashMap<Key, i32>",
        "DateTime<Utc>",
        "(i32, i32)",
    ] {
        assert!(!well_known(&ty(written)), "{written}");
    }
}

#[test]
fn dates_by_crate() {
    for (written, expected) in [
        ("DateTime<Utc>", Some(Date::ChronoUtc)),
        (
            "Option<chrono::DateTime<chrono::Utc>>",
            Some(Date::ChronoUtc),
        ),
        ("Vec<DateTime<Local>>", Some(Date::ChronoZone)),
        ("chrono::NaiveDate", Some(Date::Naive)),
        ("NaiveDateTime", Some(Date::Naive)),
        ("time::OffsetDateTime", Some(Date::Offset)),
        ("time::Date", Some(Date::Time)),
        ("PrimitiveDateTime", Some(Date::Time)),
        ("jiff::Timestamp", Some(Date::JiffTimestamp)),
        ("jiff::civil::Date", Some(Date::Jiff)),
        ("std::time::SystemTime", Some(Date::System)),
        ("HashMap<String, std::time::Duration>", Some(Date::Duration)),
        ("DateTime", None),
        ("bson::DateTime", None),
        ("mongodb::bson::DateTime", None),
        ("Timestamp", None),
        ("Duration", None),
        ("Date", None),
    ] {
        assert_eq!(date(&ty(written)), expected, "{written}");
    }
}

#[test]
fn bytes_and_uuids() {
    for written in [
        "Vec<u8>",
        "[u8; 32]",
        "Box<[u8]>",
        "&'a [u8]",
        "Option<Vec<u8>>",
        "Vec<Vec<u8>>",
        "HashMap<String, [u8; 4]>",
        "Cow<'a, [u8]>",
    ] {
        assert!(bytes(&ty(written)).is_some(), "{written}");
    }
    for written in [
        "u8",
        "Vec<i32>",
        "HashSet<u8>",
        "Option<u8>",
        "bson::Binary",
    ] {
        assert!(bytes(&ty(written)).is_none(), "{written}");
    }
    assert!(is_uuid_crate(&ty("Option<::uuid::Uuid>")));
    for written in ["Uuid", "bson::Uuid", "bson::uuid::Uuid"] {
        assert!(!is_uuid_crate(&ty(written)), "{written}");
    }
}
