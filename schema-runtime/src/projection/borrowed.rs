//! Projections that borrow from the server's reply.

use bson::{Binary, Document, RawDocument};

use super::{ProjectionRow, ReadsAs, inclusion};
use crate::codec::CodecError;
use crate::schema::rows::Shape;

/// A projection of `M` that borrows its text and bytes from the server's reply, so that reading it allocates nothing for
/// them: `struct Line<'a> { message: &'a str }`. Implemented by `#[derive(MongoProjection)]` for a struct with one lifetime;
/// read by [`Find::for_each`](crate::crud::Find::for_each).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a borrowing projection of `{M}`",
    label = "not a borrowing projection of `{M}`",
    note = "`for_each` reads a struct with one lifetime, `#[derive(MongoProjection)]` and `#[projection(of = {M})]`; what owns its values is read by `project::<..>()` and `stream()`"
)]
pub trait Borrowed<M> {
    /// The same projection, borrowing for as long as `'d`.
    type Of<'d>;
    #[doc(hidden)]
    const ROWS: &'static [ProjectionRow];
    #[doc(hidden)]
    const SHAPE: Option<&'static Shape>;

    /// The projection in the server's form.
    #[must_use]
    fn projection() -> Document {
        inclusion(Self::ROWS)
    }

    /// A stored document read where it lies.
    #[doc(hidden)]
    fn read(raw: &RawDocument) -> Result<Self::Of<'_>, CodecError>;
}

#[diagnostic::do_not_recommend]
impl ReadsAs<String> for &str {}
#[diagnostic::do_not_recommend]
impl ReadsAs<Option<String>> for Option<&str> {}
#[diagnostic::do_not_recommend]
impl ReadsAs<Binary> for &[u8] {}
#[diagnostic::do_not_recommend]
impl ReadsAs<Option<Binary>> for Option<&[u8]> {}
