//! Pages of a list.

use mongo_model::crud::PageToken;
use serde::Deserialize;

/// `?limit=20&after=..`, where `after` is the `next` of the page before.
#[derive(Deserialize)]
pub struct Paging {
    limit: Option<u32>,
    pub after: Option<PageToken>,
}

impl Paging {
    /// How many items a page has: 20 unless the client asks for another number, at most 100.
    pub fn size(&self) -> u32 {
        self.limit.unwrap_or(20).clamp(1, 100)
    }
}
