use syn::DeriveInput;

use super::*;
use crate::ctxt::Ctxt;
use crate::parse;
use crate::syntax::{Item, Kind};

fn parsed(options: &str, fields: &str) -> Item {
    let source = format!("#[model(collection = \"c\", {options})] struct Shop {{ {fields} }}");
    let input: DeriveInput = syn::parse_str(&source).expect("valid Rust");
    let cx = Ctxt::default();
    let item = parse::parse_item(&input, Kind::Model, &cx);
    assert!(!cx.has_failed(), "{}", cx.into_tokens());
    item
}

/// Tokens without the spaces between them.
fn dense(tokens: &TokenStream) -> String {
    tokens.to_string().replace(' ', "")
}

fn row_of(attr: &str) -> String {
    let item = parsed("", &format!("#[index{attr}] f: Vec<i32>"));
    dense(&expand_row(
        &item.body.fields()[0].attrs.index[0],
        &quote!(rt),
    ))
}

fn row_of_keys(options: &str) -> String {
    let item = parsed(&format!("index({options})"), "a: i32");
    dense(&expand_row(&item.attrs.indexes[0], &quote!(rt)))
}

#[test]
fn rows_say_what_is_not_plain() {
    assert_eq!(row_of(""), "rt::IndexRow::PLAIN");
    assert_eq!(
        row_of("(unique, sparse)"),
        "rt::IndexRow{unique:true,sparse:true,..rt::IndexRow::PLAIN}"
    );
    assert_eq!(
        row_of("(desc)"),
        "rt::IndexRow{keys:&[rt::KeyRow{path:\"\",kind:rt::KeyKind::Desc}],..rt::IndexRow::PLAIN}"
    );
    assert_eq!(
        row_of("(expire_after = \"1m\", name = \"n\")"),
        "rt::IndexRow{expire_after:::core::option::Option::Some(60u32),name:::core::option::Option::Some(\"n\"),..rt::IndexRow::PLAIN}"
    );
    assert_eq!(
        row_of("(partial(gt = -5, type = \"int\", exists))"),
        "rt::IndexRow{partial:&[rt::ConditionRow{path:\"\",op:rt::ConditionOp::Gt(rt::Literal::Int(-5))},\
         rt::ConditionRow{path:\"\",op:rt::ConditionOp::Type(\"int\")},rt::ConditionRow{path:\"\",op:rt::ConditionOp::Exists}],..rt::IndexRow::PLAIN}"
    );
    assert_eq!(
        row_of_keys("keys(a, -b.r#type, wildcard), partial(c = 1.5, d = true, e(lte = \"x\"))"),
        "rt::IndexRow{keys:&[rt::KeyRow{path:\"a\",kind:rt::KeyKind::Asc},rt::KeyRow{path:\"b.type\",kind:rt::KeyKind::Desc},\
         rt::KeyRow{path:\"\",kind:rt::KeyKind::Wildcard}],partial:&[rt::ConditionRow{path:\"c\",op:rt::ConditionOp::Eq(rt::Literal::Double(1.5))},\
         rt::ConditionRow{path:\"d\",op:rt::ConditionOp::Eq(rt::Literal::Bool(true))},\
         rt::ConditionRow{path:\"e\",op:rt::ConditionOp::Lte(rt::Literal::Str(\"x\"))}],..rt::IndexRow::PLAIN}"
    );
    assert_eq!(
        row_of("(collation(locale = \"en\", strength = 2))"),
        "rt::IndexRow{collation:::core::option::Option::Some(&rt::CollationRow{locale:\"en\",strength:::core::option::Option::Some(2u8),\
         case_level:::core::option::Option::None,numeric_ordering:::core::option::Option::None}),..rt::IndexRow::PLAIN}"
    );
    assert_eq!(
        row_of_keys("keys(text(a)), weights(a = 10), language_override = \"l\""),
        "rt::IndexRow{keys:&[rt::KeyRow{path:\"a\",kind:rt::KeyKind::Text}],text:::core::option::Option::Some(&rt::TextRow{weights:&[(\"a\",10u32)],\
         default_language:::core::option::Option::None,language_override:::core::option::Option::Some(\"l\")}),..rt::IndexRow::PLAIN}"
    );
}

#[test]
fn every_question_is_a_const_of_its_own() {
    let item = parsed("index(keys(x.a, y))", "x: X, #[index(unique)] y: Y");
    assert_eq!(
        dense(&expand_checks(&Ir::lower(&item), &quote!(rt))),
        "const_:()=rt::check::index_key::<Shop>(\"x.a\");const_:()=rt::check::index_parallel::<Shop>(&[\"x.a\",\"y\"]);\
         const_:()=rt::check::index_unique::<Shop>(\"y\");"
    );
    assert!(
        expand_checks(
            &Ir::lower(&parsed(
                "index(keys(a, -b), unique)",
                "a: i32, b: Option<String>"
            )),
            &quote!(rt)
        )
        .is_empty()
    );
}
