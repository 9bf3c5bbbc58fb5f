//! A one-off migration.

use proc_macro2::Ident;
use syn::{LitStr, Path};

/// `#[migration(after = "split_name", needs = index(User, email), undo = join_name)]` on a function.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) ident: Ident,
    pub(crate) name: LitStr,
    pub(crate) after: Vec<LitStr>,
    pub(crate) needs: Vec<NeededIndex>,
    pub(crate) undo: Option<Path>,
    pub(crate) krate: Option<Path>,
}

/// `index(User, email)`: an index of a model, by the fields of its keys.
#[derive(Debug)]
pub(crate) struct NeededIndex {
    pub(crate) model: Path,
    pub(crate) fields: Vec<Vec<Ident>>,
}
