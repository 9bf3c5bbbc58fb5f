::core::compile_error! {
    "unknown option `mx` for `#[embed(..)]` on `Post::comments` [ATTR_UNKNOWN]\nhelp: did you mean `max`?"
}
#[doc(hidden)]
#[allow(
    non_camel_case_types,
    non_snake_case,
    clippy::all,
    clippy::pedantic,
    dead_code,
    unreachable_pub,
    unnameable_types,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    deprecated,
    private_interfaces,
    private_bounds,
    unused_qualifications
)]
const _: () = {
    use ::mongo_model::__private as __rt;
    use __rt::{Fallback as _, codec::*};
    mod __field {
        pub enum id {}
        pub enum comments {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::comments {
        const NAME: __Str = "comments";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct PostFields {
        pub id: __Field<
            __Top<Post, __field::id>,
            Id<Post>,
            __rt::Indexed,
            __rt::Key<Post>,
        >,
        pub comments: __Field<
            __Top<Post, __field::comments>,
            Vec<Comment>,
            __rt::Indexed,
            __Own,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for PostFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for PostFields {}
    impl __rt::Handles for PostFields {
        const VALUE: Self = PostFields {
            id: __Field::NEW,
            comments: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl PostFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Post, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Post {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Post>>::STORED.row("id", "_id"),
            __rt::Probe::<Vec<Comment>>::STORED.row("comments", "comments"),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Post",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Post {
        const NAMES: &'static [__Str] = &["id", "comments"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Post {
        type Fields = PostFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id", "comments"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Post"
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Post {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Post {
        type Type = Id<Post>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Post {
        type Type = Vec<Comment>;
        type Codec = __Plain;
    }
    impl __rt::HasField<{ __rt::ID }> for Post {
        type Type = Id<Post>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Post> for Id<Post> {}
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Post",
            collection: "posts",
            shape: &__rt::Shape {
                name: "Post",
                fields: <Post as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Post as __rt::Value>::SIZE,
            advice: &[
                __rt::Advice {
                    rule: "VEC_NO_DEFAULT",
                    field: "comments",
                    says: "a document stored without this array cannot be read: add `#[serde(default)]`",
                },
            ],
            allowed: &[],
            queue: ::core::option::Option::None,
            events: ::core::option::Option::None,
            history: ::core::option::Option::None,
            options: __rt::OptionsRow::NONE,
            bucket: ::core::option::Option::None,
            schema: ::core::option::Option::None,
            accesses: &[],
            shares: ::core::option::Option::None,
            comparisons: &[],
            judges: &[],
            strict: false,
            shard_key: ::core::option::Option::None,
            cache: __rt::OnceLock::new(),
        };
        &META
    }
    #[automatically_derived]
    impl __rt::Model for Post {
        type DocumentId = Id<Post>;
        type FieldHandles = PostFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Post> {
            ::core::unreachable!()
        }
    }
    impl __rt::Unversioned for Post {}
    impl __rt::Insertable for Post {}
    impl __rt::Replaceable for Post {}
    #[allow(unused_variables)]
    impl Post {
        ///True if the error says that another `Post` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            ::core::unreachable!()
        }
    }
};
