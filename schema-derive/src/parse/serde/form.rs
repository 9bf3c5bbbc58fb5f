//! The name of the function that writes the values of a field: references are compared by it with the `_id` that they refer to.

use quote::ToTokens;
use syn::{ExprPath, GenericArgument, PathArguments, PathSegment, Type};

use crate::types;

/// The name of the function that writes one value inside the arrays and options of `ty`; empty where the value's own type does.
/// `serde_with::As<Vec<F>>` on a `Vec<Uuid>` writes each value as `F` does. A function that takes the whole array may store
/// anything: its name is not that of any function of one value.
pub(crate) fn name_form(function: &ExprPath, ty: &Type) -> String {
    let mut segments: Vec<&PathSegment> = function.path.segments.iter().collect();
    if segments
        .last()
        .is_some_and(|last| last.ident == "serialize")
    {
        segments.pop();
    }
    let Some(mut wrapped) = segments.last().and_then(|last| argument(last, "As")) else {
        return name_path(segments.into_iter().map(text), ty);
    };
    let mut ty = types::peel(ty);
    while types::map_value(ty).is_none()
        && let Some(deeper) = types::inner(ty)
        && let Type::Path(path) = wrapped
        && let Some(last) = path.path.segments.last()
        && let Some(outer) = types::last_ident(ty)
        && let Some(argument) = argument(last, &outer.to_string())
    {
        (wrapped, ty) = (argument, types::peel(deeper));
    }
    match wrapped {
        Type::Infer(_) => String::new(),
        Type::Path(path) => match path.path.segments.last() {
            Some(last) if last.ident == "Same" => String::new(),
            _ => name_path(path.path.segments.iter().map(text), ty),
        },
        other => name_path(std::iter::once(other.to_token_stream().to_string()), ty),
    }
}

/// The path without what differs from module to module.
fn name_path(segments: impl Iterator<Item = String>, ty: &Type) -> String {
    let relative = |segment: &String| matches!(segment.as_str(), "crate" | "self" | "super");
    let path: Vec<String> = segments.skip_while(relative).collect();
    let path = path.join("::");
    if types::inner(types::peel(ty)).is_none() {
        return path;
    }
    format!("{path} of {}", text(ty))
}

/// `T` of `As<T>`.
fn argument<'a>(segment: &'a PathSegment, name: &str) -> Option<&'a Type> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else {
        return None;
    };
    match list.args.first()? {
        GenericArgument::Type(ty) if segment.ident == name => Some(ty),
        _ => None,
    }
}

fn text(tokens: impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}
