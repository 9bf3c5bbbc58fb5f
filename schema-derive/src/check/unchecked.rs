//! `unchecked` where it says nothing, or where copies need what it would leave out.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Reference, is_map, reference_of, siblings};
use crate::syntax::{Check, DenormAttr, Field, Item, Level};

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    for field in item.body.fields() {
        let refs = field.attrs.refs.as_ref().map(|refs| &refs.check);
        let parent = field.attrs.parent.as_ref().map(|parent| &parent.check);
        let Some(Check::Unchecked(site)) = refs.or(parent) else {
            continue;
        };
        cx.set_place(field.place);
        if refs.is_some() && is_map(field) {
            cx.push(diag::unchecked_map(site, &field.owner));
        } else if let Some(copy) = marked_copy(item, field) {
            let copied = copy.fields.first().map(|path| crate::names::dotted(path));
            let copied = copied.unwrap_or_default();
            cx.push(diag::unchecked_copy(site, &field.owner, &copied));
        }
    }
}

/// The first copy that hangs on a reference and carries a mark until it has been compared with its source.
fn marked_copy<'i>(item: &'i Item, reference: &'i Field) -> Option<&'i DenormAttr> {
    let marked = |copy: &&DenormAttr| !copy.snapshot && copy.level != Level::FireAndForget;
    if let Some(own) = reference.attrs.denorm.iter().find(marked) {
        return Some(own);
    }
    let fields = siblings(item, reference).into_iter();
    let beside = fields.filter(|field| field.place != reference.place);
    let copies = beside.flat_map(|field| field.attrs.denorm.iter().map(move |copy| (field, copy)));
    let hangs = |(field, copy): &(&Field, &DenormAttr)| match reference_of(item, field, copy) {
        Some(Reference::Beside(found)) => found.place == reference.place,
        Some(Reference::Entry) | None => false,
    };
    copies
        .filter(|(_, copy)| marked(copy))
        .find(|found| hangs(found))
        .map(|(_, copy)| copy)
}
