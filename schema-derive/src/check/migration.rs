//! `#[migration]`: its name, and the names of those that it comes after.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::Migration;

pub(crate) fn check_migration(migration: &Migration, cx: &Ctxt) {
    let owner = migration.ident.to_string();
    let own = migration.name.value();
    if own.is_empty() {
        cx.push(diag::migration_unnamed(&migration.name, &owner));
    }
    for (n, after) in migration.after.iter().enumerate() {
        let name = after.value();
        let mut before = migration.after[..n].iter();
        if name == own || before.any(|other| other.value() == name) {
            cx.push(diag::migration_after(after, &owner, name == own));
        }
    }
}
