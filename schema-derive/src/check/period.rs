//! Rules on `#[period(..)]`, as far as the struct shows them.

use syn::LitStr;

use crate::ctxt::Ctxt;
use crate::diag::{self, Diag};
use crate::ir::{Fixed, Ir, Role, Row};
use crate::syntax::PeriodAttr;
use crate::types;

/// The time zones of the IANA database, which the server has.
static ZONES: &str = include_str!("period/zones.txt");

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        if let Some(period) = row.period() {
            cx.set_place(row.place());
            check_id(ir, row, period, cx);
        }
    }
    if ir.id().is_some_and(|id| id.is_broken("period")) {
        return;
    }
    let in_period = ir.period().is_some();
    for row in ir.fields().filter(|row| row.is_stored()) {
        cx.set_place(row.place());
        match &row.role {
            Role::Count(number) => match &number.at {
                Some(at) if !in_period => cx.push(diag::period_at(at, row.owner(), &ir.name())),
                _ if !in_period => {}
                _ if number.max.is_some() => {
                    cx.push(diag::period_bound(&number.site, row.owner()));
                }
                None => cx.push(diag::period_no_at(&number.site, number, row.owner())),
                Some(_) => {}
            },
            _ if in_period && !row.is_stored_as_id() && !is_tenant(row) => {
                cx.push(diag::period_other_field(&row.field.ident, row.owner()));
            }
            _ => {}
        }
    }
    if in_period && ir.item.attrs.queue.is_some() {
        cx.set_place(0);
        cx.push(diag::period_queue(&ir.item.ident, &ir.name()));
    }
}

/// True for the tenant, which the document has from its parent.
fn is_tenant(row: &Row<'_>) -> bool {
    row.fixed_site(Fixed::Tenant).is_some()
}

/// Checks the field with the attribute.
fn check_id(ir: &Ir<'_>, row: &Row<'_>, period: &PeriodAttr, cx: &Ctxt) {
    let is_id = ir.is_model() && row.is_id && matches!(row.role, Role::Id);
    if !is_id {
        cx.push(diag::period_place(&period.site, row.owner()));
    } else if types::argument(&row.field.ty, "Period").is_none() {
        cx.push(diag::period_type(&row.field.ty, row.owner()));
    }
    if let Some(error) = period
        .zone
        .as_ref()
        .and_then(|zone| zone_error(zone, Some(row.owner())))
    {
        cx.push(error);
    }
}

/// The error for a zone that no database has.
pub(crate) fn zone_error(zone: &LitStr, owner: Option<&str>) -> Option<Diag> {
    let known: Vec<&str> = ZONES.split_whitespace().collect();
    let is_known = known.contains(&zone.value().as_str());
    (!is_known).then(|| diag::period_zone(zone, owner, &known))
}
