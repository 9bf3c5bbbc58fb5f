//! The expansions of a few models, word for word: a change of the generated code shows in review.
//!
//! Each file in `tests/expand` holds items with a derive; `tests/expand/golden` holds what the derives write for them.
//! `BLESS=1 cargo test -p mongo-model-derive --lib goldens` writes the goldens anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Expr, ImplItem, Item, ItemImpl, Meta, Stmt, Token, punctuated::Punctuated};

use super::{Kind, expand_item, expand_projection, report_panics};

/// A derive: from an item to its expansion.
type Derive = fn(TokenStream) -> TokenStream;

#[test]
fn expansions_are_the_goldens() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expand");
    let bless = env::var_os("BLESS").is_some();
    let mut different = String::new();
    for case in cases(&folder) {
        let golden = folder
            .join("golden")
            .join(case.file_name().expect("a file"));
        let expansion = expand_file(&case);
        if bless {
            fs::create_dir_all(folder.join("golden")).expect("a folder for the goldens");
            fs::write(&golden, expansion).expect("the golden is written");
        } else if let Some(line) = first_difference(&golden, &expansion) {
            writeln!(different, "{}: {line}", golden.display()).expect("a line");
        }
    }
    assert!(
        different.is_empty(),
        "expansions differ from their goldens; `BLESS=1` writes them anew:\n{different}"
    );
}

/// The mark tells lints and coverage that the code is generated. The compiler refuses it on other impls, and each mark costs it time.
#[test]
fn impls_of_traits_with_functions_are_marked_as_derived() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expand");
    for case in cases(&folder) {
        let file = syn::parse_file(&expand_file(&case)).expect("the expansion is Rust");
        let impls = impls(&file);
        assert!(impls.len() > 5, "{}", case.display());
        for item in impls {
            let mark = |attribute: &Attribute| attribute.path().is_ident("automatically_derived");
            let marked = item.attrs.iter().any(mark);
            let of_trait = item.trait_.is_some();
            let functions = item
                .items
                .iter()
                .any(|item| matches!(item, ImplItem::Fn(_)));
            let fits = if marked {
                of_trait
            } else {
                !(of_trait && functions)
            };
            assert!(fits, "{}: {}", case.display(), item.to_token_stream());
        }
    }
}

#[test]
fn a_panic_is_one_error_that_asks_for_a_report() {
    let tokens = report_panics("MongoModel", || panic!("row {} is missing", 3)).to_string();
    assert!(tokens.contains("`#[derive(MongoModel)]` panicked: row 3 is missing"));
    assert!(tokens.contains("please report it"));
}

fn cases(folder: &Path) -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    cases.sort();
    assert!(cases.len() >= 10, "only {} cases", cases.len());
    cases
}

/// The expansions of all items of a file, in its order, formatted.
fn expand_file(path: &Path) -> String {
    let source = fs::read_to_string(path).expect("the case is read");
    let file = syn::parse_file(&source).expect("the case is Rust");
    let mut expansion = TokenStream::new();
    for item in &file.items {
        let (attributes, tokens) = match item.clone() {
            Item::Struct(mut item) => (take_derives(&mut item.attrs), item.to_token_stream()),
            Item::Enum(mut item) => (take_derives(&mut item.attrs), item.to_token_stream()),
            other => panic!("not a type: {}", other.to_token_stream()),
        };
        let derive = derive_of(&attributes).expect("an item with a derive of this crate");
        expansion.extend(derive(tokens));
    }
    let file: syn::File = syn::parse2(expansion).expect("the expansion is Rust");
    prettyplease::unparse(&file)
}

/// The impls in the const blocks of an expansion.
fn impls(expansion: &syn::File) -> Vec<&ItemImpl> {
    let mut impls = Vec::new();
    for item in &expansion.items {
        let Item::Const(item) = item else { continue };
        let Expr::Block(block) = &*item.expr else {
            continue;
        };
        impls.extend(block.block.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Item(Item::Impl(item)) => Some(item),
            _ => None,
        }));
    }
    impls
}

/// Takes `#[derive(..)]` off an item: rustc gives a derive the item without it.
fn take_derives(attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    attributes
        .extract_if(.., |attribute| attribute.path().is_ident("derive"))
        .collect()
}

fn derive_of(derives: &[Attribute]) -> Option<Derive> {
    for attribute in derives {
        let paths: Punctuated<Meta, Token![,]> = attribute
            .parse_args_with(Punctuated::parse_terminated)
            .expect("derives");
        for path in &paths {
            if path.path().is_ident("MongoModel") {
                return Some(|tokens| expand_item(tokens, Kind::Model));
            }
            if path.path().is_ident("MongoEmbed") {
                return Some(|tokens| expand_item(tokens, Kind::Embed));
            }
            if path.path().is_ident("MongoProjection") {
                return Some(expand_projection);
            }
        }
    }
    None
}

/// The first line of `expansion` that the golden does not have at its place.
fn first_difference(golden: &Path, expansion: &str) -> Option<String> {
    let Ok(golden) = fs::read_to_string(golden) else {
        return Some("there is no golden".to_owned());
    };
    if golden == expansion {
        return None;
    }
    let place = golden
        .lines()
        .zip(expansion.lines())
        .take_while(|(golden, expansion)| golden == expansion)
        .count();
    let line = |text: &str| text.lines().nth(place).unwrap_or("<end>").trim().to_owned();
    Some(format!(
        "line {}: golden `{}`, expansion `{}`",
        place + 1,
        line(&golden),
        line(expansion)
    ))
}
