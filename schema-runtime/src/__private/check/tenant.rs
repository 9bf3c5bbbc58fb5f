//! Rules on models whose documents belong to tenants.

use crate::__private::text::Text;

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
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` ")
        .push_str(does)
        .push_str(" `")
        .push_str(other)
        .push_str("`, whose documents belong to tenants [TENANT_TARGET]\nhelp: a model with a `tenant` of the same type may do so; elsewhere hold the id as a plain field, and read the `")
        .push_str(other)
        .push_str("` by a call with `&Tenant`\nnote: a check, a copy, a list or a count would reach documents of other tenants");
    panic!("{}", text.as_str());
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
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` ")
        .push_str(does)
        .push_str(" `")
        .push_str(parent)
        .push_str("`, which has no `tenant` [TENANT_WITH]\nhelp: give `")
        .push_str(parent)
        .push_str("` a `tenant` of the same type, or remove that of `")
        .push_str(owner)
        .push_str("`\nnote: the parent and a number or date are the `_id`, and two tenants would open the same document");
    panic!("{}", text.as_str());
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
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` refers to `")
        .push_str(other)
        .push_str("`, whose documents belong to tenants, ")
        .push_str(how)
        .push_str(" [TENANT_WITH]\nhelp: hold the id as a plain field, and read the `")
        .push_str(other)
        .push_str("` by a call with `&Tenant`; or make it a reference by `_id` that writes check\nnote: every write checks that a reference stays inside of the wall, and no other kind can be checked");
    panic!("{}", text.as_str());
}
