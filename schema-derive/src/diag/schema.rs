//! Messages about `schema_version` and `migrate`.

use quote::ToTokens;
use syn::Path;

use super::Diag;
use crate::rules;

pub(crate) fn schema_version_range(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_VALUE,
        format!("`schema_version` of `{owner}` is no version"),
    )
    .help("`schema_version = 2`: at least 1, and at most 2,147,483,647")
    .note("the first version is 1")
}

pub(crate) fn migrate_first(span: &Path, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`migrate` of `{owner}` contradicts `schema_version = 1`"),
    )
    .help("`schema_version = 2`, or remove `migrate`")
    .note("the first version is 1: there are no documents that are older")
}

pub(crate) fn unversioned_range(span: &dyn ToTokens, owner: &str, known: Option<u64>) -> Diag {
    let what = Diag::new(
        span,
        &rules::ATTR_VALUE,
        match known {
            Some(_) => format!("`unversioned` of `{owner}` is no version of its schema"),
            None => format!("`unversioned` of `{owner}` needs a `schema_version`"),
        },
    );
    match known {
        Some(known) if known > 1 => what.help(format!("`unversioned = 1`, or at most {known}")),
        Some(_) => what.help("`unversioned = 1`"),
        None => what.help("`schema_version = 2, unversioned = 1`"),
    }
    .note("it is the version of documents that are stored without one")
}

pub(crate) fn migrate_alone(span: &Path, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_MISSING,
        format!("`migrate` of `{owner}` does not say to which version"),
    )
    .help(format!(
        "`schema_version = 2, migrate = {}`",
        span.to_token_stream().to_string().replace(' ', "")
    ))
    .note("a document is migrated where its version is older than the model's")
}

pub(crate) fn strict_schema_version(span: &dyn ToTokens, owner: &str) -> Diag {
    let rule = &rules::SCHEMA_VERSION;
    Diag::new(
        span,
        rule,
        format!("strict model `{owner}` does not say the version of its schema"),
    )
    .help("`#[model(schema_version = 1)]`: the first rename or change of a type needs it")
    .note(STRICT)
}

pub(super) const STRICT: &str = "`#[model(strict)]` makes errors of what is advice elsewhere";
