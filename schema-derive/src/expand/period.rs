//! `#[period(..)]`: its row, and the model's methods.

use proc_macro2::TokenStream;
use quote::quote;

use super::tenant;
use super::tokens::with_driver;
use crate::ir::{Ir, Row};
use crate::syntax::Per;

/// `PeriodRow { .. }`, for the `_id` of a document that stands for a period.
pub(super) fn expand_row(ir: &Ir<'_>, row: &Row<'_>) -> Option<TokenStream> {
    let (period, parent) = ir.period().filter(|_| row.is_id)?;
    let (parent, per, zone) = (parent?, period.per?, period.zone.as_ref()?);
    let per = match per {
        Per::Hour => quote!(Hour),
        Per::Day => quote!(Day),
        Per::Week => quote!(Week),
        Per::Month => quote!(Month),
    };
    Some(quote!(__rt::PeriodRow {
        parent: __rt::Probe::<#parent>::TABLES, per: __rt::Per::#per, zone: #zone
    }))
}

/// `range`
pub(super) fn expand(ir: &Ir<'_>) -> TokenStream {
    let Some((_, Some(parent))) = ir.period().filter(|_| !ir.failed) else {
        return TokenStream::new();
    };
    let (krate, model, vis) = (ir.krate(), &ir.item.ident, &ir.item.vis);
    let doc = format!(
        "The `{}`s of this parent from one moment to another, in order: one for each period that has a part of that time, with zeros where nothing is stored.",
        ir.name()
    );
    let make = quote!(#krate::crud::PeriodRange::new(db, parent.into_arg(), time));
    let (handle, make) = tenant::reach(ir, &quote!(db), &make);
    let checks = tenant::period(ir, parent);
    let methods = with_driver(|| {
        quote! {
            impl #model {
            #[doc = #doc]
            #vis fn range<'a>(db: &'a #handle, parent: impl #krate::field::IntoArg<<#parent as __rt::Model>::DocumentId>, time: ::core::ops::Range<__rt::DateTime>) -> #krate::crud::PeriodRange<'a, #model> {
                #make
            }
            }
        }
    });
    quote! {
        impl __rt::Periodic for #model {
            type Parent = #parent;
        }
        #checks
        #methods
    }
}
