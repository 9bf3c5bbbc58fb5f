///One of the last `LogMsg` documents, in `Host::logmsgs`.
#[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::cmp::PartialEq)]
pub struct RecentLog {
    ///The `_id` of the `LogMsg`.
    pub id: <LogMsg as ::mongo_model::__private::HasField<
        {
            #[allow(unused_imports)]
            use ::mongo_model::__private::Fallback as _;
            ::mongo_model::__private::Probe::<LogMsg>::ID
        },
    >>::Type,
    ///A copy of `LogMsg::time`.
    pub time: <LogMsg as ::mongo_model::__private::HasField<
        {
            #[allow(unused_imports)]
            use ::mongo_model::__private::Fallback as _;
            ::mongo_model::__private::slot(
                ::mongo_model::__private::Probe::<LogMsg>::COPYABLE,
                "time",
            )
        },
    >>::Type,
    ///A copy of `LogMsg::message`.
    pub message: <LogMsg as ::mongo_model::__private::HasField<
        {
            #[allow(unused_imports)]
            use ::mongo_model::__private::Fallback as _;
            ::mongo_model::__private::slot(
                ::mongo_model::__private::Probe::<LogMsg>::COPYABLE,
                "message",
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
        pub enum ipaddr {}
        pub enum logmsgs {}
        pub enum messages {}
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
    impl __Segment for __field::ipaddr {
        const NAME: __Str = "ipaddr";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::logmsgs {
        const NAME: __Str = "logmsgs";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::messages {
        const NAME: __Str = "messages";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct HostFields {
        pub id: __Field<
            __Top<Host, __field::id>,
            Id<Host>,
            __rt::Indexed,
            __rt::Key<Host>,
        >,
        pub name: __Free<Host, __field::name, String>,
        pub ipaddr: __Field<__Top<Host, __field::ipaddr>, String, __rt::Indexed, __Own>,
        pub logmsgs: __Field<
            __Top<Host, __field::logmsgs>,
            Vec<RecentLog>,
            __NotIndexed<__field::logmsgs>,
            __rt::FromChildren<LogMsg>,
        >,
        pub messages: __Field<
            __Top<Host, __field::messages>,
            i64,
            __NotIndexed<__field::messages>,
            __rt::FromChildren<LogMsg>,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for HostFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for HostFields {}
    impl __rt::Handles for HostFields {
        const VALUE: Self = HostFields {
            id: __Field::NEW,
            name: __Field::NEW,
            ipaddr: __Field::NEW,
            logmsgs: __Field::NEW,
            messages: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl HostFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Host, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Host {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Host>>::STORED.row("id", "_id"),
            __rt::Probe::<String>::STORED.row("name", "name"),
            __rt::Probe::<String>::STORED
                .row("ipaddr", "ipaddr")
                .indexes(
                    &[
                        __rt::IndexRow {
                            unique: true,
                            ..__rt::IndexRow::PLAIN
                        },
                    ],
                ),
            __rt::Probe::<Vec<RecentLog>>::STORED
                .row("logmsgs", "logmsgs")
                .max(1000u64)
                .derived(
                    &__rt::DerivedRow {
                        child: __rt::Probe::<LogMsg>::TABLES,
                        via: ::core::option::Option::None,
                        what: __rt::Derived::Recent {
                            max: 1000u64,
                            sort: ("time", false),
                            fields: &["time", "message"],
                            only: &[],
                        },
                    },
                ),
            __rt::Probe::<i64>::STORED
                .row("messages", "messages")
                .derived(
                    &__rt::DerivedRow {
                        child: __rt::Probe::<LogMsg>::TABLES,
                        via: ::core::option::Option::None,
                        what: __rt::Derived::Count,
                    },
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Host",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Host {
        const NAMES: &'static [__Str] = &["id", "name", "ipaddr", "logmsgs", "messages"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Host {
        type Fields = HostFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id", "ipaddr"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Host"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Host {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Host {
        type Type = Id<Host>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Host {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Host {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<3usize> for Host {
        type Type = Vec<RecentLog>;
        type Codec = __Plain;
        const MAX: u64 = 1000u64;
        const DERIVED: bool = true;
    }
    impl __HasField<4usize> for Host {
        type Type = i64;
        type Codec = __Plain;
        const DERIVED: bool = true;
    }
    impl __rt::HasField<{ __rt::ID }> for Host {
        type Type = Id<Host>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Host> for Id<Host> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Host {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.name).put(b"name\0", __to))
                && (__put(&self.ipaddr).put(b"ipaddr\0", __to))
                && (__put(&self.logmsgs).put(b"logmsgs\0", __to))
                && (__put(&self.messages).put(b"messages\0", __to)))
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
                    "Host",
                    &["_id", "name", "ipaddr", "logmsgs", "messages"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Host>>::new();
            let __1 = &mut __Slot::<String>::new();
            let __2 = &mut __Slot::<String>::new();
            let __3 = &mut __Slot::<Vec<RecentLog>>::new();
            let __4 = &mut __Slot::<i64>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"name\0") && __2.next(&mut __from, b"ipaddr\0")
                && __3.next(&mut __from, b"logmsgs\0")
                && __4.next(&mut __from, b"messages\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"name\0" => __1.fill(__kind, &mut __rest),
                    b"ipaddr\0" => __2.fill(__kind, &mut __rest),
                    b"logmsgs\0" => __3.fill(__kind, &mut __rest),
                    b"messages\0" => __4.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Host {
                id: __0.take()?,
                name: __1.take()?,
                ipaddr: __2.take()?,
                logmsgs: __3.take()?,
                messages: __4.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Host",
            collection: "hosts",
            shape: &__rt::Shape {
                name: "Host",
                fields: <Host as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Host as __rt::Value>::SIZE,
            advice: &[
                __rt::Advice {
                    rule: "VEC_NO_DEFAULT",
                    field: "logmsgs",
                    says: "a document stored without this array cannot be read: add `#[serde(default)]`",
                },
                __rt::Advice {
                    rule: "COUNT_NO_DEFAULT",
                    field: "messages",
                    says: "a document stored without this count cannot be read: add `#[serde(default)]`; `backfill` stores the count in documents that are older than the field",
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
    impl __rt::Model for Host {
        type DocumentId = Id<Host>;
        type FieldHandles = HostFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Host> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Host > (__rt::decodes:: < Host >)
    }
    impl __rt::Unversioned for Host {}
    impl __rt::Insertable for Host {}
    impl __rt::Replaceable for Host {}
    impl Host {
        ///Makes `logmsgs` of the `Host` with this `_id` what the `LogMsg` documents that refer to it say.
        pub fn rebuild_logmsgs<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Host as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::denorm::Rebuild<'a, Host> {
            ::mongo_model::denorm::Rebuild::new(db, id.into_arg(), "logmsgs")
        }
    }
    impl Host {
        ///Makes `messages` of the `Host` with this `_id` what the `LogMsg` documents that refer to it say.
        pub fn recount_messages<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Host as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::denorm::Recount<'a, Host> {
            ::mongo_model::denorm::Recount::new(db, id.into_arg(), "messages")
        }
    }
    impl Host {
        ///True if the error says that another `Host` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    impl Host {
        ///True if the error says that another `Host` has the same `ipaddr` already.
        #[must_use]
        pub fn is_duplicate_ipaddr(
            error: &::mongo_model::Error,
        ) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["ipaddr"])
        }
    }
    impl __rt::UniqueKey<Host> for __field::ipaddr {}
    static __CHECKED_RecentLog: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for RecentLog {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED_RecentLog.document(__key, __to)?;
            if !(true
                && (__put_by::<
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::Probe::<LogMsg>::ID
                        },
                    >>::Codec,
                    _,
                >(&self.id)
                    .put(b"id\0", __to))
                && (__put_by::<
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                        },
                    >>::Codec,
                    _,
                >(&self.time)
                    .put(b"time\0", __to))
                && (__put_by::<
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                        },
                    >>::Codec,
                    _,
                >(&self.message)
                    .put(b"message\0", __to)))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            __CHECKED_RecentLog
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
            __CHECKED_RecentLog
                .reads(
                    || (&__rt::Ask::<Self>::NEW).ask(),
                    __rt::Form::Struct,
                    "__ReadRecentLog",
                    &["id", "time", "message"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<LogMsg>::ID
                    },
                >>::Type,
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<LogMsg>::ID
                    },
                >>::Codec,
            >::new();
            let __1 = &mut __Slot::<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                    },
                >>::Type,
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                    },
                >>::Codec,
            >::new();
            let __2 = &mut __Slot::<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                    },
                >>::Type,
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                    },
                >>::Codec,
            >::new();
            if !(true && __0.next(&mut __from, b"id\0")
                && __1.next(&mut __from, b"time\0")
                && __2.next(&mut __from, b"message\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"id\0" => __0.fill(__kind, &mut __rest),
                    b"time\0" => __1.fill(__kind, &mut __rest),
                    b"message\0" => __2.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(RecentLog {
                id: __0.take()?,
                time: __1.take()?,
                message: __2.take()?,
            })
        }
    }
    mod __field_RecentLog {
        pub enum id {}
        pub enum time {}
        pub enum message {}
    }
    impl __rt::Segment for __field_RecentLog::id {
        const NAME: &'static str = "id";
        type Codec = __field_RecentLog::id;
        type Presence = __rt::Required;
    }
    #[automatically_derived]
    impl __rt::Encode<
        <LogMsg as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<LogMsg>::ID
            },
        >>::Type,
    > for __field_RecentLog::id {
        fn write<__S: __rt::serde::Serializer>(
            value: &<LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<LogMsg>::ID
                },
            >>::Type,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            <<LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<LogMsg>::ID
                },
            >>::Codec as __rt::Encode<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<LogMsg>::ID
                    },
                >>::Type,
            >>::write(value, serializer)
        }
    }
    impl __rt::Segment for __field_RecentLog::time {
        const NAME: &'static str = "time";
        type Codec = __field_RecentLog::time;
        type Presence = __rt::Required;
    }
    #[automatically_derived]
    impl __rt::Encode<
        <LogMsg as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
            },
        >>::Type,
    > for __field_RecentLog::time {
        fn write<__S: __rt::serde::Serializer>(
            value: &<LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                },
            >>::Type,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            <<LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                },
            >>::Codec as __rt::Encode<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                    },
                >>::Type,
            >>::write(value, serializer)
        }
    }
    impl __rt::Segment for __field_RecentLog::message {
        const NAME: &'static str = "message";
        type Codec = __field_RecentLog::message;
        type Presence = __rt::Required;
    }
    #[automatically_derived]
    impl __rt::Encode<
        <LogMsg as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
            },
        >>::Type,
    > for __field_RecentLog::message {
        fn write<__S: __rt::serde::Serializer>(
            value: &<LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                },
            >>::Type,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            <<LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                },
            >>::Codec as __rt::Encode<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                    },
                >>::Type,
            >>::write(value, serializer)
        }
    }
    #[derive(__rt::serde::Deserialize)]
    #[serde(crate = "::mongo_model::__private::serde")]
    struct __ReadRecentLog {
        #[serde(rename = "id")]
        id: __rt::CopyValue<
            LogMsg,
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<LogMsg>::ID
            },
        >,
        #[serde(rename = "time")]
        time: __rt::CopyValue<
            LogMsg,
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
            },
        >,
        #[serde(rename = "message")]
        message: __rt::CopyValue<
            LogMsg,
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
            },
        >,
    }
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for RecentLog {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let read = <__ReadRecentLog as __rt::serde::Deserialize>::deserialize(
                deserializer,
            )?;
            ::core::result::Result::Ok(RecentLog {
                id: read.id.0,
                time: read.time.0,
                message: read.message.0,
            })
        }
    }
    #[automatically_derived]
    impl __rt::serde::Serialize for RecentLog {
        fn serialize<__S: __rt::serde::Serializer>(
            &self,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            let mut document = __rt::serde::Serializer::serialize_struct(
                serializer,
                "RecentLog",
                3usize,
            )?;
            __rt::serde::ser::SerializeStruct::serialize_field(
                &mut document,
                "id",
                &__rt::CopyRef::<
                    LogMsg,
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<LogMsg>::ID
                    },
                >(&self.id),
            )?;
            __rt::serde::ser::SerializeStruct::serialize_field(
                &mut document,
                "time",
                &__rt::CopyRef::<
                    LogMsg,
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                    },
                >(&self.time),
            )?;
            __rt::serde::ser::SerializeStruct::serialize_field(
                &mut document,
                "message",
                &__rt::CopyRef::<
                    LogMsg,
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                    },
                >(&self.message),
            )?;
            __rt::serde::ser::SerializeStruct::end(document)
        }
    }
    pub struct RecentLogFields<__P: __rt::Path> {
        pub id: __rt::Field<
            __rt::At<__P, __field_RecentLog::id>,
            <LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<LogMsg>::ID
                },
            >>::Type,
            __rt::NotIndexed<__field_RecentLog::id, __P>,
            __rt::CopyOf<LogMsg>,
        >,
        pub time: __rt::Field<
            __rt::At<__P, __field_RecentLog::time>,
            <LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                },
            >>::Type,
            __rt::NotIndexed<__field_RecentLog::time, __P>,
            __rt::CopyOf<LogMsg>,
        >,
        pub message: __rt::Field<
            __rt::At<__P, __field_RecentLog::message>,
            <LogMsg as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                },
            >>::Type,
            __rt::NotIndexed<__field_RecentLog::message, __P>,
            __rt::CopyOf<LogMsg>,
        >,
    }
    #[automatically_derived]
    impl<__P: __rt::Path> ::core::clone::Clone for RecentLogFields<__P> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path> ::core::marker::Copy for RecentLogFields<__P> {}
    impl<__P: __rt::Path> __rt::Handles for RecentLogFields<__P> {
        const VALUE: Self = RecentLogFields {
            id: __rt::Field::NEW,
            time: __rt::Field::NEW,
            message: __rt::Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for RecentLog {
        type Elem = Self;
        type Sub<__P: __rt::Path> = RecentLogFields<__P>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::row::<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<LogMsg>::ID
                    },
                >>::Type,
            >("id", "id")
                .with(
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::Probe::<LogMsg>::ID
                        },
                    >>::WITH,
                ),
            __rt::row::<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                    },
                >>::Type,
            >("time", "time")
                .with(
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                        },
                    >>::WITH,
                )
                .max_len(
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                        },
                    >>::MAX_LEN,
                )
                .max(
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time")
                        },
                    >>::MAX,
                ),
            __rt::row::<
                <LogMsg as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                    },
                >>::Type,
            >("message", "message")
                .with(
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                        },
                    >>::WITH,
                )
                .max_len(
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                        },
                    >>::MAX_LEN,
                )
                .max(
                    <LogMsg as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message")
                        },
                    >>::MAX,
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "RecentLog",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            3usize,
        );
    }
    impl __rt::Projectable for RecentLog {
        type Handles = RecentLogFields<__rt::Nowhere>;
    }
    impl __rt::Names for RecentLog {
        const NAMES: &'static [&'static str] = &["id", "time", "message"];
    }
    impl __rt::HasSeg<0> for RecentLog {
        type Seg = __field_RecentLog::id;
        type Value = <LogMsg as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<LogMsg>::ID
            },
        >>::Type;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<1usize> for RecentLog {
        type Seg = __field_RecentLog::time;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<2usize> for RecentLog {
        type Seg = __field_RecentLog::message;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<{ __rt::MISSING }> for RecentLog {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    const _: () = __rt::check::field(
        &<Host as __rt::Value>::FIELDS[0usize],
        "Host::id",
        "Id<Host>",
        "Id<Host>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(&<Host as __rt::Value>::FIELDS[0usize], "Host::id");
    const _: () = __rt::check::field(
        &<Host as __rt::Value>::FIELDS[3usize],
        "Host::logmsgs",
        "Vec<RecentLog>",
        "RecentLog",
        false,
        0u32,
    );
    const _: () = __rt::check::children(
        __rt::check::About {
            owner: "Host::logmsgs",
            model: "Host",
            lower: "host",
            place: __rt::Probe::<Host>::PLACE,
            child: "LogMsg",
            verb: "lists",
        },
        __rt::Probe::<LogMsg>::IS_MODEL || !__rt::Probe::<LogMsg>::IS_KNOWN,
        __rt::Probe::<LogMsg>::REFERENCES,
        "",
    );
    const _: () = __rt::check::copied::<
        LogMsg,
        { __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time") },
    >("Host::logmsgs", "LogMsg", "time", "", "logmsgs", 0u32);
    const _: () = __rt::check::copied::<
        LogMsg,
        { __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "message") },
    >("Host::logmsgs", "LogMsg", "message", "", "logmsgs", 0u32);
    const _: () = {
        let _ = <<LogMsg as __rt::Lookup>::Fields as __rt::Handles>::VALUE.time;
    };
    const _: () = {
        let _ = <<LogMsg as __rt::Lookup>::Fields as __rt::Handles>::VALUE.message;
    };
    const _: () = __rt::check::sorted::<
        LogMsg,
        { __rt::slot(__rt::Probe::<LogMsg>::COPYABLE, "time") },
    >(
        __rt::Probe::<LogMsg>::IS_MODEL,
        "Host::logmsgs",
        "LogMsg",
        "time",
        __rt::Probe::<LogMsg>::COPYABLE,
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<LogMsg>::WALLED,
        "Host::logmsgs",
        "is about",
        "LogMsg",
    );
    const _: () = __rt::check::children(
        __rt::check::About {
            owner: "Host::messages",
            model: "Host",
            lower: "host",
            place: __rt::Probe::<Host>::PLACE,
            child: "LogMsg",
            verb: "counts",
        },
        __rt::Probe::<LogMsg>::IS_MODEL,
        __rt::Probe::<LogMsg>::REFERENCES,
        "",
    );
    const _: () = __rt::check::count_type(
        __rt::ProbeSame::<i64, ::core::primitive::i64>::IS_SAME
            || !__rt::Probe::<i64>::IS_VALUE,
        "Host::messages",
        "i64",
        "LogMsg",
        "counts",
    );
    const _: () = __rt::check::count_ttl(
        "Host::messages",
        "LogMsg",
        "counts",
        __rt::Probe::<LogMsg>::EXPIRES,
        __rt::Probe::<LogMsg>::FIELDS,
        0u32,
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<LogMsg>::WALLED,
        "Host::messages",
        "is about",
        "LogMsg",
    );
    const _: () = __rt::check::document(
        <Host as __rt::Value>::FIELDS,
        &[
            (1usize, "Host::name", "String"),
            (2usize, "Host::ipaddr", "String"),
            (4usize, "Host::messages", "i64"),
        ],
        "Host",
    );
};
