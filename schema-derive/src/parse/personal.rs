//! `#[personal(..)]`.

use super::attributes;
use super::opts::{OptBody, Opts};
use crate::syntax::PersonalAttr;

/// `personal(of = author, erased = "gone", keep_for = "7y", reason = "tax")`
pub(super) fn parse_personal(mut opts: Opts<'_>) -> PersonalAttr {
    opts.check_names(&attributes::PERSONAL);
    let erased = opts.get("erased").and_then(|opt| match &opt.body {
        OptBody::Value(value) => Some(value.clone()),
        OptBody::Flag | OptBody::List(_) => {
            opts.bad(opt, "a value", "erased = \"gone\"");
            None
        }
    });
    PersonalAttr {
        of: opts.word("of"),
        erased,
        keep_for: opts.string("keep_for"),
        reason: opts.string("reason"),
        site: opts.site,
    }
}
