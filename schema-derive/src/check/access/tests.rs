use syn::DeriveInput;

use super::*;
use crate::parse;
use crate::syntax::Kind;

const FIELDS: &str = "host: String, time: DateTime, level: i32, open: bool, place: Place, #[embed(max = 5)] tags: Vec<String>,
    #[parent(Person, sort = -time)] author: Id<Person>, #[denorm(from = Person, field = name)] #[parent(Person)] owner: MOwner,";

/// The errors for one pattern with these options: the code and the help.
fn told(options: &str, access: &str) -> Vec<(String, String)> {
    let source = format!(
        "#[model(collection = \"c\", {options} access({access}))] struct M {{ #[serde(rename = \"_id\")] id: ObjectId, {FIELDS} }}"
    );
    let input: DeriveInput = syn::parse_str(&source).expect("valid Rust");
    let cx = Ctxt::default();
    let item = parse::parse_item(&input, Kind::Model, &cx);
    check(&Ir::lower(&item), &cx);
    let text = cx
        .into_tokens()
        .to_string()
        .replace("\\n", "\n")
        .replace("\\\"", "\"");
    text.split("compile_error !")
        .skip(1)
        .map(|message| {
            let code = message
                .split_once(" [")
                .and_then(|(_, rest)| rest.split_once(']'));
            let help = message
                .split_once("help: ")
                .map(|(_, rest)| rest.lines().next().unwrap_or_default());
            (
                code.map(|(code, _)| code.to_owned()).unwrap_or_default(),
                help.unwrap_or_default().to_owned(),
            )
        })
        .collect()
}

fn served(options: &str, access: &str) {
    assert_eq!(told(options, access), [], "{options} {access}");
}

fn refused(options: &str, access: &str, code: &str, help: &str) {
    let told = told(options, access);
    let expected = (code.to_owned(), format!("`#[model(index({help}))]`"));
    assert_eq!(told, [expected], "{options} {access}");
}

#[test]
fn equality_then_sort_then_range() {
    let index = "index(keys(host, -time, level)),";
    served(index, "a(host)");
    served(index, "a(host, sort = -time)");
    served(index, "a(host, sort = time)");
    served(index, "a(host, sort(-time, level))");
    served(index, "a(host, range = time, sort = -time)");
    served(index, "a(host, range = level, sort = -time)");
    served(index, "a(host, time, range = level)");
    served(index, "a(time, host, level)");
    served(index, "a(sort = host)");
    served(index, "a(range = host)");
    refused(
        index,
        "a(host, sort(-time, -level))",
        "IDX_SORT_DIR",
        "keys(host, -time, -level, -id)",
    );
    refused(
        index,
        "a(host, range = level)",
        "IDX_ESR",
        "keys(host, level)",
    );
    refused(
        index,
        "a(host, sort = level)",
        "IDX_ESR",
        "keys(host, level, id)",
    );
    refused(index, "a(time)", "IDX_ESR", "keys(time)");
    refused(
        index,
        "a(host, open, sort = -time)",
        "IDX_ACCESS",
        "keys(host, open, -time, -id)",
    );
    refused(
        "",
        "a(host, range = level, sort = -time)",
        "IDX_ACCESS",
        "keys(host, -time, level)",
    );
}

#[test]
fn indexes_that_nobody_declares() {
    served("", "a(id)");
    served("", "a(sort = -id)");
    served("", "a(author, sort = time)");
    served("", "a(author, sort(-time, -id))");
    served("", "a(owner)");
    refused(
        "",
        "a(author, sort(-time, id))",
        "IDX_SORT_DIR",
        "keys(author, -time, id)",
    );
    refused(
        "",
        "a(owner, sort = time)",
        "IDX_ACCESS",
        "keys(owner.id, time, id)",
    );
}

#[test]
fn keys_may_lie_in_embedded_documents_and_in_copies() {
    let index = "index(keys(place.city, owner.name, -place.zip)),";
    served(index, "a(place.city)");
    served(index, "a(owner.name, place.city, sort = place.zip)");
    served(index, "a(place.city, owner.name, range = place.zip)");
    refused(index, "a(place.zip)", "IDX_ESR", "keys(place.zip)");
    refused(
        "",
        "a(owner.name, sort = -time)",
        "IDX_ACCESS",
        "keys(owner.name, -time, -id)",
    );
}

