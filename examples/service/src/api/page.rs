//! Pages of a list.

use mongo_model::crud::{Page, PageToken};
use serde::{Deserialize, Serialize};

use crate::error::Result;

/// `?limit=20&after=..`.
#[derive(Deserialize)]
pub struct Paging {
    limit: Option<u32>,
    after: Option<String>,
}

impl Paging {
    /// How many items a page has: 20 unless the client asks for another number, at most 100.
    pub fn size(&self) -> u32 {
        self.limit.unwrap_or(20).clamp(1, 100)
    }

    pub fn after(&self) -> Result<Option<PageToken>> {
        Ok(self.after.as_deref().map(str::parse).transpose()?)
    }
}

/// A page as the client sees it. `next` is the `after` of the following one, and absent on the last.
#[derive(Serialize)]
pub struct PageJson<T> {
    items: Vec<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl<T> PageJson<T> {
    pub fn new<M>(page: Page<M>) -> Self
    where
        T: From<M>,
    {
        PageJson {
            items: page.items.into_iter().map(T::from).collect(),
            next: page.next.map(|next| next.to_string()),
        }
    }
}
