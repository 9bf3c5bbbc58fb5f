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
        pub enum placed {}
        pub enum customer {}
        pub enum customer_name {}
        pub enum lines {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::placed {
        const NAME: __Str = "placed";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::customer {
        const NAME: __Str = "customer";
        type Codec = __Plain;
        type Presence = __Optional;
    }
    impl __Segment for __field::customer_name {
        const NAME: __Str = "customerName";
        type Codec = __Plain;
        type Presence = __Optional;
    }
    impl __Segment for __field::lines {
        const NAME: __Str = "lines";
        type Codec = __Plain;
        type Presence = __Required;
    }
    type __to_customer = Customer;
    pub struct OrderFields {
        pub id: __Field<
            __Top<Order, __field::id>,
            Id<Order>,
            __rt::Indexed,
            __rt::Key<Order>,
        >,
        pub placed: __Free<Order, __field::placed, DateTime>,
        pub customer: __Field<
            __Top<Order, __field::customer>,
            Option<Id<Customer>>,
            __rt::Indexed,
            __rt::ReferenceWithCopies<__to_customer, __rt::Scalar>,
        >,
        pub customer_name: __Field<
            __Top<Order, __field::customer_name>,
            Option<String>,
            __NotIndexed<__field::customer_name>,
            __rt::CopyOf<Customer>,
        >,
        pub lines: __Free<Order, __field::lines, Vec<OrderLine>>,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for OrderFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for OrderFields {}
    impl __rt::Handles for OrderFields {
        const VALUE: Self = OrderFields {
            id: __Field::NEW,
            placed: __Field::NEW,
            customer: __Field::NEW,
            customer_name: __Field::NEW,
            lines: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl OrderFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Order, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Order {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Order>>::STORED.row("id", "_id"),
            __rt::Probe::<DateTime>::STORED.row("placed", "placed"),
            __rt::Probe::<Option<Id<Customer>>>::STORED
                .row("customer", "customer")
                .relation(
                    &__rt::RelationRow::one(__rt::Probe::<Customer>::TABLES)
                        .copied()
                        .on_delete(__rt::OnDelete::Unset),
                ),
            __rt::Probe::<Option<String>>::STORED
                .row("customer_name", "customerName")
                .max_len(
                    <Customer as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name")
                        },
                    >>::MAX_LEN,
                )
                .max(
                    <Customer as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name")
                        },
                    >>::MAX,
                )
                .copy(
                    &__rt::CopyRow {
                        source: __rt::Probe::<Customer>::TABLES,
                        field: "name",
                        via: "customer",
                        snapshot: false,
                        level: __rt::Level::Eventual,
                    },
                ),
            __rt::Probe::<Vec<OrderLine>>::STORED.row("lines", "lines").max(100u64),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Order",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Order {
        const NAMES: &'static [__Str] = &[
            "id",
            "placed",
            "customer",
            "customer_name",
            "lines",
        ];
    }
    #[automatically_derived]
    impl __rt::Lookup for Order {
        type Fields = OrderFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Order"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[
                __rt::Referring {
                    field: "customer",
                    to: __rt::Probe::<Customer>::PLACE,
                    many: false,
                    optional: __rt::Probe::<Option<Id<Customer>>>::IS_OPTION,
                    by_key: false,
                    inverse: ::core::option::Option::None,
                    entries: false,
                    members: false,
                },
            ],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Order {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Order {
        type Type = Id<Order>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Order {
        type Type = DateTime;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Order {
        type Type = Option<Id<Customer>>;
        type Codec = __Plain;
    }
    impl __HasField<3usize> for Order {
        type Type = Option<String>;
        type Codec = __Plain;
        const ORIGIN_1: ::core::option::Option<__rt::Origin> = ::core::option::Option::Some(__rt::Origin {
            place: __rt::Probe::<Customer>::PLACE,
            model: "Customer",
            field: "name",
            personal: __rt::is_personal_at(__rt::Probe::<Customer>::FIELDS, &["name"]),
        });
        const ORIGIN_2: ::core::option::Option<__rt::Origin> = <Customer as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name")
            },
        >>::ORIGIN_1;
        const ORIGIN_3: ::core::option::Option<__rt::Origin> = <Customer as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name")
            },
        >>::ORIGIN_2;
        const ORIGIN_4: ::core::option::Option<__rt::Origin> = <Customer as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name")
            },
        >>::ORIGIN_3;
    }
    impl __HasField<4usize> for Order {
        type Type = Vec<OrderLine>;
        type Codec = __Plain;
        const MAX: u64 = 100u64;
    }
    impl __rt::HasField<{ __rt::ID }> for Order {
        type Type = Id<Order>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Order> for Id<Order> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Order {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.placed).put(b"placed\0", __to))
                && (__put(&self.customer).put(b"customer\0", __to))
                && (__put(&self.customer_name).put(b"customerName\0", __to))
                && (__put(&self.lines).put(b"lines\0", __to)))
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
                    "Order",
                    &["_id", "placed", "customer", "customerName", "lines"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Order>>::new();
            let __1 = &mut __Slot::<DateTime>::new();
            let __2 = &mut __Slot::<Option<Id<Customer>>>::new();
            let __3 = &mut __Slot::<Option<String>>::new();
            let __4 = &mut __Slot::<Vec<OrderLine>>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"placed\0")
                && __2.next(&mut __from, b"customer\0")
                && __3.next(&mut __from, b"customerName\0")
                && __4.next(&mut __from, b"lines\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"placed\0" => __1.fill(__kind, &mut __rest),
                    b"customer\0" => __2.fill(__kind, &mut __rest),
                    b"customerName\0" => __3.fill(__kind, &mut __rest),
                    b"lines\0" => __4.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Order {
                id: __0.take()?,
                placed: __1.take()?,
                customer: __2.take()?,
                customer_name: __3.take()?,
                lines: __4.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Order",
            collection: "orders",
            shape: &__rt::Shape {
                name: "Order",
                fields: <Order as __rt::Value>::FIELDS,
            },
            indexes: &[
                __rt::IndexRow {
                    keys: &[
                        __rt::KeyRow {
                            path: "customer",
                            kind: __rt::KeyKind::Asc,
                        },
                        __rt::KeyRow {
                            path: "placed",
                            kind: __rt::KeyKind::Desc,
                        },
                    ],
                    ..__rt::IndexRow::PLAIN
                },
            ],
            size: <Order as __rt::Value>::SIZE,
            advice: &[
                __rt::Advice {
                    rule: "PARENT_OPTION_NULL",
                    field: "customer",
                    says: "a document without a parent stores null here: add `#[serde(skip_serializing_if = \"Option::is_none\")]`",
                },
                __rt::Advice {
                    rule: "NULL_VS_MISSING",
                    field: "customer_name",
                    says: "`None` is stored as null: add `#[serde(skip_serializing_if = \"Option::is_none\")]`",
                },
                __rt::Advice {
                    rule: "VEC_NO_DEFAULT",
                    field: "lines",
                    says: "a document stored without this array cannot be read: add `#[serde(default)]`",
                },
            ],
            allowed: &[],
            queue: ::core::option::Option::None,
            events: ::core::option::Option::Some(__rt::EventsRow {
                log: "_dn.events.orders",
                readers: &["mails", "billing"],
            }),
            history: ::core::option::Option::Some(__rt::HistoryRow {
                log: "_dn.history.orders",
                skip: &["placed", "customerName"],
                fields: &[],
                keep: ::core::option::Option::Some(31536000u64),
                keep_last: ::core::option::Option::None,
                whole: false,
            }),
            options: __rt::OptionsRow::NONE,
            bucket: ::core::option::Option::None,
            schema: ::core::option::Option::Some(__rt::SchemaRow {
                version: 2i32,
                migrate: ::core::option::Option::Some(|__old, __version| __rt::Migrates::migrated(
                    upgrade(__old, __version),
                )),
                unversioned: ::core::option::Option::None,
            }),
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
    impl __rt::Model for Order {
        type DocumentId = Id<Order>;
        type FieldHandles = OrderFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        const SCHEMA: ::core::option::Option<__rt::SchemaRow> = ::core::option::Option::Some(__rt::SchemaRow {
            version: 2i32,
            migrate: ::core::option::Option::Some(|__old, __version| __rt::Migrates::migrated(
                upgrade(__old, __version),
            )),
            unversioned: ::core::option::Option::None,
        });
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Order> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Order > (__rt::decodes:: < Order >)
    }
    __rt::inventory::submit! {
        __rt::Migratable::of:: < Order > ()
    }
    impl __rt::Unversioned for Order {}
    impl __rt::Emits for Order {
        type Event = OrderEvent;
    }
    const _: () = __rt::check::personal_in_events(
        __rt::Probe::<OrderEvent>::FIELDS,
        "OrderEvent",
        "Order",
    );
    impl __rt::KeepsHistory for Order {}
    impl __rt::Insertable for Order {}
    impl __rt::Replaceable for Order {}
    __rt::inventory::submit! {
        __rt::PersonalModel::of:: < Order > ()
    }
    impl Order
    where
        for<'__any> Customer: __rt::Model,
    {
        ///Loads what `customer` refers to, from the collection of `Customer`: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_customer<'a>(
            &self,
            db: &'a ::mongo_model::Database,
        ) -> ::mongo_model::load::Load<
            'a,
            ::mongo_model::load::Refs<Order, Customer, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Load::refs::<
                Order,
            >(
                db,
                self,
                2usize,
                |__document| __rt::encode_value(&__document.customer),
                |__document: &Order, __key, __to| __rt::done(
                    __rt::put(&__document.customer).put(__key, __to),
                ),
            )
        }
        ///Loads what `customer` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_customer_many<'a, 'd, __D: ::mongo_model::load::AsModel<Order>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Refs<Order, Customer, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Join::refs::<
                Order,
            >(
                db,
                documents,
                2usize,
                |__document| __rt::encode_value(&__document.customer),
                |__document: &Order, __key, __to| __rt::done(
                    __rt::put(&__document.customer).put(__key, __to),
                ),
            )
        }
        ///The documents whose `customer` refers to this `Customer`: one `find`, served by an index.
        pub fn by_customer<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Customer as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::load::By<'a, Order, Customer> {
            ::mongo_model::load::By::new(db, "customer", id)
        }
        ///The documents whose `customer` refers to each of these: one command, served by an index.
        pub fn by_customer_many<'a, 'd, __D: ::mongo_model::load::AsModel<Customer>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Children<Order, Customer>,
        > {
            ::mongo_model::load::Join::children(db, documents, 2usize)
        }
    }
    impl Order {
        ///True if the error says that another `Order` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<Order as __rt::Value>::FIELDS[0usize],
        "Order::id",
        "Id<Order>",
        "Id<Order>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(&<Order as __rt::Value>::FIELDS[0usize], "Order::id");
    const _: () = __rt::check::field(
        &<Order as __rt::Value>::FIELDS[1usize],
        "Order::placed",
        "DateTime",
        "DateTime",
        false,
        0u32,
    );
    const _: () = __rt::check::field(
        &<Order as __rt::Value>::FIELDS[2usize],
        "Order::customer",
        "Option<Id<Customer>>",
        "Id<Customer>",
        false,
        0u32,
    );
    const _: () = {
        __rt::check::target(
            (
                __rt::Probe::<Customer>::IS_MODEL || !__rt::Probe::<Customer>::IS_KNOWN,
                __rt::Probe::<Customer>::DENIES_UNKNOWN,
            ),
            true,
            "Order::customer",
            "Customer",
            false,
        );
        __rt::check::id_key(
            __rt::Probe::<Customer>::ID_IS_COMPARED,
            true,
            "Order::customer",
            "Customer",
        )
    };
    const _: () = __rt::check::ids(
        __rt::ProbeIds::<Option<Id<Customer>>, Customer>::HOLDS_IDS
            || !__rt::Probe::<Customer>::IS_MODEL
            || !__rt::Probe::<Option<Id<Customer>>>::IS_VALUE,
        ("", __rt::Probe::<Customer>::ID_FORM),
        true,
        "Order::customer",
        "Option<Id<Customer>>",
        "Customer",
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<Customer>::WALLED,
        "Order::customer",
        "refers to",
        "Customer",
    );
    const _: () = __rt::check::copied::<
        Customer,
        { __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name") },
    >(
        "Order::customer_name",
        "Customer",
        "name",
        <Order as __rt::Lookup>::PLACE,
        "customer_name",
        0u32,
    );
    const _: () = {
        let _ = <<Customer as __rt::Lookup>::Fields as __rt::Handles>::VALUE.name;
    };
    const _: () = __rt::check::same_with::<
        Customer,
        { __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name") },
    >("Order::customer_name", "Customer", "name", false);
    const _: () = __rt::check::copy_type::<
        Customer,
        { __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name") },
    >(
        __rt::check::CopyTypes {
            same: __rt::ProbeSame::<
                Option<String>,
                <Customer as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name") },
                >>::Type,
            >::IS_SAME,
            option_of_source: __rt::ProbeSame::<
                Option<String>,
                ::core::option::Option<
                    <Customer as __rt::HasField<
                        { __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name") },
                    >>::Type,
                >,
            >::IS_SAME,
            source_is_option_of_it: __rt::ProbeSame::<
                ::core::option::Option<Option<String>>,
                <Customer as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name") },
                >>::Type,
            >::IS_SAME,
            source_is_option: __rt::Probe::<
                <Customer as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Customer>::COPYABLE, "name") },
                >>::Type,
            >::IS_OPTION,
            beside_option: __rt::Probe::<Option<Id<Customer>>>::IS_OPTION,
            through: "",
            unread: false,
        },
        "Order::customer_name",
        "Option<String>",
        "String",
        "Customer",
        "name",
        "customer",
    );
    const _: () = __rt::check::field(
        &<Order as __rt::Value>::FIELDS[4usize],
        "Order::lines",
        "Vec<OrderLine>",
        "OrderLine",
        false,
        0u32,
    );
    const _: () = __rt::check::personal_inside(
        &<Order as __rt::Value>::FIELDS[4usize],
        "Order::lines",
        __rt::check::Holder {
            model: "Order",
            fields: <Order as __rt::Value>::FIELDS,
            fixed: "",
            recorded: true,
        },
    );
    const _: () = __rt::check::document(
        <Order as __rt::Value>::FIELDS,
        &[(3usize, "Order::customer_name", "Option<String>")],
        "Order",
    );
};
///A reference to a `Part` with copies of its fields, in `OrderLine::part`.
#[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::cmp::PartialEq)]
pub struct LinePart {
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
    ///A copy of `Part::price`.
    pub price: <Part as ::mongo_model::__private::HasField<
        {
            #[allow(unused_imports)]
            use ::mongo_model::__private::Fallback as _;
            ::mongo_model::__private::slot(
                ::mongo_model::__private::Probe::<Part>::COPYABLE,
                "price",
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
        pub enum part {}
        pub enum quantity {}
    }
    impl __Segment for __field::part {
        const NAME: __Str = "part";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::quantity {
        const NAME: __Str = "quantity";
        type Codec = __Plain;
        type Presence = __Required;
    }
    type __to_part = Part;
    pub struct OrderLineFields<__P: __rt::Path> {
        pub part: __Field<
            __rt::At<__P, __field::part>,
            LinePart,
            __rt::NotIndexed<__field::part, __P>,
            __rt::ReferenceWithCopies<__to_part>,
        >,
        pub quantity: __Field<
            __rt::At<__P, __field::quantity>,
            i32,
            __rt::NotIndexed<__field::quantity, __P>,
            __Own,
        >,
        __path: ::core::marker::PhantomData<fn() -> __P>,
    }
    #[automatically_derived]
    impl<__P: __rt::Path> ::core::clone::Clone for OrderLineFields<__P> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path> ::core::marker::Copy for OrderLineFields<__P> {}
    impl<__P: __rt::Path> __rt::Handles for OrderLineFields<__P> {
        const VALUE: Self = OrderLineFields {
            part: __Field::NEW,
            quantity: __Field::NEW,
            __path: ::core::marker::PhantomData,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for OrderLine {
        type Elem = Self;
        type Sub<__P: __rt::Path> = OrderLineFields<__P>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<LinePart>::STORED
                .row("part", "part")
                .relation(
                    &__rt::RelationRow::one(__rt::Probe::<Part>::TABLES).entry().copied(),
                ),
            __rt::Probe::<i32>::STORED.row("quantity", "quantity"),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "OrderLine",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for OrderLine {
        const NAMES: &'static [__Str] = &["part", "quantity"];
    }
    #[automatically_derived]
    impl __rt::Lookup for OrderLine {
        type Fields = OrderLineFields<__rt::Nowhere>;
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[
                __rt::Referring {
                    field: "part",
                    to: __rt::Probe::<Part>::PLACE,
                    many: false,
                    optional: __rt::Probe::<LinePart>::IS_OPTION,
                    by_key: false,
                    inverse: ::core::option::Option::None,
                    entries: false,
                    members: false,
                },
            ],
        );
    }
    impl __rt::Projectable for OrderLine {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __rt::HasSeg<0usize> for OrderLine {
        type Seg = __field::part;
        type Value = LinePart;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::part>,
            LinePart,
            __rt::NotIndexed<__field::part, __P>,
            __rt::ReferenceWithCopies<__to_part>,
        >;
    }
    impl __rt::HasSeg<1usize> for OrderLine {
        type Seg = __field::quantity;
        type Value = i32;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::quantity>,
            i32,
            __rt::NotIndexed<__field::quantity, __P>,
            __Own,
        >;
    }
    impl __rt::HasSeg<{ __rt::MISSING }> for OrderLine {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::CopyFields for OrderLine {
        type Inside = <Self as __rt::Lookup>::Fields;
        const INSIDE: &'static [__Str] = <Self as __rt::Names>::NAMES;
    }
    impl __HasField<0usize> for OrderLine {
        type Type = LinePart;
        type Codec = __Plain;
    }
    impl __HasField<1usize> for OrderLine {
        type Type = i32;
        type Codec = __Plain;
    }
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for OrderLine {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.part).put(b"part\0", __to))
                && (__put(&self.quantity).put(b"quantity\0", __to)))
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
                    "OrderLine",
                    &["part", "quantity"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<LinePart>::new();
            let __1 = &mut __Slot::<i32>::new();
            if !(true && __0.next(&mut __from, b"part\0")
                && __1.next(&mut __from, b"quantity\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"part\0" => __0.fill(__kind, &mut __rest),
                    b"quantity\0" => __1.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(OrderLine {
                part: __0.take()?,
                quantity: __1.take()?,
            })
        }
    }
    static __CHECKED_LinePart: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for LinePart {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED_LinePart.document(__key, __to)?;
            if !(true
                && (__put_by::<
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::Probe::<Part>::ID
                        },
                    >>::Codec,
                    _,
                >(&self.id)
                    .put(b"id\0", __to))
                && (__put_by::<
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                        },
                    >>::Codec,
                    _,
                >(&self.name)
                    .put(b"name\0", __to))
                && (__put_by::<
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                        },
                    >>::Codec,
                    _,
                >(&self.price)
                    .put(b"price\0", __to)))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            __CHECKED_LinePart
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
            __CHECKED_LinePart
                .reads(
                    || (&__rt::Ask::<Self>::NEW).ask(),
                    __rt::Form::Struct,
                    "__ReadLinePart",
                    &["id", "name", "price"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Part>::ID
                    },
                >>::Type,
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Part>::ID
                    },
                >>::Codec,
            >::new();
            let __1 = &mut __Slot::<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                    },
                >>::Type,
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                    },
                >>::Codec,
            >::new();
            let __2 = &mut __Slot::<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                    },
                >>::Type,
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                    },
                >>::Codec,
            >::new();
            if !(true && __0.next(&mut __from, b"id\0")
                && __1.next(&mut __from, b"name\0") && __2.next(&mut __from, b"price\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"id\0" => __0.fill(__kind, &mut __rest),
                    b"name\0" => __1.fill(__kind, &mut __rest),
                    b"price\0" => __2.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(LinePart {
                id: __0.take()?,
                name: __1.take()?,
                price: __2.take()?,
            })
        }
    }
    mod __field_LinePart {
        pub enum id {}
        pub enum name {}
        pub enum price {}
    }
    impl __rt::Segment for __field_LinePart::id {
        const NAME: &'static str = "id";
        type Codec = __field_LinePart::id;
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
    > for __field_LinePart::id {
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
    impl __rt::Segment for __field_LinePart::name {
        const NAME: &'static str = "name";
        type Codec = __field_LinePart::name;
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
    > for __field_LinePart::name {
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
    impl __rt::Segment for __field_LinePart::price {
        const NAME: &'static str = "price";
        type Codec = __field_LinePart::price;
        type Presence = __rt::Required;
    }
    #[automatically_derived]
    impl __rt::Encode<
        <Part as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
            },
        >>::Type,
    > for __field_LinePart::price {
        fn write<__S: __rt::serde::Serializer>(
            value: &<Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                },
            >>::Type,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            <<Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                },
            >>::Codec as __rt::Encode<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                    },
                >>::Type,
            >>::write(value, serializer)
        }
    }
    #[derive(__rt::serde::Deserialize)]
    #[serde(crate = "::mongo_model::__private::serde")]
    struct __ReadLinePart {
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
        #[serde(rename = "price")]
        price: __rt::CopyValue<
            Part,
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
            },
        >,
    }
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for LinePart {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let read = <__ReadLinePart as __rt::serde::Deserialize>::deserialize(
                deserializer,
            )?;
            ::core::result::Result::Ok(LinePart {
                id: read.id.0,
                name: read.name.0,
                price: read.price.0,
            })
        }
    }
    #[automatically_derived]
    impl __rt::serde::Serialize for LinePart {
        fn serialize<__S: __rt::serde::Serializer>(
            &self,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            let mut document = __rt::serde::Serializer::serialize_struct(
                serializer,
                "LinePart",
                3usize,
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
            __rt::serde::ser::SerializeStruct::serialize_field(
                &mut document,
                "price",
                &__rt::CopyRef::<
                    Part,
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                    },
                >(&self.price),
            )?;
            __rt::serde::ser::SerializeStruct::end(document)
        }
    }
    pub struct LinePartFields<__P: __rt::Path> {
        pub id: __rt::Field<
            __rt::At<__P, __field_LinePart::id>,
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
            __rt::At<__P, __field_LinePart::name>,
            <Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Part>::COPYABLE, "name")
                },
            >>::Type,
            __rt::NotIndexed<__field_LinePart::name, __P>,
            __rt::CopyOf<Part>,
        >,
        pub price: __rt::Field<
            __rt::At<__P, __field_LinePart::price>,
            <Part as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                },
            >>::Type,
            __rt::NotIndexed<__field_LinePart::price, __P>,
            __rt::CopyOf<Part>,
        >,
    }
    #[automatically_derived]
    impl<__P: __rt::Path> ::core::clone::Clone for LinePartFields<__P> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path> ::core::marker::Copy for LinePartFields<__P> {}
    impl<__P: __rt::Path> __rt::Handles for LinePartFields<__P> {
        const VALUE: Self = LinePartFields {
            id: __rt::Field::NEW,
            name: __rt::Field::NEW,
            price: __rt::Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for LinePart {
        type Elem = Self;
        type Sub<__P: __rt::Path> = LinePartFields<__P>;
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
                        snapshot: true,
                        level: __rt::Level::Eventual,
                    },
                ),
            __rt::row::<
                <Part as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                    },
                >>::Type,
            >("price", "price")
                .with(
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                        },
                    >>::WITH,
                )
                .max_len(
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                        },
                    >>::MAX_LEN,
                )
                .max(
                    <Part as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Part>::COPYABLE, "price")
                        },
                    >>::MAX,
                )
                .copy(
                    &__rt::CopyRow {
                        source: __rt::Probe::<Part>::TABLES,
                        field: "price",
                        via: "id",
                        snapshot: true,
                        level: __rt::Level::Eventual,
                    },
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "LinePart",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            3usize,
        );
    }
    impl __rt::Projectable for LinePart {
        type Handles = LinePartFields<__rt::Nowhere>;
    }
    impl __rt::Names for LinePart {
        const NAMES: &'static [&'static str] = &["id", "name", "price"];
    }
    impl __rt::HasSeg<0> for LinePart {
        type Seg = __field_LinePart::id;
        type Value = <Part as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<Part>::ID
            },
        >>::Type;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<1usize> for LinePart {
        type Seg = __field_LinePart::name;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<2usize> for LinePart {
        type Seg = __field_LinePart::price;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<{ __rt::MISSING }> for LinePart {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::RefTo<Part> for LinePart {}
    const _: () = __rt::check::field(
        &<OrderLine as __rt::Value>::FIELDS[0usize],
        "OrderLine::part",
        "LinePart",
        "LinePart",
        false,
        0u32,
    );
    const _: () = {
        __rt::check::source(
            (
                __rt::Probe::<Part>::IS_MODEL || !__rt::Probe::<Part>::IS_KNOWN,
                __rt::Probe::<Part>::DENIES_UNKNOWN,
            ),
            "OrderLine::part",
            "Part",
        );
        __rt::check::id_key(
            __rt::Probe::<Part>::ID_IS_COMPARED,
            true,
            "OrderLine::part",
            "Part",
        )
    };
    const _: () = __rt::check::copied::<
        Part,
        { __rt::slot(__rt::Probe::<Part>::COPYABLE, "name") },
    >("OrderLine::part", "Part", "name", "", "part", 0u32);
    const _: () = __rt::check::copied::<
        Part,
        { __rt::slot(__rt::Probe::<Part>::COPYABLE, "price") },
    >("OrderLine::part", "Part", "price", "", "part", 0u32);
    const _: () = {
        let _ = <<Part as __rt::Lookup>::Fields as __rt::Handles>::VALUE.name;
    };
    const _: () = {
        let _ = <<Part as __rt::Lookup>::Fields as __rt::Handles>::VALUE.price;
    };
    const _: () = __rt::check::follows_person::<
        Part,
        { __rt::slot(__rt::Probe::<Part>::COPYABLE, "name") },
    >(
        "OrderLine::part",
        ("Part", __rt::Probe::<Part>::FIELDS),
        ("name", &["name"]),
        "is a `snapshot`",
    );
    const _: () = __rt::check::follows_person::<
        Part,
        { __rt::slot(__rt::Probe::<Part>::COPYABLE, "price") },
    >(
        "OrderLine::part",
        ("Part", __rt::Probe::<Part>::FIELDS),
        ("price", &["price"]),
        "is a `snapshot`",
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<Part>::WALLED,
        "OrderLine::part",
        "refers to",
        "Part",
    );
    const _: () = __rt::check::plain(
        <OrderLine as __rt::Value>::FIELDS,
        &[(1usize, "OrderLine::quantity", "i32")],
    );
};
