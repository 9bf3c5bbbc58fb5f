//! Rules on `tree(..)` and `#[ancestors]`, as far as the struct shows them.

use quote::ToTokens;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Role, Row};
use crate::syntax::{Attr, Body, Check, OnDelete, ParentAttr};
use crate::types;

/// The largest depth that a tree may declare. The array of ancestors is a part of each document.
const DEPTH_MAX: u64 = 100;

const ANCESTORS: &str =
    "add `#[ancestors] path: Vec<Id<..>>` to the model, with the ids of the model";

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let (mut above, mut path) = (None, None);
    for row in ir.fields().filter(|row| row.is_of_tree()) {
        cx.set_place(row.place());
        if let Some(problem) = conflicting_kind(ir) {
            let help =
                "remove `tree(..)` and `#[ancestors]`: the documents of a plain model form a tree";
            cx.push(diag::tree(&row.field.ident, row.owner(), problem, help));
            return;
        }
        match row.tree() {
            Some(_) => check_once(row, above.replace(row), cx),
            None => check_once(row, path.replace(row), cx),
        }
    }
    match (above, path) {
        (Some(above), Some(path)) => {
            check_above(ir, above, cx);
            check_path(above, path, cx);
        }
        (Some(above), None) => {
            cx.set_place(above.place());
            let problem = "is the parent in a tree, and the model has no field for the ancestors";
            cx.push(diag::tree(
                &above.field.ident,
                above.owner(),
                problem,
                ANCESTORS,
            ));
        }
        (None, Some(path)) => {
            cx.set_place(path.place());
            let problem = "holds the ancestors in a tree, and no field refers to the parent";
            let help = "`#[parent(Category, tree(depth = 12))]` on the reference to the parent";
            cx.push(diag::tree(&path.field.ident, path.owner(), problem, help));
        }
        (None, None) => {}
    }
}

/// The property of the model that excludes a tree.
fn conflicting_kind(ir: &Ir<'_>) -> Option<&'static str> {
    let attrs = &ir.item.attrs;
    [
        (
            !ir.is_model(),
            "is in an embedded document, which is no node of a tree",
        ),
        (
            matches!(ir.item.body, Body::Enum(_)),
            "is in an enum, whose documents form no tree",
        ),
        (
            attrs.soft_delete.is_some(),
            "is in a model with `soft_delete`, whose documents form no tree yet",
        ),
        (
            attrs.shares.is_some(),
            "is in a model that shares its collection, whose documents form no tree",
        ),
        (
            attrs.bucket.is_some(),
            "is in a bucket, which is no node of a tree",
        ),
    ]
    .into_iter()
    .find_map(|(there, problem)| there.then_some(problem))
}

fn check_once(row: &Row<'_>, first: Option<&Row<'_>>, cx: &Ctxt) {
    if let Some(first) = first {
        let problem = format!("is a second one beside `{}`", first.owner());
        cx.push(diag::tree(
            &row.field.ident,
            row.owner(),
            &problem,
            "remove one of them: a model is one tree",
        ));
    }
}

fn check_above(ir: &Ir<'_>, row: &Row<'_>, cx: &Ctxt) {
    let (Some(attr), Some(tree)) = (row.parent(), row.tree()) else {
        return;
    };
    cx.set_place(row.place());
    let owner = row.owner();
    let own = ir.name();
    if attr.target.get_ident() != Some(&ir.item.ident) {
        let help = format!("`#[parent({own}, tree(depth = 12))]`");
        cx.push(diag::tree(
            &attr.target,
            owner,
            "is in a tree of another model",
            &help,
        ));
    } else if types::option_inner(&row.field.ty).is_none() {
        let help = format!("`Option<{}>`", diag::type_text(&row.field.ty));
        cx.push(diag::tree(
            &row.field.ty,
            owner,
            "refers to a parent in a tree, whose root has none",
            &help,
        ));
    } else if let Some((problem, help)) = conflicting_option(row, attr) {
        cx.push(diag::tree(&attr.site, owner, problem, help));
    }
    if let Some(depth) = tree
        .depth
        .as_ref()
        .filter(|depth| !(1..=DEPTH_MAX).contains(&depth.value))
    {
        let problem = format!("has trees of a depth of {}", depth.value);
        cx.push(diag::tree(
            &depth.tokens,
            owner,
            &problem,
            "the largest number of ancestors, from 1 to 100: `tree(depth = 12)`",
        ));
    }
}

/// The part of the reference that contradicts the tree.
fn conflicting_option(row: &Row<'_>, attr: &ParentAttr) -> Option<(&'static str, &'static str)> {
    let by_id = "the `_id` of the parent: `Option<Id<..>>`, without `key`, `inverse`, `with` and copies in an entry";
    if !matches!(attr.on_delete, OnDelete::Deny | OnDelete::Cascade) {
        let help = "`on_delete = deny`, or `on_delete = cascade` for a delete of whole subtrees";
        return Some(("would leave a document in a tree without its parent", help));
    }
    let plain = attr.key.is_none() && attr.inverse.is_none() && row.entry().is_none();
    if !plain || row.has_functions() {
        return Some((
            "holds more or something else than the id of the parent in a tree",
            by_id,
        ));
    }
    let unchecked = matches!(attr.check, Check::Unchecked(_));
    unchecked.then_some((
        "is not checked, and a tree needs the parent of each document",
        "remove `unchecked`",
    ))
}

fn check_path(above: &Row<'_>, path: &Row<'_>, cx: &Ctxt) {
    cx.set_place(path.place());
    let others = [
        Attr::Embed,
        Attr::Opaque,
        Attr::Volatile,
        Attr::Created,
        Attr::Updated,
        Attr::Immutable,
        Attr::Check,
    ];
    let role = (!matches!(path.role, Role::Own)).then_some("another role");
    if let Some(other) = role.or_else(|| path.first_of(&others)) {
        let problem = format!("holds the ancestors in a tree, and has `{other}`");
        cx.push(diag::tree(
            &path.field.ident,
            path.owner(),
            &problem,
            "remove it: `#[ancestors]` alone says all",
        ));
        return;
    }
    let id = types::option_inner(&above.field.ty).map(|ty| ty.to_token_stream().to_string());
    let element = types::array_element(&path.field.ty).map(|ty| ty.to_token_stream().to_string());
    if id.is_some() && (element != id || !path.is_vec() || path.has_functions()) {
        let problem = format!(
            "holds the ancestors in a tree, but its type is `{}`",
            diag::type_text(&path.field.ty)
        );
        let id = types::option_inner(&above.field.ty).map(diag::type_text);
        let help = format!(
            "`Vec<{}>`, the ids as the parent is referred to",
            id.unwrap_or_default()
        );
        cx.push(diag::tree(&path.field.ty, path.owner(), &problem, &help));
    }
}
