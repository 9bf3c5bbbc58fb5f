//! `#[automatically_derived]` on every impl of a trait but `Debug` in an expansion, so that lints and coverage take it for generated code.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;

/// Marks every impl of a trait but `Debug` among `items`. None stands inside another item. The compiler refuses the mark on other impls.
pub(super) fn mark(items: TokenStream) -> TokenStream {
    let attribute = quote!(#[automatically_derived]);
    let mut out = TokenStream::new();
    // The item that is being read: what stands in front of its `impl`, and the impl itself.
    let (mut front, mut header) = (Vec::new(), None::<Header>);
    for token in items {
        // Only attributes stand in front of the `impl` of an item.
        let first = matches!(front.last(), None | Some(TokenTree::Group(_)));
        if header.is_none() && first && is(&token, "impl") {
            header = Some(Header::default());
        }
        let inside = header.as_ref().is_some_and(|header| header.depth > 0);
        let ends = match &token {
            TokenTree::Group(body) => body.delimiter() == Delimiter::Brace && !inside,
            TokenTree::Punct(end) => end.as_char() == ';',
            _ => false,
        };
        match &mut header {
            Some(header) => header.push(token),
            None => front.push(token),
        }
        if ends {
            out.extend(front.drain(..));
            if let Some(header) = header.take() {
                out.extend(header.of_trait.then(|| attribute.clone()));
                out.extend(header.tokens);
            }
        }
    }
    out.extend(front);
    out
}

/// An impl up to its body.
#[derive(Default)]
struct Header {
    tokens: Vec<TokenTree>,
    /// How many `<` are open.
    depth: usize,
    /// Its bounds have begun: a `for` in them is one of `for<'a>`.
    bounds: bool,
    of_trait: bool,
}

impl Header {
    fn push(&mut self, token: TokenTree) {
        let arrow = matches!(self.tokens.last(), Some(TokenTree::Punct(last)) if matches!(last.as_char(), '-' | '='));
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => self.depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' && !arrow => {
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
        self.bounds |= is(&token, "where");
        // With the mark, the compiler would not count what `Debug` reads as used, and warn of the user's fields.
        let debug = self.tokens.last().is_some_and(|name| is(name, "Debug"));
        self.of_trait |= is(&token, "for") && self.depth == 0 && !self.bounds && !debug;
        self.tokens.push(token);
    }
}

fn is(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(items: TokenStream) -> String {
        mark(items).to_string()
    }

    #[test]
    fn impls_of_traits_are_marked() {
        let items = quote! {
            use a::b;
            impl A for S {}
            impl A<{ ID }> for S { const B: u8 = 1; }
            #[doc(hidden)]
            impl<T: Fn() -> u8> A<T> for S<T> where T: X { fn f() -> impl Y { impl_() } }
            const _: () = { 1 };
        };
        let expected = quote! {
            use a::b;
            #[automatically_derived]
            impl A for S {}
            #[automatically_derived]
            impl A<{ ID }> for S { const B: u8 = 1; }
            #[doc(hidden)]
            #[automatically_derived]
            impl<T: Fn() -> u8> A<T> for S<T> where T: X { fn f() -> impl Y { impl_() } }
            const _: () = { 1 };
        };
        assert_eq!(marked(items), expected.to_string());
    }

    #[test]
    fn other_items_stay() {
        let items = quote! {
            impl S { fn f(self) {} }
            impl ::core::fmt::Debug for S {}
            impl<T: for<'a> F<&'a u8>> S<T> where for<'a> T: F<&'a u8> {}
            fn f(x: impl A) -> impl A { for x in y {} }
            struct U;
            type V = u8;
        };
        assert_eq!(marked(items.clone()), items.to_string());
    }
}
