//! Rules on models whose documents belong to tenants.

use crate::__private::text::refuse;

/// No model reaches through the wall of another one, unless both are behind it: `does` is the word before the other model's name.
#[track_caller]
pub const fn tenant(
    is_outside: bool,
    owner: &'static str,
    does: &'static str,
    other: &'static str,
) {
    if !is_outside {
        return;
    }
    refuse!(
        "`{owner}` {does} `{other}`, whose documents belong to tenants [TENANT_TARGET]\n\
         help: a model with a `tenant` of the same type may do so; elsewhere hold the id as a plain field, and read the `{other}` by a call with `&Tenant`\n\
         note: a check, a copy, a list or a count would reach documents of other tenants";
        owner, does, other
    );
}

/// A model whose documents are numbered by their parent has a tenant only if the parent has one: `does` is the word before its name.
#[track_caller]
pub const fn tenant_parent(
    is_parent_walled: bool,
    owner: &'static str,
    does: &'static str,
    parent: &'static str,
) {
    if is_parent_walled {
        return;
    }
    refuse!(
        "`{owner}` {does} `{parent}`, which has no `tenant` [TENANT_WITH]\n\
         help: give `{parent}` a `tenant` of the same type, or remove that of `{owner}`\n\
         note: the parent and a number or date are the `_id`, and two tenants would open the same document";
        owner, does, parent
    );
}

/// Every write checks a reference inside a wall: `how` names the property that prevents it, and is empty if none does.
#[track_caller]
pub const fn tenant_checked(
    is_walled: bool,
    owner: &'static str,
    how: &'static str,
    other: &'static str,
) {
    if !is_walled || how.is_empty() {
        return;
    }
    refuse!(
        "`{owner}` refers to `{other}`, whose documents belong to tenants, {how} [TENANT_WITH]\n\
         help: hold the id as a plain field, and read the `{other}` by a call with `&Tenant`; or make it a reference by `_id` that writes check\n\
         note: every write checks that a reference stays inside of the wall, and no other kind can be checked";
        owner, other, how
    );
}
