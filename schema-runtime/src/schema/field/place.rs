//! The place of a field.

use std::marker::PhantomData;

/// The place of a field: its model and its stored, dotted name.
pub trait Path: 'static {
    /// The model.
    type Root;
    /// The codec that stores the field's values.
    type Codec;
    /// [`Optional`] where the field's type is written as an `Option`, else [`Required`].
    type Presence;
    /// The variant whose fields these are, as far as the filter does not stand inside one.
    const SCOPE: Scope = None;
    /// Appends the stored path, relative to where the filter stands.
    fn write(out: &mut String);
    /// Appends the embedded enums on the way whose variants do not all hold the field: it is stored in the named variants only.
    fn holders(_out: &mut Vec<Holders>) {}
    /// Appends the stored path from the top of the model, wherever the filter stands.
    fn write_whole(out: &mut String) {
        Self::write(out);
    }
    /// The length of the path to the array of which there is one item ([`Unwound`]); 0 if there is none on the way.
    fn unwound() -> usize {
        0
    }
}

/// A tag and its value, by which a document says which variant it is.
pub type Scope = Option<(&'static str, &'static str)>;

/// The stored path of the tag of an embedded enum, and the values of it in whose documents a field is stored.
pub type Holders = (String, &'static [&'static str]);

/// A step of a path: a field of a model or of an embedded document.
pub trait Segment: 'static {
    /// The stored name; empty for a flattened field.
    const NAME: &'static str;
    /// [`crate::__private::Plain`], or the field's own `with`.
    type Codec;
    /// [`Optional`] where the field's type is written as an `Option`, else [`Required`].
    type Presence;
    /// For a field of one variant of an enum model: the tag, and its value.
    const SCOPE: Scope = None;
    /// For a field of an embedded enum: the stored name of the tag, and its value in each variant that has the field.
    const HOLDERS: Option<(&'static str, &'static [&'static str])> = None;
}

/// The type of a field is written as an `Option`. A trait of types cannot say so: it would have to hold for every other type, too.
#[derive(Debug)]
pub enum Optional {}

/// The type of a field is no `Option`, as far as its tokens show.
#[derive(Debug)]
pub enum Required {}

/// A field of the model itself.
pub struct Top<M, S>(PhantomData<fn() -> (M, S)>);

/// A field inside the document at `P`.
pub struct At<P, S>(PhantomData<fn() -> (P, S)>);

/// The elements of the array at `P`: the same path, but no single place that could be set.
pub struct Through<P>(PhantomData<fn() -> P>);

/// One item of the array at `P`, where each item has a copy of its document: a single place, at the path of the array.
pub struct Unwound<P>(PhantomData<fn() -> P>);

/// The root of the filter inside `any(|e| ..)`: paths are relative to the element.
pub struct Within<P>(PhantomData<fn() -> P>);

impl<M: 'static, S: Segment> Path for Top<M, S> {
    type Root = M;
    type Codec = S::Codec;
    type Presence = S::Presence;
    const SCOPE: Scope = S::SCOPE;
    fn write(out: &mut String) {
        out.push_str(S::NAME);
    }
}

impl<P: Path, S: Segment> Path for At<P, S> {
    type Root = P::Root;
    type Codec = S::Codec;
    type Presence = S::Presence;
    const SCOPE: Scope = P::SCOPE;
    fn write(out: &mut String) {
        P::write(out);
        step(out, S::NAME);
    }
    fn holders(out: &mut Vec<Holders>) {
        P::holders(out);
        if let Some((tag, values)) = S::HOLDERS {
            let mut path = String::new();
            P::write(&mut path);
            step(&mut path, tag);
            out.push((path, values));
        }
    }
    fn write_whole(out: &mut String) {
        P::write_whole(out);
        step(out, S::NAME);
    }
    fn unwound() -> usize {
        P::unwound()
    }
}

fn step(out: &mut String, name: &str) {
    if !out.is_empty() && !name.is_empty() {
        out.push('.');
    }
    out.push_str(name);
}

impl<P: Path> Path for Through<P> {
    type Root = P::Root;
    type Codec = P::Codec;
    type Presence = P::Presence;
    const SCOPE: Scope = P::SCOPE;
    fn write(out: &mut String) {
        P::write(out);
    }
    fn write_whole(out: &mut String) {
        P::write_whole(out);
    }
    fn unwound() -> usize {
        P::unwound()
    }
}

impl<P: Path> Path for Unwound<P> {
    type Root = P::Root;
    type Codec = P::Codec;
    type Presence = Required;
    const SCOPE: Scope = P::SCOPE;
    fn write(out: &mut String) {
        P::write(out);
    }
    fn unwound() -> usize {
        path::<P>().len()
    }
}

impl<P: Path> Path for Within<P> {
    type Root = P::Root;
    type Codec = P::Codec;
    type Presence = P::Presence;
    fn write(_: &mut String) {}
    fn write_whole(out: &mut String) {
        P::write_whole(out);
    }
}

/// The markers on the way to a place, whatever arrays lie between: they identify the index of a dotted path.
pub trait Anchored {
    /// `()` at the top of a model, else the markers from the top.
    type Anchor;
}

impl Anchored for () {
    type Anchor = ();
}

impl<M, S> Anchored for Top<M, S> {
    type Anchor = S;
}

impl<P: Anchored, S> Anchored for At<P, S> {
    type Anchor = (P::Anchor, S);
}

impl<P: Anchored> Anchored for Through<P> {
    type Anchor = P::Anchor;
}

impl<P: Anchored> Anchored for Unwound<P> {
    type Anchor = P::Anchor;
}

impl<P: Anchored> Anchored for Within<P> {
    type Anchor = P::Anchor;
}

/// No path at all: the handles of an embedded document that is used outside of any model.
#[derive(Debug)]
pub enum Nowhere {}

impl Path for Nowhere {
    type Root = ();
    type Codec = crate::codec::Plain;
    type Presence = Required;
    fn write(_: &mut String) {}
}

/// A path that names one place in the document, so that it can be set.
#[diagnostic::on_unimplemented(
    message = "this field lies inside an array, so there is no one place to change",
    label = "inside an array",
    note = "change the array as a whole, or `push` and `pull` its elements"
)]
pub trait OnePlace: Path {}

#[diagnostic::do_not_recommend]
impl<M: 'static, S: Segment> OnePlace for Top<M, S> {}

// `do_not_recommend` keeps the message about the array instead of one about the step below it.
#[diagnostic::do_not_recommend]
impl<P: OnePlace, S: Segment> OnePlace for At<P, S> {}

// An item that is a document by itself.
#[diagnostic::do_not_recommend]
impl<P: OnePlace> OnePlace for Unwound<P> {}

// A field of an element, where a condition chooses the elements.
#[diagnostic::do_not_recommend]
impl<P: Path> OnePlace for Within<P> {}

/// The stored path of `P`.
pub(crate) fn path<P: Path>() -> String {
    let mut out = String::new();
    P::write(&mut out);
    out
}

/// The stored path of `P` from the top of its model.
pub(crate) fn whole_path<P: Path>() -> String {
    let mut out = String::new();
    P::write_whole(&mut out);
    out
}
