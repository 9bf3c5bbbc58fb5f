//! Calls whose tokens stand where the user's do.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// A call whose tokens begin and end at the user's `place`, so that the caret covers all of it.
///
/// All of the library's own tokens take the user's span: where an expression mixes the spans of a derive and of its input, the
/// compiler points at the derive.
pub(super) fn call_with_span(
    place: &TokenStream,
    function: &TokenStream,
    args: TokenStream,
) -> TokenStream {
    let (first, last) = end_spans(place);
    let mut group = Group::new(Delimiter::Parenthesis, args);
    group.set_span(last);
    let mut out = respan(function, first);
    out.extend([TokenTree::Group(group)]);
    out
}

/// The user's type as the argument of a type of the library, which stands where the user's does.
pub(super) fn type_with_span(generic: &TokenStream, argument: &syn::Type) -> TokenStream {
    let (first, last) = end_spans(argument);
    let mut out = respan(&quote!(#generic <), first);
    argument.to_tokens(&mut out);
    out.extend(respan(&quote!(>), last));
    out
}

/// The spans at which the user's `place` begins and ends.
fn end_spans(place: &impl ToTokens) -> (Span, Span) {
    let mut spans = place
        .to_token_stream()
        .into_iter()
        .map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}

pub(super) fn respan(tokens: &TokenStream, span: Span) -> TokenStream {
    tokens
        .clone()
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                let mut inner = Group::new(group.delimiter(), respan(&group.stream(), span));
                inner.set_span(span);
                token = TokenTree::Group(inner);
            } else {
                token.set_span(span);
            }
            token
        })
        .collect()
}
