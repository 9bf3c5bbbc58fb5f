//! What the one side keeps of its children, and two-way references: their rows, and the methods that change or rebuild them.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Ir, Role, Row};
use crate::names;
use crate::types;

/// `DerivedRow { .. }`, for a field that follows from its children.
pub(crate) fn row(row: &Row<'_>) -> Option<TokenStream> {
    let child = row.child()?;
    let (via, what) = match &row.role {
        Role::Recent {
            attr: Some(attr), ..
        } => {
            let sort = attr.sort.as_ref()?;
            let (field, descending) = (names::unraw(&sort.field), sort.descending);
            let max = attr.max.as_ref().map_or(0, |max| max.value);
            let fields = attr.fields.iter().map(names::unraw);
            let what =
                quote!(Recent { max: #max, sort: (#field, #descending), fields: &[#(#fields),*] });
            (attr.via.as_ref(), what)
        }
        Role::Count(attr) => (attr.via.as_ref(), quote!(Count)),
        _ => return None,
    };
    let via = match via.map(names::unraw) {
        Some(via) => quote!(::core::option::Option::Some(#via)),
        None => quote!(::core::option::Option::None),
    };
    Some(
        quote!(__rt::DerivedRow { child: __rt::Probe::<#child>::TABLES, via: #via, what: __rt::Derived::#what }),
    )
}

/// `reassign_owner`, `add_tasks`, `rebuild_logmsgs`, ..
pub(crate) fn methods(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() {
        return TokenStream::new();
    }
    ir.rows
        .iter()
        .filter_map(|row| match (&row.role, row.inverse()) {
            (Role::Parent { .. }, Some(_)) => Some(reassign(ir, row)),
            (Role::Refs { .. }, Some(_)) => Some(related(ir, row)),
            (Role::Recent { .. } | Role::Count(_), _) => Some(rebuild(ir, row)),
            _ => None,
        })
        .collect()
}

/// Of a `parent` with an inverse: another one.
fn reassign(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let Some(target) = row.target() else {
        return TokenStream::new();
    };
    let (krate, model, vis) = (ir.krate(), &ir.item.ident, &row.field.vis);
    let (field, method) = (row.field.rust(), names::asked("reassign", &row.field.ident));
    let id = quote!(<#target as __rt::MongoModel>::Id);
    let to = if types::option_inner(&row.field.ty).is_some() {
        quote!(::core::option::Option<#id>)
    } else {
        id
    };
    let doc = format!(
        "Gives the `{}` with this `_id` another `{field}`: both sides of the reference follow, whatever stops half way.",
        ir.name()
    );
    quote! {
        impl #model where for<'__any> #target: __rt::MongoModel {
        #[doc = #doc]
        #vis fn #method<'a>(db: &'a #krate::Database, id: impl #krate::field::IntoArg<<#model as __rt::MongoModel>::Id>, to: impl #krate::field::IntoArg<#to>) -> #krate::denorm::Reassign<'a, #model> {
            #krate::denorm::Reassign::new(db, id.into_arg(), #field, &#krate::field::IntoArg::<#to>::into_arg(to))
        }
        }
    }
}

/// Of `refs` with an inverse: one more, one less, others.
fn related(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let Some(target) = row.target() else {
        return TokenStream::new();
    };
    let (krate, model, vis) = (ir.krate(), &ir.item.ident, &row.field.vis);
    let field = row.field.rust();
    let (add, remove, replace) = (
        names::asked("add", &row.field.ident),
        names::asked("remove", &row.field.ident),
        names::asked("replace", &row.field.ident),
    );
    let tail = format!(
        "of the `{}` with this `_id`; the other side of the reference follows, whatever stops half way.",
        ir.name()
    );
    let add_doc = format!("Adds one to `{field}` {tail}");
    let remove_doc = format!("Takes one out of `{field}` {tail}");
    let replace_doc = format!("Makes these the `{field}` {tail}");
    let (own, other) = (
        quote!(<#model as __rt::MongoModel>::Id),
        quote!(<#target as __rt::MongoModel>::Id),
    );
    quote! {
        impl #model where for<'__any> #target: __rt::MongoModel {
        #[doc = #add_doc]
        #vis fn #add<'a>(db: &'a #krate::Database, id: impl #krate::field::IntoArg<#own>, other: impl #krate::field::IntoArg<#other>) -> #krate::denorm::Related<'a, #model> {
            #krate::denorm::Related::add::<#target>(db, id.into_arg(), #field, &other.into_arg())
        }
        #[doc = #remove_doc]
        #vis fn #remove<'a>(db: &'a #krate::Database, id: impl #krate::field::IntoArg<#own>, other: impl #krate::field::IntoArg<#other>) -> #krate::denorm::Related<'a, #model> {
            #krate::denorm::Related::remove::<#target>(db, id.into_arg(), #field, &other.into_arg())
        }
        #[doc = #replace_doc]
        #vis fn #replace<'a, __I: #krate::field::IntoArg<#other>>(db: &'a #krate::Database, id: impl #krate::field::IntoArg<#own>, others: impl ::core::iter::IntoIterator<Item = __I>) -> #krate::denorm::Related<'a, #model> {
            #krate::denorm::Related::replace::<#target, __I>(db, id.into_arg(), #field, others)
        }
        }
    }
}

/// Of a list of the last children, or of their number: from what is there.
fn rebuild(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let Some(child) = row.child() else {
        return TokenStream::new();
    };
    let (krate, model, vis) = (ir.krate(), &ir.item.ident, &row.field.vis);
    let (verb, builder) = match &row.role {
        Role::Count(_) => ("recount", quote!(Recount)),
        _ => ("rebuild", quote!(Rebuild)),
    };
    let (field, method) = (row.field.rust(), names::asked(verb, &row.field.ident));
    let doc = format!(
        "Makes `{field}` of the `{}` with this `_id` what the `{}` documents that refer to it say.",
        ir.name(),
        child
            .segments
            .last()
            .map(|last| last.ident.to_string())
            .unwrap_or_default(),
    );
    quote! {
        impl #model {
        #[doc = #doc]
        #vis fn #method<'a>(db: &'a #krate::Database, id: impl #krate::field::IntoArg<<#model as __rt::MongoModel>::Id>) -> #krate::denorm::#builder<'a, #model> {
            #krate::denorm::#builder::new(db, id.into_arg(), #field)
        }
        }
    }
}
