//! Rules on `new = NewIssue`.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::Ir;
use crate::syntax::Body;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let item = ir.item;
    let Some(new) = &item.attrs.new else {
        return;
    };
    let owner = ir.name();
    cx.set_place(0);
    if new == &item.ident {
        cx.push(diag::new_is_the_model(new, &owner));
    } else if item.attrs.bucket.is_some() {
        cx.push(diag::new_of(
            new,
            &owner,
            "is a bucket",
            "remove it: a push makes the buckets",
        ));
    } else if matches!(item.body, Body::Enum(_)) {
        cx.push(diag::new_of(
            new,
            &owner,
            "is an enum",
            "remove it: each variant has its own fields",
        ));
    }
}
