//! `#[refs(Member, inverse = clubs)]`: the methods that add, remove and replace elements, `add_member`, `add_members`, `replace_members`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::tenant;
use crate::ir::{Ir, Row};
use crate::names;

pub(crate) fn expand_methods(ir: &Ir<'_>, row: &Row<'_>) -> Option<TokenStream> {
    let (target, inverse) = (row.target()?, names::unraw(row.inverse()?));
    let (krate, model, name) = (ir.krate(), &ir.item.ident, &row.field.ident);
    let other = quote!(<#target as __rt::Model>::DocumentId);
    // Elements are added as their array holds them: as ids, or as memberships.
    let (element, members) = match row.member() {
        None => (other.clone(), None),
        Some(element) => (quote!(#element), Some(element)),
    };
    let make = |ids: TokenStream, memberships: TokenStream| match members {
        None => quote!(#ids::<#target, __I>),
        Some(element) => quote!(#memberships::<#element, __I>),
    };
    let (add, replace) = (
        make(quote!(add), quote!(add_members)),
        make(quote!(replace), quote!(replace_members)),
    );
    let remove = quote!(remove::<#target, __I>);
    let references = quote!(__rt::Probe::<#target>::REFERENCES, #inverse);
    let added = quote!(#krate::field::IntoArg<#element> + __rt::check::Added<{ __rt::check::addable(#references) }>);
    let removed = quote!(#krate::field::IntoArg<#other> + __rt::check::Removed<{ __rt::check::removable(#references) }>);
    let several = quote!(__rt::check::Replaced<{ __rt::check::replaceable(#references) }>);

    let method = |name, doc, given, bounds, make| {
        let method = Method {
            name,
            doc,
            given,
            bounds,
            make,
        };
        method.expand(ir, row)
    };
    let one = |verb, doc, bounds: &TokenStream, make: &TokenStream| {
        let name = names::element_method(verb, name);
        method(name, doc, Given::One, bounds.clone(), make.clone())
    };
    let all = |verb, doc, bounds: &TokenStream, make: &TokenStream| {
        let (name, bounds) = (
            names::relation_method(verb, name),
            quote!(#bounds + #several),
        );
        method(name, doc, Given::Several, bounds, make.clone())
    };
    // A field that is no English plural has one name for both.
    let has_plural = names::element_method("add", name) != names::relation_method("add", name);
    let mut methods = vec![
        one("add", "Adds one to", &added, &add),
        one("remove", "Takes one out of", &removed, &remove),
        all("replace", "Makes these the", &added, &replace),
    ];
    if has_plural {
        methods.push(all("add", "Adds these to", &added, &add));
        methods.push(all("remove", "Takes these out of", &removed, &remove));
    }
    Some(quote! {
        impl #model where for<'__any> #target: __rt::Model {
            #(#methods)*
        }
    })
}

/// The elements that a method takes.
enum Given {
    One,
    Several,
}

struct Method<'d> {
    name: Ident,
    doc: &'d str,
    given: Given,
    /// The bounds on the type of an element.
    bounds: TokenStream,
    /// The function of `Related`.
    make: TokenStream,
}

impl Method<'_> {
    fn expand(self, ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
        let Method {
            name, bounds, make, ..
        } = self;
        let (krate, model, vis) = (ir.krate(), &ir.item.ident, &row.field.vis);
        let (owner, field) = (ir.name(), row.field.rust());
        let doc = format!(
            "{} `{field}` of the `{owner}` with this `_id`; the other side of the reference follows, whatever stops half way.",
            self.doc
        );
        let (parameter, given) = match self.given {
            Given::One => (quote!(other: __I), quote!([other])),
            Given::Several => (
                quote!(others: impl ::core::iter::IntoIterator<Item = __I>),
                quote!(others),
            ),
        };
        let make = quote!(#krate::denorm::Related::#make(db, id.into_arg(), #field, #given));
        let (handle, make) = tenant::reach(ir, &quote!(db), &make);
        quote! {
            #[doc = #doc]
            #vis fn #name<'a, __I>(
                db: &'a #handle,
                id: impl #krate::field::IntoArg<<#model as __rt::Model>::DocumentId>,
                #parameter
            ) -> #krate::denorm::Related<'a, #model>
            where __I: #bounds {
                #make
            }
        }
    }
}
