//! Rules on `schema_version` and `migrate`.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::Ir;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    cx.set_place(0);
    let (owner, attrs) = (ir.name(), &ir.item.attrs);
    match (&attrs.schema_version, &attrs.migrate) {
        (Some(version), _) if i32::try_from(version.value).is_err() || version.value == 0 => {
            cx.push(diag::schema_version_range(&version.tokens, &owner));
        }
        (Some(version), Some(migrate)) if version.value == 1 => {
            cx.push(diag::migrate_first(migrate, &owner));
        }
        (None, Some(migrate)) if !attrs.schema_unclear => {
            cx.push(diag::migrate_alone(migrate, &owner));
        }
        _ => {}
    }
    let Some(unversioned) = &attrs.unversioned else {
        return;
    };
    let known = attrs.schema_version.as_ref();
    let known = known.map(|version| version.value);
    let within = |known: u64| (1..=known).contains(&unversioned.value);
    if !known.is_some_and(within) && !attrs.schema_unclear {
        cx.push(diag::unversioned_range(&unversioned.tokens, &owner, known));
    }
}
