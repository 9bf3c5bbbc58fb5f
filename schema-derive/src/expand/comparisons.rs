//! The rows of `#[model(check(start < end, with = is_open, garde, on = write))]`, and the checks that the fields can be compared.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::span::call_with_span;
use super::values::path_text;
use crate::ir::Ir;
use crate::syntax::{CompareOp, ComparisonAttr, DocumentJudge, End, JudgeAttr, Side, Term};

/// The comparisons of a model.
pub(super) fn expand_rows(ir: &Ir<'_>) -> TokenStream {
    let rows = ir.item.attrs.comparisons.iter();
    let rows = rows.filter(|_| !ir.failed).map(|one| expand_row(ir, one));
    quote!(&[#(#rows),*])
}

/// The functions and the crates that judge documents.
pub(super) fn expand_judges(ir: &Ir<'_>) -> TokenStream {
    let judges = ir.item.attrs.judges.iter().filter(|_| !ir.failed);
    let judges = judges.map(|judge| expand_judge(&ir.item.ident, judge));
    quote!(&[#(#judges),*])
}

fn expand_judge(item: &Ident, attr: &JudgeAttr) -> TokenStream {
    let on_write = attr.on_write;
    let (name, refusals) = match &attr.judge {
        DocumentJudge::Function(function) => {
            let call = quote_spanned!(function.span()=> |document| #function(document));
            let refusals = quote!(|raw| __rt::judge_document::<#item>(raw, #call));
            (path_text(function), refusals)
        }
        DocumentJudge::Crate(name) => {
            let judge = format_ident!("judge_by_{name}");
            // The span is the crate's name: a crate that knows no rules of the model is a mistake there.
            let item = format_ident!("{item}", span = name.span());
            let refusals = quote_spanned!(name.span()=> __rt::#judge::<#item>);
            (name.to_string(), refusals)
        }
    };
    quote!(__rt::DocumentJudge { name: #name, refusals: #refusals, on_write: #on_write })
}

/// Checks that each comparison is one of numbers, or of dates.
pub(super) fn expand_checks(ir: &Ir<'_>) -> TokenStream {
    let (item, name) = (&ir.item.ident, ir.name());
    let all = ir.item.attrs.comparisons.iter().filter(|_| !ir.failed);
    all.map(|one| {
        let row = expand_row(ir, one);
        let args = quote!(<#item as __rt::Value>::FIELDS, &#row, #name);
        let call = call_with_span(&one.site, &quote!(__rt::check::comparison), args);
        quote!(const _: () = #call;)
    })
    .collect()
}

fn expand_row(ir: &Ir<'_>, one: &ComparisonAttr) -> TokenStream {
    let stored = |name: &Ident| ir.field(name).map_or("", |row| row.stored()).to_owned();
    let text = one.text(stored);
    let op = match one.op {
        CompareOp::Less => "Less",
        CompareOp::AtMost => "AtMost",
        CompareOp::Greater => "Greater",
        CompareOp::AtLeast => "AtLeast",
        CompareOp::Equal => "Equal",
        CompareOp::Unequal => "Unequal",
    };
    let op = format_ident!("{op}");
    let term = |term: &Term| match term {
        Term::Field(name) => {
            let stored = stored(name);
            quote!(__rt::Term::Field(#stored))
        }
        Term::Number(End::Int(n)) => quote!(__rt::Term::Int(#n)),
        Term::Number(End::Float(n)) => quote!(__rt::Term::Float(#n)),
    };
    let side = |side: &Side| {
        let products = side.iter().map(|product| {
            let terms = product.iter().map(term);
            quote!(&[#(#terms),*])
        });
        quote!(&[#(#products),*])
    };
    let (left, right, on_write) = (side(&one.left), side(&one.right), one.on_write);
    quote! {
        __rt::Comparison { text: #text, left: #left, op: __rt::CompareOp::#op, right: #right, on_write: #on_write }
    }
}
