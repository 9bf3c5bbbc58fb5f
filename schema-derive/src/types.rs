//! A field's type as written. An alias hides its target here: the runtime's `Value` is the authority, and this module is
//! for better messages and for facts that no trait can show.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Lifetime, PathArguments, Type, TypePath};

/// Time types whose serde form is not a BSON date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Date {
    /// `chrono::DateTime<Utc>`
    ChronoUtc,
    /// `chrono::DateTime` of another time zone.
    ChronoZone,
    /// `chrono::NaiveDate` and its like.
    Naive,
    /// `time::OffsetDateTime`
    Offset,
    /// The other types of `time`.
    Time,
    /// `jiff::Timestamp`
    JiffTimestamp,
    /// The other types of `jiff`.
    Jiff,
    System,
    Duration,
}

/// The type without what serde writes through: references, `Box`, `Rc`, `Arc`, `Cow`.
pub(crate) fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        Type::Reference(reference) => peel(&reference.elem),
        Type::Path(path) => match named(path, &["Box", "Rc", "Arc", "Cow"]) {
            Some(args) => args.last().map_or(ty, |inner| peel(inner)),
            None => ty,
        },
        _ => ty,
    }
}

/// The type arguments, if the path ends in one of `names`.
fn named<'a>(path: &'a TypePath, names: &[&str]) -> Option<Vec<&'a Type>> {
    let last = path.path.segments.last()?;
    // Without arguments it is none of them. An identifier is compared as text that is made anew each time.
    if path.qself.is_some() || last.arguments.is_none() {
        return None;
    }
    let ident = last.ident.to_string();
    if !names.contains(&ident.as_str()) {
        return None;
    }
    Some(type_args(&last.arguments))
}

