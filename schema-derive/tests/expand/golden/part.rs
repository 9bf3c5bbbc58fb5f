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
        pub enum partno {}
        pub enum name {}
        pub enum qty {}
        pub enum price {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::partno {
        const NAME: __Str = "partno";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::name {
        const NAME: __Str = "name";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::qty {
        const NAME: __Str = "qty";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::price {
        const NAME: __Str = "price";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct PartFields {
        pub id: __Field<
            __Top<Part, __field::id>,
            Id<Part>,
            __rt::Indexed,
            __rt::Key<Part>,
        >,
        pub partno: __Field<__Top<Part, __field::partno>, String, __rt::Indexed, __Own>,
        pub name: __Free<Part, __field::name, String>,
        pub qty: __Free<Part, __field::qty, i64>,
        pub price: __Free<Part, __field::price, Decimal128>,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for PartFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for PartFields {}
    impl __rt::Handles for PartFields {
        const VALUE: Self = PartFields {
            id: __Field::NEW,
            partno: __Field::NEW,
            name: __Field::NEW,
            qty: __Field::NEW,
            price: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl PartFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Part, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Part {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Part>>::STORED.row("id", "_id"),
            __rt::Probe::<String>::STORED
                .row("partno", "partno")
                .indexes(
                    &[
                        __rt::IndexRow {
                            unique: true,
                            ..__rt::IndexRow::PLAIN
                        },
                    ],
                ),
            __rt::Probe::<String>::STORED.row("name", "name").max_len(80u64),
            __rt::Probe::<i64>::STORED.row("qty", "qty"),
            __rt::Probe::<Decimal128>::STORED.row("price", "price"),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Part",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Part {
        const NAMES: &'static [__Str] = &["id", "partno", "name", "qty", "price"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Part {
        type Fields = PartFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id", "partno"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Part"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Part {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Part {
        type Type = Id<Part>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Part {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Part {
        type Type = String;
        type Codec = __Plain;
        const MAX_LEN: u64 = 80u64;
    }
    impl __HasField<3usize> for Part {
        type Type = i64;
        type Codec = __Plain;
        const VOLATILE: bool = true;
    }
    impl __HasField<4usize> for Part {
        type Type = Decimal128;
        type Codec = __Plain;
    }
    impl __rt::HasField<{ __rt::ID }> for Part {
        type Type = Id<Part>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Part> for Id<Part> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Part {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.partno).put(b"partno\0", __to))
                && (__put(&self.name).put(b"name\0", __to))
                && (__put(&self.qty).put(b"qty\0", __to))
                && (__put(&self.price).put(b"price\0", __to)))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            __CHECKED
                .end(
                    __open,
                    __key,
                    __to,
                    &|__key, __to| (&__rt::put(self)).put_checked(__key, __to),
                )
        }
        #[inline]
        fn read(
            __kind: u8,
            __from: &mut __rt::Reader<'_>,
        ) -> ::core::result::Result<Self, __rt::Refused> {
            __CHECKED
                .reads(
                    || (&__rt::Ask::<Self>::NEW).ask(),
                    __rt::Form::Struct,
                    "Part",
                    &["_id", "partno", "name", "qty", "price"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Part>>::new();
            let __1 = &mut __Slot::<String>::new();
            let __2 = &mut __Slot::<String>::new();
            let __3 = &mut __Slot::<i64>::new();
            let __4 = &mut __Slot::<Decimal128>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"partno\0") && __2.next(&mut __from, b"name\0")
                && __3.next(&mut __from, b"qty\0") && __4.next(&mut __from, b"price\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"partno\0" => __1.fill(__kind, &mut __rest),
                    b"name\0" => __2.fill(__kind, &mut __rest),
                    b"qty\0" => __3.fill(__kind, &mut __rest),
                    b"price\0" => __4.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Part {
                id: __0.take()?,
                partno: __1.take()?,
                name: __2.take()?,
                qty: __3.take()?,
                price: __4.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Part",
            collection: "parts",
            shape: &__rt::Shape {
                name: "Part",
                fields: <Part as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Part as __rt::Value>::SIZE,
            advice: &[],
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
    impl __rt::Model for Part {
        type DocumentId = Id<Part>;
        type FieldHandles = PartFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Part> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Part > (__rt::decodes:: < Part >)
    }
    impl __rt::Unversioned for Part {}
    impl __rt::Insertable for Part {}
    impl __rt::Replaceable for Part {}
    impl Part {
        ///True if the error says that another `Part` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    impl Part {
        ///True if the error says that another `Part` has the same `partno` already.
        #[must_use]
        pub fn is_duplicate_partno(
            error: &::mongo_model::Error,
        ) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["partno"])
        }
    }
    impl __rt::UniqueKey<Part> for __field::partno {}
    const _: () = __rt::check::field(
        &<Part as __rt::Value>::FIELDS[0usize],
        "Part::id",
        "Id<Part>",
        "Id<Part>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(&<Part as __rt::Value>::FIELDS[0usize], "Part::id");
    const _: () = __rt::check::field(
        &<Part as __rt::Value>::FIELDS[2usize],
        "Part::name",
        "String",
        "String",
        false,
        0u32,
    );
    const _: () = __rt::check::field(
        &<Part as __rt::Value>::FIELDS[4usize],
        "Part::price",
        "Decimal128",
        "Decimal128",
        false,
        0u32,
    );
    const _: () = __rt::check::document(
        <Part as __rt::Value>::FIELDS,
        &[(1usize, "Part::partno", "String"), (3usize, "Part::qty", "i64")],
        "Part",
    );
};
