//! Rules on `unchecked`: where it has no effect, or where copies need the check that it leaves out.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Role, Row};
use crate::names;
use crate::syntax::{Check, DenormAttr, Level};

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        let (check, refs) = match &row.role {
            Role::Refs { attr, .. } => (&attr.check, true),
            Role::Parent { attr, .. } => (&attr.check, false),
            _ => continue,
        };
        let Check::Unchecked(site) = check else {
            continue;
        };
        cx.set_place(row.place());
        if refs && row.is_map() {
            cx.push(diag::unchecked_map(site, row.owner()));
        } else if let Some(copy) = marked_copy(ir, row) {
            let copied = copy.fields.first().map(|path| names::dotted(path));
            let copied = copied.unwrap_or_default();
            cx.push(diag::unchecked_copy(site, row.owner(), &copied));
        }
    }
}

/// The first copy that hangs on a reference and carries a mark until it has been compared with its source.
fn marked_copy<'i>(ir: &'i Ir<'_>, reference: &'i Row<'_>) -> Option<&'i DenormAttr> {
    let marked = |copy: &&DenormAttr| !copy.snapshot && copy.level != Level::FireAndForget;
    if let Some(own) = reference.copies().iter().find(marked) {
        return Some(own);
    }
    let beside = ir.fields().filter_map(|row| match row.role {
        Role::Copy { attr, via } if via.place == reference.place() => Some(attr),
        _ => None,
    });
    beside.into_iter().find(marked)
}
