//! Options that are lists: `key(a, b)`.

use proc_macro2::{Delimiter, Ident, TokenTree};
use syn::parse::Parser;

use super::{Opt, OptBody, Opts, split_commas, whole_path};
use crate::syntax::{Extra, Listed, NeededIndex, Nested};

impl Opts<'_> {
    /// `key(a, b)`
    pub(crate) fn words(&self, key: &str) -> Option<Vec<Ident>> {
        self.names(key, |part| match part {
            [TokenTree::Ident(word)] => Some(word.clone()),
            _ => None,
        })
    }

    /// `key(a, b.inside)`
    pub(crate) fn dotted_list(&self, key: &str) -> Option<Vec<Vec<Ident>>> {
        self.names(key, whole_path)
    }

    /// `key(a, b as c)`
    pub(crate) fn listed(&self, key: &str) -> Option<Vec<Listed>> {
        self.names(key, |part| match part {
            [TokenTree::Ident(field)] => Some(Listed {
                field: field.clone(),
                alias: None,
            }),
            [
                TokenTree::Ident(field),
                TokenTree::Ident(word),
                TokenTree::Ident(alias),
            ] => (word == "as").then(|| Listed {
                field: field.clone(),
                alias: Some(alias.clone()),
            }),
            _ => None,
        })
    }

    /// `key(a: A, b: B = Model::function)`
    pub(crate) fn extras(&self, key: &str) -> Option<Vec<Extra>> {
        let form = format!("{key}(total: i64 = Order::total)");
        let extra = |input: syn::parse::ParseStream<'_>| {
            let (name, _, ty) = (
                input.parse()?,
                input.parse::<syn::Token![:]>()?,
                input.parse()?,
            );
            let function = match input.parse::<Option<syn::Token![=]>>()? {
                Some(_) => Some(input.parse()?),
                None => None,
            };
            Ok(Extra { name, ty, function })
        };
        let read = |part: &[TokenTree]| extra.parse2(part.iter().cloned().collect()).ok();
        self.list(key, "fields with their types", &form, read)
    }

    /// `key(address = AddressPatch)`
    pub(crate) fn nested(&self, key: &str) -> Option<Vec<Nested>> {
        let form = format!("{key}(address = AddressPatch)");
        let nested = |input: syn::parse::ParseStream<'_>| {
            let (field, _, patch) = (
                input.parse()?,
                input.parse::<syn::Token![=]>()?,
                input.parse()?,
            );
            Ok(Nested { field, patch })
        };
        let read = |part: &[TokenTree]| nested.parse2(part.iter().cloned().collect()).ok();
        self.list(key, "fields with their patches", &form, read)
    }

    /// `key = "text"` or `key("text", "text")`
    pub(crate) fn strings(&self, key: &str) -> Vec<syn::LitStr> {
        let is_list = |opt: &Opt| matches!(opt.body, OptBody::List(_));
        if !self.get(key).is_some_and(is_list) {
            return self.string(key).into_iter().collect();
        }
        let read = |part: &[TokenTree]| syn::parse2(part.iter().cloned().collect()).ok();
        let form = format!("{key}(\"..\", \"..\")");
        self.list(key, "strings", &form, read).unwrap_or_default()
    }

    /// `key = index(Model, a, b.inside)` or `key(index(..), index(..))`
    pub(crate) fn indexes(&self, key: &str) -> Vec<NeededIndex> {
        let Some(opt) = self.get(key) else {
            return Vec::new();
        };
        let parts = match &opt.body {
            OptBody::Flag => Vec::new(),
            OptBody::Value(tokens) | OptBody::List(tokens) => split_commas(tokens.clone()),
        };
        let read = parts.iter().map(|part| needed_index(part));
        match read.collect::<Option<Vec<_>>>() {
            Some(indexes) if !indexes.is_empty() => indexes,
            _ => {
                let form = format!("{key} = index(User, email)");
                self.bad(opt, "an index of a model, by its fields", &form);
                Vec::new()
            }
        }
    }

    fn names<T>(&self, key: &str, read: impl Fn(&[TokenTree]) -> Option<T>) -> Option<Vec<T>> {
        self.list(key, "a list of names", &format!("{key}(a, b)"), read)
    }

    fn list<T>(
        &self,
        key: &str,
        wants: &str,
        form: &str,
        read: impl Fn(&[TokenTree]) -> Option<T>,
    ) -> Option<Vec<T>> {
        let opt = self.get(key)?;
        if let OptBody::List(list) = &opt.body {
            let parts = split_commas(list.clone());
            let names = parts.iter().map(|part| read(part));
            let names = names.collect::<Option<Vec<_>>>();
            if let Some(names) = names.filter(|names| !names.is_empty()) {
                return Some(names);
            }
        }
        self.bad(opt, wants, form);
        None
    }

    /// `key(a::B, C)`
    pub(crate) fn paths(&self, key: &str) -> Option<Vec<syn::Path>> {
        let opt = self.get(key)?;
        if let OptBody::List(list) = &opt.body {
            let parser = syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
            if let Ok(paths) = parser.parse2(list.clone()) {
                return Some(paths.into_iter().collect());
            }
        }
        self.bad(opt, "a list of paths", &format!("{key}(Debug, Clone)"));
        None
    }
}

/// `index(Model, a, b.inside)`
fn needed_index(part: &[TokenTree]) -> Option<NeededIndex> {
    let [TokenTree::Ident(word), TokenTree::Group(group)] = part else {
        return None;
    };
    if word != "index" || group.delimiter() != Delimiter::Parenthesis {
        return None;
    }
    let parts = split_commas(group.stream());
    let (model, fields) = parts.split_first()?;
    let fields = fields.iter().map(|field| whole_path(field));
    let fields: Vec<Vec<Ident>> = fields.collect::<Option<_>>()?;
    let model = syn::parse2(model.iter().cloned().collect()).ok()?;
    (!fields.is_empty()).then_some(NeededIndex { model, fields })
}
