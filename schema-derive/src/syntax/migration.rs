//! A one-off migration.

use proc_macro2::Ident;
use syn::{LitStr, Path};

/// `#[migration(after = "split_name", undo = join_name)]` on a function.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) ident: Ident,
    pub(crate) name: LitStr,
    pub(crate) after: Vec<LitStr>,
    pub(crate) undo: Option<Path>,
    pub(crate) krate: Option<Path>,
}
