//! Rules on `events(..)`, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::Ir;
use crate::names::unraw;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let attrs = &ir.item.attrs;
    let Some(events) = &attrs.events else {
        return;
    };
    cx.set_place(0);
    let owner = ir.name();
    if attrs.bucket.is_some() {
        cx.push(diag::events_bucket(&events.event, &owner));
    }
    for (n, reader) in events.readers.iter().enumerate() {
        let mut before = events.readers[..n].iter();
        if before.any(|other| unraw(other) == unraw(reader)) {
            cx.push(diag::reader_twice(reader, &owner));
        }
    }
}
