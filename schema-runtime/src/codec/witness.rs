//! The way in which serde reads a type: the request that its `Deserialize` makes to a deserializer that returns no value.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess,
    Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

/// The way in which serde's derive reads a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `deserialize_struct`
    Struct,
    /// `deserialize_newtype_struct`
    Newtype,
    /// `deserialize_enum`
    Enum,
    /// `deserialize_any`, of an internally tagged enum
    Tagged,
}

/// The first request of a type's `Deserialize` to its deserializer.
#[derive(Debug)]
pub struct Seen {
    pub(super) form: Form,
    pub(super) name: Cow<'static, str>,
    /// Fields or variants, where they could be learnt.
    pub(super) fields: Option<&'static [&'static str]>,
}

/// Finds out how serde reads `T`.
pub struct Ask<T>(PhantomData<T>);

impl<T> fmt::Debug for Ask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask")
    }
}

impl<T> Ask<T> {
    /// The question.
    pub const NEW: Self = Ask(PhantomData);
}

/// The answer for a type that serde can read.
pub trait Answer {
    /// The type's first request to its deserializer.
    fn ask(&self) -> Option<Seen>;
    /// The first request of an enum whose variants serde distinguishes by this tag.
    fn ask_tagged(&self, tag: &'static str) -> Option<Seen>;
}

impl<T: DeserializeOwned> Answer for Ask<T> {
    fn ask(&self) -> Option<Seen> {
        asked::<T>(None)
    }

    fn ask_tagged(&self, tag: &'static str) -> Option<Seen> {
        asked::<T>(Some(tag))
    }
}

/// Runs the `Deserialize` of `T` and returns its first request to the deserializer.
pub(super) fn asked<'de, T: Deserialize<'de>>(tag: Option<&'static str>) -> Option<Seen> {
    let mut seen = None;
    let _ = T::deserialize(Witness {
        seen: &mut seen,
        tag,
    });
    seen
}

/// The answer for any other type.
pub trait NoAnswer {
    /// No request: serde cannot read the type.
    fn ask(&self) -> Option<Seen> {
        None
    }
    /// No request: serde cannot read the type.
    fn ask_tagged(&self, _: &'static str) -> Option<Seen> {
        None
    }
}

impl<T> NoAnswer for &Ask<T> {}

/// The reason why the deserializer stopped.
#[derive(Debug)]
struct Stop {
    /// The enum's variants, if the deserializer stopped at an unknown variant.
    variants: Option<&'static [&'static str]>,
}

const STOP: Stop = Stop { variants: None };

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("asked")
    }
}

impl std::error::Error for Stop {}

impl Error for Stop {
    fn custom<T: fmt::Display>(_: T) -> Self {
        STOP
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Stop {
            variants: Some(expected),
        }
    }
}

/// A deserializer that returns no value, and records the request made to it.
struct Witness<'a> {
    seen: &'a mut Option<Seen>,
    tag: Option<&'static str>,
}

impl Witness<'_> {
    fn was_asked<T>(
        self,
        form: Form,
        name: &'static str,
        fields: &'static [&'static str],
    ) -> Result<T, Stop> {
        *self.seen = Some(Seen {
            form,
            name: Cow::Borrowed(name),
            fields: Some(fields),
        });
        Err(STOP)
    }
}

impl<'de> Deserializer<'de> for Witness<'_> {
    type Error = Stop;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        let tag = self.tag.ok_or(STOP)?;
        let expected = (&visitor as &dyn Expected).to_string();
        let name = expected.strip_prefix("internally tagged enum ");
        let name = name.ok_or(STOP)?.to_owned();
        let mut asked = false;
        let read = visitor.visit_map(OnlyTag {
            tag: Some(tag),
            asked: &mut asked,
        });
        if asked {
            *self.seen = Some(Seen {
                form: Form::Tagged,
                name: Cow::Owned(name),
                fields: read.as_ref().err().and_then(|stop| stop.variants),
            });
        }
        read
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Stop> {
        self.was_asked(Form::Struct, name, fields)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: V,
    ) -> Result<V::Value, Stop> {
        self.was_asked(Form::Newtype, name, &[])
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Stop> {
        self.was_asked(Form::Enum, name, variants)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// A document that has a tag which no variant has.
struct OnlyTag<'a> {
    tag: Option<&'static str>,
    /// True once serde has read the tag's value as an identifier.
    asked: &'a mut bool,
}

impl<'de> MapAccess<'de> for OnlyTag<'_> {
    type Error = Stop;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Stop> {
        let tag = self.tag.take();
        tag.map(|tag| seed.deserialize(tag.into_deserializer()))
            .transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Stop> {
        seed.deserialize(OfTag(self.asked))
    }
}

/// The value of the tag.
struct OfTag<'a>(&'a mut bool);

impl<'de> Deserializer<'de> for OfTag<'_> {
    type Error = Stop;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        Err(STOP)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        *self.0 = true;
        visitor.visit_str("\0")
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum ignored_any
    }
}
