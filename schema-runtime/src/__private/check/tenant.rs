//! Rules on models whose documents belong to tenants.

use crate::__private::text::Text;

/// No other model reaches through the wall of one with a tenant: `does` is the word before its name.
#[track_caller]
pub const fn tenant(is_walled: bool, owner: &'static str, does: &'static str, other: &'static str) {
    if !is_walled {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` ")
        .push_str(does)
        .push_str(" `")
        .push_str(other)
        .push_str("`, whose documents belong to tenants [TENANT_TARGET]\nhelp: hold the id as a plain field, and read the `")
        .push_str(other)
        .push_str("` by a call with `&Tenant`\nnote: a check, a copy, a list or a count would reach documents of other tenants");
    panic!("{}", text.as_str());
}