fn type_args(arguments: &PathArguments) -> Vec<&Type> {
    match arguments {
        PathArguments::AngleBracketed(list) => list
            .args
            .iter()
            .filter_map(|arg| match arg {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// `T` of `Option<T>`
pub(crate) fn option_inner(ty: &Type) -> Option<&Type> {
    match peel(ty) {
        Type::Path(path) => named(path, &["Option"])?.first().copied(),
        _ => None,
    }
}

/// `Host` of `BucketId<Host>`, where that is the type's name.
pub(crate) fn argument<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    match peel(ty) {
        Type::Path(path) => named(path, &[name])?.first().copied(),
        _ => None,
    }
}

/// The element of an array or set that can grow.
pub(crate) fn array_element(ty: &Type) -> Option<&Type> {
    match peel(ty) {
        Type::Slice(slice) => Some(&slice.elem),
        Type::Path(path) => named(
            path,
            &[
                "Vec",
                "VecDeque",
                "LinkedList",
                "HashSet",
                "BTreeSet",
                "IndexSet",
            ],
        )?
        .first()
        .copied(),
        _ => None,
    }
}

/// Key and value of a map.
pub(crate) fn map_value(ty: &Type) -> Option<(&Type, &Type)> {
    match peel(ty) {
        Type::Path(path) => match named(path, &["HashMap", "BTreeMap", "IndexMap"])?.as_slice() {
            [key, value, ..] => Some((key, value)),
            _ => None,
        },
        _ => None,
    }
}

/// True if it is stored as an array, of any length.
pub(crate) fn stored_as_array(ty: &Type) -> bool {
    array_element(ty).is_some() || matches!(peel(ty), Type::Array(_) | Type::Tuple(_))
}

/// The type stored inside an `Option`, array or map, one level down.
pub(crate) fn inner(ty: &Type) -> Option<&Type> {
    let fixed = match peel(ty) {
        Type::Array(array) => Some(&*array.elem),
        _ => None,
    };
    fixed
        .or_else(|| option_inner(ty))
        .or_else(|| array_element(ty))
        .or_else(|| map_value(ty).map(|(_, value)| value))
}

/// The value inside all `Option`s, arrays and maps.
pub(crate) fn leaf(ty: &Type) -> &Type {
    let mut ty = peel(ty);
    while let Some(deeper) = inner(ty) {
        ty = peel(deeper);
    }
    ty
}

/// The last identifier of a path: `Uuid` of `bson::Uuid`.
pub(crate) fn last_ident(ty: &Type) -> Option<&Ident> {
    match peel(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// A type that is one identifier, without path and generics.
pub(crate) fn plain_ident(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Group(group) => plain_ident(&group.elem),
        Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

/// True if a value of type `ty` holds a value of the type `ident` that is being derived. An `Id<ident>` holds none.
pub(crate) fn embeds(ty: &Type, ident: &Ident) -> bool {
    match ty {
        Type::Group(group) => embeds(&group.elem, ident),
        Type::Paren(paren) => embeds(&paren.elem, ident),
        Type::Reference(reference) => embeds(&reference.elem, ident),
        Type::Slice(slice) => embeds(&slice.elem, ident),
        Type::Array(array) => embeds(&array.elem, ident),
        Type::Tuple(tuple) => tuple.elems.iter().any(|elem| embeds(elem, ident)),
        Type::Path(path) => {
            let segments = &path.path.segments;
            let Some(last) = segments.last() else {
                return false;
            };
            if last.ident == "Id" || last.ident == "PhantomData" {
                return false;
            }
            let here = segments.len() == 1 || (segments.len() == 2 && segments[0].ident == "self");
            (here && (last.ident == *ident || last.ident == "Self"))
                || type_args(&last.arguments)
                    .into_iter()
                    .any(|arg| embeds(arg, ident))
        }
        _ => false,
    }
}

const SCALARS: &[&str] = &[
    "bool",
    "char",
    "i8",
    "i16",
    "i32",
    "i64",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "usize",
    "f32",
    "f64",
    "String",
    "str",
    "ObjectId",
    "DateTime",
    "Decimal128",
    "Binary",
    "Uuid",
    "Timestamp",
    "Bson",
    "Document",
];

/// A type that can be named from everywhere: scalars, and `Option`s, arrays and maps of them.
pub(crate) fn well_known(ty: &Type) -> bool {
    if let Some((key, value)) = map_value(ty) {
        return well_known(key) && well_known(value);
    }
    match inner(ty) {
        Some(inner) => well_known(inner),
        None => scalar(ty),
    }
}

/// A single value of a type that BSON has.
pub(crate) fn scalar(ty: &Type) -> bool {
    match peel(ty) {
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return false;
            };
            path.qself.is_none()
                && last.arguments.is_none()
                && SCALARS.contains(&last.ident.to_string().as_str())
        }
        _ => false,
    }
}

/// A number, a string or an id, or one that may be absent: under its own name, which only a type of the user's could hide.
pub(crate) fn plain(ty: &Type) -> bool {
    let Type::Path(TypePath {
        qself: None, path, ..
    }) = ty
    else {
        return false;
    };
    let Some(last) = path.segments.last() else {
        return false;
    };
    let name = last.ident.to_string();
    if !last.arguments.is_none() {
        let args = type_args(&last.arguments);
        return name == "Option"
            && path.segments.len() == 1
            && args.len() == 1
            && last_ident(args[0]).is_some_and(|ident| ident != "Option")
            && plain(args[0]);
    }
    match path.segments.len() {
        1 => PLAIN.contains(&name.as_str()),
        _ => (name == "ObjectId" || name == "DateTime") && path.segments[0].ident == "bson",
    }
}

const PLAIN: &[&str] = &[
    "bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64",
    "String", "ObjectId",
];

/// True if an id is certainly one value: a known type, or an `Id<..>` of one.
pub(crate) fn scalar_id(ty: &Type) -> bool {
    if scalar(ty) {
        return true;
    }
    let Type::Path(path) = peel(ty) else {
        return false;
    };
    match named(path, &["Id"]).as_deref() {
        Some([_]) => true,
        Some([_, raw]) => scalar(raw),
        _ => false,
    }
}

/// True if the type is certainly not the user's own, so that no derive can be put on it.
pub(crate) fn foreign(ty: &Type) -> bool {
    match peel(ty) {
        Type::Path(path) => {
            let path = &path.path;
            path.leading_colon.is_some()
                || path
                    .get_ident()
                    .is_some_and(|ident| ident == "i128" || ident == "u128")
                || path.segments.len() > 1
                    && ["std", "core", "alloc"]
                        .iter()
                        .any(|root| path.segments[0].ident == root)
        }
        _ => true,
    }
}

/// True if the type is, or holds, one of these.
pub(crate) fn leaf_is(ty: &Type, names: &[&str]) -> bool {
    plain_ident(leaf(ty)).is_some_and(|ident| names.contains(&ident.to_string().as_str()))
}

/// Bytes that serde writes as an array of integers: the type at whatever depth it stands.
pub(crate) fn bytes(ty: &Type) -> Option<&Type> {
    let here = match peel(ty) {
        Type::Slice(slice) => Some(&*slice.elem),
        Type::Array(array) => Some(&*array.elem),
        Type::Path(path) => named(path, &["Vec"]).and_then(|args| args.first().copied()),
        _ => None,
    };
    match here.and_then(plain_ident) {
        Some(ident) if ident == "u8" => Some(ty),
        _ => bytes(inner(ty)?),
    }
}

/// `uuid::Uuid`, at any depth. A bare `Uuid` may be `bson::Uuid`: the traits decide.
pub(crate) fn is_uuid_crate(ty: &Type) -> bool {
    match leaf(ty) {
        Type::Path(path) => names(path) == ["uuid", "Uuid"],
        _ => false,
    }
}

/// `rust_decimal::Decimal`, at any depth. A bare `Decimal` may be another type: the traits decide.
pub(crate) fn is_decimal_crate(ty: &Type) -> bool {
    match leaf(ty) {
        Type::Path(path) => names(path) == ["rust_decimal", "Decimal"],
        _ => false,
    }
}

/// Text or bytes that are borrowed: `&str`, `&[u8]`, or an `Option` of one.
pub(crate) fn borrows(ty: &Type) -> bool {
    let inner = match ty {
        Type::Path(path) => named(path, &["Option"]).and_then(|args| args.first().copied()),
        ty => Some(ty),
    };
    let Some(Type::Reference(reference)) = inner else {
        return false;
    };
    match &*reference.elem {
        Type::Slice(slice) => last_ident(&slice.elem).is_some_and(|ident| ident == "u8"),
        elem => last_ident(elem).is_some_and(|ident| ident == "str"),
    }
}

/// True if the type is written with this lifetime.
pub(crate) fn mentions(ty: &Type, lifetime: &Lifetime) -> bool {
    fn within(tokens: TokenStream, name: &Ident) -> bool {
        let mut quoted = false;
        tokens.into_iter().any(|token| {
            let tick = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            let after_tick = std::mem::replace(&mut quoted, tick);
            match token {
                TokenTree::Ident(ident) => after_tick && ident == *name,
                TokenTree::Group(group) => within(group.stream(), name),
                _ => false,
            }
        })
    }
    within(ty.to_token_stream(), &lifetime.ident)
}

fn names(path: &TypePath) -> Vec<String> {
    path.path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect()
}

/// The time type, inside whatever, that serde does not write as a BSON date. A bare `DateTime` is `bson`'s; a bare
/// `Duration` or `Date` may be the user's own: the traits decide.
pub(crate) fn date(ty: &Type) -> Option<Date> {
    let Type::Path(path) = leaf(ty) else {
        return None;
    };
    let names = names(path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (last, before) = names.split_last()?;
    let last_segment = path.path.segments.last()?;
    match (before, *last) {
        ([] | ["chrono", ..], "DateTime") if !last_segment.arguments.is_none() => {
            let zone = type_args(&last_segment.arguments)
                .first()
                .and_then(|zone| last_ident(zone));
            Some(if zone.is_some_and(|zone| zone == "Utc") {
                Date::ChronoUtc
            } else {
                Date::ChronoZone
            })
        }
        ([] | ["chrono", ..], "NaiveDate" | "NaiveDateTime" | "NaiveTime") => Some(Date::Naive),
        ([] | ["time", ..], "OffsetDateTime") => Some(Date::Offset),
        ([] | ["time", ..], "PrimitiveDateTime") | (["time"], "Date" | "Time" | "UtcDateTime") => {
            Some(Date::Time)
        }
        (["jiff"], "Timestamp") => Some(Date::JiffTimestamp),
        (["jiff", ..], "Zoned" | "Date" | "DateTime" | "Time") => Some(Date::Jiff),
        ([] | ["std", "time"] | ["time"], "SystemTime") => Some(Date::System),
        (["std" | "core", "time"] | ["time" | "chrono"], "Duration") => Some(Date::Duration),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
