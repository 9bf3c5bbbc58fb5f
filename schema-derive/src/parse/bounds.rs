//! `max_len` and `writes_per_read` in `#[model(..)]` on a field.

use super::opts::{OptBody, Opts};
use crate::diag;
use crate::syntax::Bound;

/// Above so many writes per read, a field is not copied without a reason (rule 5).
const HOT_RATIO: f64 = 0.1;

/// `max_len = 100`
pub(super) fn parse_max_len(opts: &Opts<'_>) -> Option<Bound> {
    let max = opts.number("max_len")?;
    if max.value > 0 {
        return Some(max);
    }
    let form = "max_len = 100";
    opts.cx.push(diag::bad_value(
        &max.tokens,
        "max_len",
        opts.attr,
        opts.owner,
        "a length of at least 1",
        form,
    ));
    None
}

/// `writes_per_read = 0.5`; `None` for one that is seldom enough to be copied.
pub(super) fn parse_writes(opts: &Opts<'_>) -> Option<String> {
    let opt = opts.get("writes_per_read")?;
    let number = match &opt.body {
        OptBody::Value(value) => match syn::parse2::<syn::Lit>(value.clone()).ok() {
            Some(syn::Lit::Int(lit)) => lit.base10_parse::<f64>().ok(),
            Some(syn::Lit::Float(lit)) => lit.base10_parse::<f64>().ok(),
            _ => None,
        },
        _ => None,
    };
    let Some(number) = number else {
        opts.cx.push(diag::bad_value(
            &opt.tokens,
            "writes_per_read",
            opts.attr,
            opts.owner,
            "a number",
            "writes_per_read = 0.5",
        ));
        return None;
    };
    (number > HOT_RATIO).then(|| number.to_string())
}
