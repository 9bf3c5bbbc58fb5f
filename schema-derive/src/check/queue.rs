//! Rules on `queue(..)`, as far as the struct shows them.

use proc_macro2::Ident;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{Field, Item};

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    let Some(queue) = &item.attrs.queue else {
        return;
    };
    cx.set_place(0);
    let owner = unraw(&item.ident);
    for (option, name) in [("priority", &queue.priority), ("order", &queue.order)] {
        let Some(name) = name else { continue };
        if field(item, name).is_none() {
            let stored = item
                .body
                .fields()
                .into_iter()
                .filter(|field| is_stored(field));
            let names: Vec<String> = stored.map(Field::rust).collect();
            cx.push(diag::queue_field(name, option, &owner, &names));
        }
    }
    if let (Some(priority), Some(order)) = (&queue.priority, &queue.order)
        && unraw(priority) == unraw(order)
    {
        cx.push(diag::queue_twice(order, &owner));
    }
    if let Some(max) = &queue.max_attempts
        && !(1..=u64::from(u32::MAX)).contains(&max.value)
    {
        cx.push(diag::queue_attempts(&max.tokens, &owner));
    }
}

/// The field of this name, if an index can contain it.
pub(crate) fn field<'a>(item: &'a Item, name: &Ident) -> Option<&'a Field> {
    let mut fields = item.body.fields().into_iter();
    fields.find(|field| field.rust() == unraw(name) && is_stored(field))
}

fn is_stored(field: &Field) -> bool {
    field.serde.skip.is_none() && field.serde.flatten.is_none()
}
