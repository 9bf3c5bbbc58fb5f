//! Types of projections compared with those of what they read. Compile errors show these traits; users name none of them.

use crate::schema::field::Field;

/// A projection of `S`: a model, an embedded document, or an `Option`, `Box` or `Vec` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a projection of `{S}` [PROJECTION_NESTED]",
    label = "not a projection of `{S}`",
    note = "a nested field has the model's type with the embedded document replaced by a projection of it: `Option<Address>` by `Option<City>`",
    note = "add `#[derive(MongoProjection)]` and `#[projection(of = ..)]`, naming the embedded document, to the nested struct"
)]
pub trait ProjectionOf<S> {}

#[diagnostic::do_not_recommend]
impl<P: ProjectionOf<S>, S> ProjectionOf<Option<S>> for Option<P> {}

#[diagnostic::do_not_recommend]
impl<P: ProjectionOf<S>, S> ProjectionOf<Box<S>> for Box<P> {}

#[diagnostic::do_not_recommend]
impl<P: ProjectionOf<S>, S> ProjectionOf<Vec<S>> for Vec<P> {}

/// A type that has fields to project: a model, an embedded document, or a generated entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be projected: it is neither a model nor an embedded document [PROJECTION_OF]",
    label = "has no stored fields",
    note = "add `#[derive(MongoModel)]` or `#[derive(MongoEmbed)]` to `{Self}`"
)]
pub trait Projectable {
    /// The field handles.
    type Handles: crate::schema::field::Handles;
}

/// Checks that a projected field of type `Self` reads what the model's field of type `Source` stores.
#[diagnostic::on_unimplemented(
    message = "the projection reads `{Self}` but the field is `{Source}` [PROJECTION_TYPE]",
    label = "not the field's type",
    note = "a projected field has exactly the type of the field, `Option` included",
    note = "a projection of an embedded document is marked `#[projection(nested)]`"
)]
pub trait ReadsAs<Source> {}
#[diagnostic::do_not_recommend]
impl<T> ReadsAs<T> for T {}

/// Checks that a field of a view with a fallback, of type `Self`, reads what the source's field of type `Source` stores.
#[diagnostic::on_unimplemented(
    message = "the view reads `{Self}` but the field is `{Source}` [PROJECTION_TYPE]",
    label = "not the field's type",
    note = "a field of a view with a fallback has exactly the type of the source's field, or is an `Option` of it",
    note = "a projection of an embedded document is marked `#[projection(nested)]`"
)]
pub trait ViewOf<Source> {}
#[diagnostic::do_not_recommend]
impl<T> ViewOf<T> for T {}
#[diagnostic::do_not_recommend]
impl<T> ViewOf<T> for Option<T> {}

/// As [`ViewOf`], for a nested field; `How` is which of the two.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a projection of `{Source}`, nor an `Option` of one [PROJECTION_NESTED]",
    label = "not a projection of `{Source}`"
)]
pub trait NestedViewOf<Source, How> {}
#[diagnostic::do_not_recommend]
impl<P: ProjectionOf<S>, S> NestedViewOf<S, Exactly> for P {}
#[diagnostic::do_not_recommend]
impl<P: ProjectionOf<S>, S> NestedViewOf<S, Optionally> for Option<P> {}

/// The view's type is the field's.
#[derive(Debug)]
pub enum Exactly {}
/// The view's type is an `Option` of the field's.
#[derive(Debug)]
pub enum Optionally {}

/// Each method checks one of the traits above. Chained on the handle, so that a misspelt field prevents the check.
impl<P, T, I, W> Field<P, T, I, W> {
    #[doc(hidden)]
    pub const fn __read_as<R: ReadsAs<T>>(self) {}
    #[doc(hidden)]
    pub const fn __nested_as<R: ProjectionOf<T>>(self) {}
    #[doc(hidden)]
    pub const fn __viewed_as<R: ViewOf<T>>(self) {}
    #[doc(hidden)]
    pub const fn __nested_view_as<R: NestedViewOf<T, How>, How>(self) {}
}
