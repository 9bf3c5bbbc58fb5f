::core::compile_error! {
    "`access(of_maker(..))` on `Product` has no index [IDX_ACCESS]\nhelp: `#[model(index(keys(manufacturer, -catalog_number)))]`\nnote: indexed queries find a document in a million as fast as one in a thousand; without an index every document is read (rule of thumb 4)"
}
///A reference to a `Part` with copies of its fields, in `Product::parts`.
#[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::cmp::PartialEq)]
pub struct ProductPart {
    ///The `_id` of the `Part`.
    pub id: <Part as ::mongo_model::__private::HasField<
        {
            #[allow(unused_imports)]
            use ::mongo_model::__private::Fallback as _;
            ::mongo_model::__private::Probe::<Part>::ID
        },
    >>::Type,
    ///A copy of `Part::name`.
    pub name: <Part as ::mongo_model::__private::HasField<
        {
            #[allow(unused_imports)]
            use ::mongo_model::__private::Fallback as _;
            ::mongo_model::__private::slot(
                ::mongo_model::__private::Probe::<Part>::COPYABLE,
                "name",
            )
        },
    >>::Type,
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
        pub enum name {}
        pub enum manufacturer {}
        pub enum catalog_number {}
        pub enum parts {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::name {
        const NAME: __Str = "name";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::manufacturer {
        const NAME: __Str = "manufacturer";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::catalog_number {
        const NAME: __Str = "catalog_number";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::parts {
        const NAME: __Str = "parts";
        type Codec = __Plain;
        type Presence = __Required;
    }
    type __to_parts = Part;
    pub struct ProductFields {
        pub id: __Field<
            __Top<Product, __field::id>,
            Id<Product>,
            __rt::Indexed,
            __rt::Key<Product>,
        >,
        pub name: __Field<__Top<Product, __field::name>, String, __rt::Indexed, __Own>,
        pub manufacturer: __Field<
            __Top<Product, __field::manufacturer>,
            String,
            __rt::Indexed,
            __Own,
        >,
        pub catalog_number: __Field<
            __Top<Product, __field::catalog_number>,
            i64,
            __rt::Indexed,
            __Own,
        >,
        pub parts: __Field<
            __Top<Product, __field::parts>,
            Vec<ProductPart>,
            __rt::Indexed,
            __rt::ReferenceWithCopies<__to_parts>,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for ProductFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for ProductFields {}
    impl __rt::Handles for ProductFields {
        const VALUE: Self = ProductFields {
            id: __Field::NEW,
            name: __Field::NEW,
            manufacturer: __Field::NEW,
            catalog_number: __Field::NEW,
            parts: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl ProductFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Product, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Product {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Product>>::STORED.row("id", "_id"),
            __rt::Probe::<String>::STORED.row("name", "name"),
            __rt::Probe::<String>::STORED
                .row("manufacturer", "manufacturer")
                .indexes(
                    &[
                        __rt::IndexRow {
                            name: ::core::option::Option::Some("maker"),
                            ..__rt::IndexRow::PLAIN
                        },
                    ],
                ),
            __rt::Probe::<i64>::STORED
                .row("catalog_number", "catalog_number")
                .indexes(
                    &[
                        __rt::IndexRow {
                            unique: true,
                            ..__rt::IndexRow::PLAIN
                        },
                    ],
                ),
            __rt::Probe::<Vec<ProductPart>>::STORED
                .row("parts", "parts")
                .max(2000u64)
                .relation(
                    &__rt::RelationRow::many(__rt::Probe::<Part>::TABLES)
                        .entry()
                        .copied()
                        .on_delete(__rt::OnDelete::Pull),
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Product",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Product {
        const NAMES: &'static [__Str] = &[
            "id",
            "name",
            "manufacturer",
            "catalog_number",
            "parts",
        ];
    }
    #[automatically_derived]
    impl __rt::Lookup for Product {
        type Fields = ProductFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &[
            "id",
            "name",
            "manufacturer",
            "catalog_number",
            "parts",
        ];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Product"
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Product {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Product {
        type Type = Id<Product>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Product {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Product {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<3usize> for Product {
        type Type = i64;
        type Codec = __Plain;
    }
    impl __HasField<4usize> for Product {
        type Type = Vec<ProductPart>;
        type Codec = __Plain;
        const MAX: u64 = 2000u64;
    }
    impl __rt::HasField<{ __rt::ID }> for Product {
        type Type = Id<Product>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Product> for Id<Product> {}
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Product",
            collection: "products",
            shape: &__rt::Shape {
                name: "Product",
                fields: <Product as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Product as __rt::Value>::SIZE,
            advice: &[
                __rt::Advice {
                    rule: "VEC_NO_DEFAULT",
                    field: "parts",
                    says: "a document stored without this array cannot be read: add `#[serde(default)]`",
                },
                __rt::Advice {
                    rule: "IDX_UNUSED",
                    field: "manufacturer",
                    says: "no declared access pattern uses this index: remove it, or declare the pattern: `#[model(access(..))]`",
                },
            ],
            allowed: &[],
            queue: ::core::option::Option::None,
            events: ::core::option::Option::None,
            history: ::core::option::Option::None,
            options: __rt::OptionsRow::NONE,
            bucket: ::core::option::Option::None,
            schema: ::core::option::Option::None,
            accesses: &[
                __rt::AccessRow {
                    name: "of_maker",
                    keys: &["manufacturer"],
                    only: &[],
                    range: ::core::option::Option::None,
                    sort: &[
                        __rt::KeyRow {
                            path: "catalog_number",
                            kind: __rt::KeyKind::Desc,
                        },
                    ],
                    limit: 20u64,
                    index: &[],
                    covered: false,
                },
            ],
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
    impl __rt::Model for Product {
        type DocumentId = Id<Product>;
        type FieldHandles = ProductFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Product> {
            ::core::unreachable!()
        }
    }
    impl __rt::Unversioned for Product {}
    impl __rt::Insertable for Product {}
    impl __rt::Replaceable for Product {}
    impl Product
    where
        for<'__any> Part: __rt::Model,
    {
        ///Loads what `parts` refers to, from the collection of `Part`: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_parts<'a>(
            &self,
            db: &'a ::mongo_model::Database,
        ) -> ::mongo_model::load::Load<
            'a,
            ::mongo_model::load::Refs<ProductPart, Part, ::mongo_model::load::Dense>,
        > {
            ::mongo_model::load::Load::refs::<
                Product,
            >(
                db,
                self,
                4usize,
                |__document| __rt::encode_value(&__document.parts),
                |__document: &Product, __key, __to| __rt::done(
                    __rt::put(&__document.parts).put(__key, __to),
                ),
            )
        }
        ///Loads what `parts` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_parts_many<'a, 'd, __D: ::mongo_model::load::AsModel<Product>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Refs<ProductPart, Part, ::mongo_model::load::Dense>,
        > {
            ::mongo_model::load::Join::refs::<
                Product,
            >(
                db,
                documents,
                4usize,
                |__document| __rt::encode_value(&__document.parts),
                |__document: &Product, __key, __to| __rt::done(
                    __rt::put(&__document.parts).put(__key, __to),
                ),
            )
        }
        ///The documents whose `parts` refers to this `Part`: one `find`, served by an index.
        pub fn by_parts<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Part as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::load::By<'a, Product, Part> {
            ::mongo_model::load::By::new(db, "parts.id", id)
        }
        ///The documents whose `parts` refers to each of these: one command, served by an index.
        pub fn by_parts_many<'a, 'd, __D: ::mongo_model::load::AsModel<Part>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Children<Product, Part>,
        > {
            ::mongo_model::load::Join::children(db, documents, 4usize)
        }
    }
    #[allow(unused_variables)]
    impl Product {
        ///The `Product` documents with this `manufacturer`, sorted by `-catalog_number`, at most 20: one `find`, served by an index. Options of `find` can be added or changed before `.await`.
        pub fn of_maker<'a>(
            db: &'a ::mongo_model::Database,
            manufacturer: impl ::mongo_model::field::IntoArg<
                <String as __rt::Value>::Elem,
            >,
        ) -> ::mongo_model::crud::Find<'a, Product> {
            ::core::unreachable!()
        }
    }
    #[allow(unused_variables)]
    impl Product {
        ///True if the error says that another `Product` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            ::core::unreachable!()
        }
    }
    #[allow(unused_variables)]
    impl Product {
        ///True if the error says that another `Product` has the same `catalog_number` already.
        #[must_use]
        pub fn is_duplicate_catalog_number(
            error: &::mongo_model::Error,
        ) -> ::core::primitive::bool {
            ::core::unreachable!()
        }
    }
    impl __rt::UniqueKey<Product> for __field::catalog_number {}
    mod __field_ProductPart {
        pub enum id {}
        pub enum name {}
    }
    impl __rt::Segment for __field_ProductPart::id {
        const NAME: &'static str = "id";
        type Codec = __field_ProductPart::id;
        type Presence = __rt::Required;
    }
    #[automatically_derived]
    impl __rt::Encode<
        <Part as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<Part>::ID
            },
        >>::Type,
    > for __field_ProductPart::id {
        fn write<__S: __rt::serde::Serializer>(
            value: &<Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<Part>::ID
                },
            >>::Type,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            <<Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<Part>::ID
                },
            >>::Codec as __rt::Encode<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Part>::ID
                    },
                >>::Type,
            >>::write(value, serializer)
        }
    }
    impl __rt::Segment for __field_ProductPart::name {
        const NAME: &'static str = "name";
        type Codec = __field_ProductPart::name;
        type Presence = __rt::Required;
    }
    #[automatically_derived]
    impl __rt::Encode<
        <Part as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
            },
        >>::Type,
    > for __field_ProductPart::name {
        fn write<__S: __rt::serde::Serializer>(
            value: &<Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                },
            >>::Type,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            <<Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                },
            >>::Codec as __rt::Encode<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                    },
                >>::Type,
            >>::write(value, serializer)
        }
    }
    #[derive(__rt::serde::Deserialize)]
    #[serde(crate = "::mongo_model::__private::serde")]
    struct __ReadProductPart {
        #[serde(rename = "id")]
        id: __rt::CopyValue<
            Part,
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<Part>::ID
            },
        >,
        #[serde(rename = "name")]
        name: __rt::CopyValue<
            Part,
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
            },
        >,
    }
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for ProductPart {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let read = <__ReadProductPart as __rt::serde::Deserialize>::deserialize(
                deserializer,
            )?;
            ::core::result::Result::Ok(ProductPart {
                id: read.id.0,
                name: read.name.0,
            })
        }
    }
    #[automatically_derived]
    impl __rt::serde::Serialize for ProductPart {
        fn serialize<__S: __rt::serde::Serializer>(
            &self,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            let mut document = __rt::serde::Serializer::serialize_struct(
                serializer,
                "ProductPart",
                2usize,
            )?;
            __rt::serde::ser::SerializeStruct::serialize_field(
                &mut document,
                "id",
                &__rt::CopyRef::<
                    Part,
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Part>::ID
                    },
                >(&self.id),
            )?;
            __rt::serde::ser::SerializeStruct::serialize_field(
                &mut document,
                "name",
                &__rt::CopyRef::<
                    Part,
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                    },
                >(&self.name),
            )?;
            __rt::serde::ser::SerializeStruct::end(document)
        }
    }
    pub struct ProductPartFields<__P: __rt::Path> {
        pub id: __rt::Field<
            __rt::At<__P, __field_ProductPart::id>,
            <Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<Part>::ID
                },
            >>::Type,
            __rt::Indexed,
            __rt::ReferenceWithCopies<Part>,
        >,
        pub name: __rt::Field<
            __rt::At<__P, __field_ProductPart::name>,
            <Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                },
            >>::Type,
            __rt::NotIndexed<__field_ProductPart::name, __P>,
            __rt::CopyOf<Part>,
        >,
    }
    #[automatically_derived]
    impl<__P: __rt::Path> ::core::clone::Clone for ProductPartFields<__P> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path> ::core::marker::Copy for ProductPartFields<__P> {}
    impl<__P: __rt::Path> __rt::Handles for ProductPartFields<__P> {
        const VALUE: Self = ProductPartFields {
            id: __rt::Field::NEW,
            name: __rt::Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for ProductPart {
        type Elem = Self;
        type Sub<__P: __rt::Path> = ProductPartFields<__P>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::row::<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Part>::ID
                    },
                >>::Type,
            >("id", "id")
                .with(
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::Probe::<Part>::ID
                        },
                    >>::WITH,
                ),
            __rt::row::<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                    },
                >>::Type,
            >("name", "name")
                .with(
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                        },
                    >>::WITH,
                )
                .max_len(
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                        },
                    >>::MAX_LEN,
                )
                .max(
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                        },
                    >>::MAX,
                )
                .copy(
                    &__rt::CopyRow {
                        source: __rt::Probe::<Part>::TABLES,
                        field: "name",
                        via: "id",
                        snapshot: false,
                        level: __rt::Level::Eventual,
                    },
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "ProductPart",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            2usize,
        );
    }
    impl __rt::Projectable for ProductPart {
        type Handles = ProductPartFields<__rt::Nowhere>;
    }
    impl __rt::Names for ProductPart {
        const NAMES: &'static [&'static str] = &["id", "name"];
    }
    impl __rt::HasSeg<0> for ProductPart {
        type Seg = __field_ProductPart::id;
        type Value = <Part as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<Part>::ID
            },
        >>::Type;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<1usize> for ProductPart {
        type Seg = __field_ProductPart::name;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<{ __rt::MISSING }> for ProductPart {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::RefTo<Part> for ProductPart {}
};
