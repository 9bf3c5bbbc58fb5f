//! Rules on `queue(..)`, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names::unraw;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let Some(queue) = &ir.item.attrs.queue else {
        return;
    };
    cx.set_place(0);
    let owner = ir.name();
    for (option, name) in [("priority", &queue.priority), ("order", &queue.order)] {
        let Some(name) = name else { continue };
        if ir.addressable(name).is_none() {
            let fields = ir.fields().filter(|row| row.is_addressable());
            let names: Vec<String> = fields.map(Row::rust).collect();
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