#[test]
fn partial_indexes_are_used_where_their_condition_is_stated() {
    let index = "index(keys(host, -time), partial(open = true)),";
    served(index, "a(host, only(open = true), sort = -time)");
    refused(
        index,
        "a(host, sort = -time)",
        "IDX_PARTIAL_QUERY",
        "keys(host, -time, -id)",
    );
    refused(
        index,
        "a(host, only(open = false), sort = -time)",
        "IDX_ACCESS",
        "keys(host, -time, -id), partial(open = false)",
    );
    served("index(keys(host), partial(host(exists))),", "a(host)");
    refused(
        "index(keys(host), partial(host(exists))),",
        "a(sort = host)",
        "IDX_PARTIAL_QUERY",
        "keys(host, id)",
    );
    served("index(keys(host), sparse),", "a(host)");
    refused(
        "index(keys(host), sparse),",
        "a(range = host)",
        "IDX_PARTIAL_QUERY",
        "keys(host), name = \"host_all\"",
    );
    served("index(keys(open, host)),", "a(host, only(open = true))");
    served(
        "index(keys(open, host)),",
        "a(only(open = true), sort = host)",
    );
}

#[test]
fn indexes_in_another_order_serve_nothing() {
    served("index(keys(hashed(host))),", "a(host)");
    refused(
        "index(keys(hashed(host))),",
        "a(range = host)",
        "IDX_ACCESS",
        "keys(host)",
    );
    refused(
        "index(keys(host), collation(locale = \"en\")),",
        "a(host)",
        "IDX_ACCESS",
        "keys(host), name = \"host_all\"",
    );
    refused(
        "index(keys(text(host))),",
        "a(host)",
        "IDX_ACCESS",
        "keys(host)",
    );
}

#[test]
fn what_is_written_wrongly_is_said_once() {
    let codes = |access| {
        told("", access)
            .into_iter()
            .map(|(code, _)| code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("a(hots)"), ["ATTR_VALUE"]);
    assert_eq!(codes("a(host, host)"), ["ATTR_DUPLICATE"]);
    assert_eq!(codes("a(host, range = host)"), ["ATTR_DUPLICATE"]);
    assert_eq!(codes("a(place.city, place.city)"), ["ATTR_DUPLICATE"]);
    assert_eq!(codes("a(host, range(time))"), ["ATTR_VALUE"]);
    assert_eq!(codes("find(host)"), ["ATTR_CONFLICT"]);
    assert_eq!(codes("a(id), a(id)"), ["ATTR_DUPLICATE"]);
    assert_eq!(codes("a(id, sort = tags)"), ["IDX_SORT_DIR"]);
    assert_eq!(codes("a(limit = 5)"), ["ATTR_VALUE"]);
    assert_eq!(codes("a(host, sotr = time)"), ["ATTR_UNKNOWN"]);
    assert_eq!(codes("a"), ["ATTR_SHAPE"]);
}

#[test]
fn indexes_without_a_pattern_are_advice() {
    let source = format!(
        "#[model(collection = \"c\", access(a(host)), index(keys(host, time)), index(keys(level)), index(keys(time), unique))]
         struct M {{ #[serde(rename = \"_id\")] id: ObjectId, {} }}",
        FIELDS.replace("open: bool", "#[index] open: bool")
    );
    let input: DeriveInput = syn::parse_str(&source).expect("valid Rust");
    let item = parse::parse_item(&input, Kind::Model, &Ctxt::default());
    let said: Vec<_> = advice(&Ir::lower(&item))
        .into_iter()
        .map(|(rule, field)| (rule.code, field))
        .collect();
    assert_eq!(
        said,
        [
            ("IDX_UNUSED", String::new()),
            ("IDX_UNUSED", "open".to_owned())
        ]
    );
}

#[test]
fn an_index_of_all_fields_covers() {
    let covered = |fields: &str| {
        let source = format!(
            "#[model(collection = \"c\", access(a(host)), index(keys(host, id)))] struct M {{ #[serde(rename = \"_id\")] id: ObjectId, host: {fields} }}"
        );
        let input: DeriveInput = syn::parse_str(&source).expect("valid Rust");
        let item = parse::parse_item(&input, Kind::Model, &Ctxt::default());
        let ir = Ir::lower(&item);
        let serving = served_by(&ir, &item.attrs.accesses[0]);
        serving.expect("an index").covers(&ir)
    };
    assert!(covered("String"));
    assert!(!covered("String, time: i64"));
    assert!(!covered("Vec<String>"));
}
