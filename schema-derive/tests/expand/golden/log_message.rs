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
        pub enum time {}
        pub enum message {}
        pub enum host {}
        pub enum ipaddr {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::time {
        const NAME: __Str = "time";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::message {
        const NAME: __Str = "message";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::host {
        const NAME: __Str = "host";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::ipaddr {
        const NAME: __Str = "ipaddr";
        type Codec = __Plain;
        type Presence = __Required;
    }
    type __to_host = Host;
    pub struct LogMsgFields {
        pub id: __Field<
            __Top<LogMsg, __field::id>,
            Id<LogMsg>,
            __rt::Indexed,
            __rt::Key<LogMsg>,
        >,
        pub time: __Free<LogMsg, __field::time, DateTime>,
        pub message: __Free<LogMsg, __field::message, String>,
        pub host: __Field<
            __Top<LogMsg, __field::host>,
            Id<Host>,
            __rt::Indexed,
            __rt::ReferenceWithCopies<__to_host, __rt::Scalar>,
        >,
        pub ipaddr: __Field<
            __Top<LogMsg, __field::ipaddr>,
            String,
            __NotIndexed<__field::ipaddr>,
            __rt::CopyOf<Host>,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for LogMsgFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for LogMsgFields {}
    impl __rt::Handles for LogMsgFields {
        const VALUE: Self = LogMsgFields {
            id: __Field::NEW,
            time: __Field::NEW,
            message: __Field::NEW,
            host: __Field::NEW,
            ipaddr: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl LogMsgFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<LogMsg, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for LogMsg {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<LogMsg>>::STORED.row("id", "_id"),
            __rt::Probe::<DateTime>::STORED.row("time", "time"),
            __rt::Probe::<String>::STORED.row("message", "message").max_len(500u64),
            __rt::Probe::<Id<Host>>::STORED
                .row("host", "host")
                .relation(
                    &__rt::RelationRow::one(__rt::Probe::<Host>::TABLES)
                        .sort("time", true)
                        .copied()
                        .on_delete(__rt::OnDelete::Cascade),
                ),
            __rt::Probe::<String>::STORED
                .row("ipaddr", "ipaddr")
                .max_len(
                    <Host as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr")
                        },
                    >>::MAX_LEN,
                )
                .max(
                    <Host as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr")
                        },
                    >>::MAX,
                )
                .copy(
                    &__rt::CopyRow {
                        source: __rt::Probe::<Host>::TABLES,
                        field: "ipaddr",
                        via: "host",
                        snapshot: false,
                        level: __rt::Level::Eventual,
                    },
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "LogMsg",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for LogMsg {
        const NAMES: &'static [__Str] = &["id", "time", "message", "host", "ipaddr"];
    }
    #[automatically_derived]
    impl __rt::Lookup for LogMsg {
        type Fields = LogMsgFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "LogMsg"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[
                __rt::Referring {
                    field: "host",
                    to: __rt::Probe::<Host>::PLACE,
                    many: false,
                    optional: __rt::Probe::<Id<Host>>::IS_OPTION,
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
    impl __rt::Projectable for LogMsg {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for LogMsg {
        type Type = Id<LogMsg>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for LogMsg {
        type Type = DateTime;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for LogMsg {
        type Type = String;
        type Codec = __Plain;
        const MAX_LEN: u64 = 500u64;
    }
    impl __HasField<3usize> for LogMsg {
        type Type = Id<Host>;
        type Codec = __Plain;
    }
    impl __HasField<4usize> for LogMsg {
        type Type = String;
        type Codec = __Plain;
        const ORIGIN_1: ::core::option::Option<__rt::Origin> = ::core::option::Option::Some(__rt::Origin {
            place: __rt::Probe::<Host>::PLACE,
            model: "Host",
            field: "ipaddr",
            personal: __rt::is_personal_at(__rt::Probe::<Host>::FIELDS, &["ipaddr"]),
        });
        const ORIGIN_2: ::core::option::Option<__rt::Origin> = <Host as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr")
            },
        >>::ORIGIN_1;
        const ORIGIN_3: ::core::option::Option<__rt::Origin> = <Host as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr")
            },
        >>::ORIGIN_2;
        const ORIGIN_4: ::core::option::Option<__rt::Origin> = <Host as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr")
            },
        >>::ORIGIN_3;
    }
    impl __rt::HasField<{ __rt::ID }> for LogMsg {
        type Type = Id<LogMsg>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<LogMsg> for Id<LogMsg> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for LogMsg {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.time).put(b"time\0", __to))
                && (__put(&self.message).put(b"message\0", __to))
                && (__put(&self.host).put(b"host\0", __to))
                && (__put(&self.ipaddr).put(b"ipaddr\0", __to)))
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
                    "LogMsg",
                    &["_id", "time", "message", "host", "ipaddr"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<LogMsg>>::new();
            let __1 = &mut __Slot::<DateTime>::new();
            let __2 = &mut __Slot::<String>::new();
            let __3 = &mut __Slot::<Id<Host>>::new();
            let __4 = &mut __Slot::<String>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"time\0")
                && __2.next(&mut __from, b"message\0")
                && __3.next(&mut __from, b"host\0")
                && __4.next(&mut __from, b"ipaddr\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"time\0" => __1.fill(__kind, &mut __rest),
                    b"message\0" => __2.fill(__kind, &mut __rest),
                    b"host\0" => __3.fill(__kind, &mut __rest),
                    b"ipaddr\0" => __4.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(LogMsg {
                id: __0.take()?,
                time: __1.take()?,
                message: __2.take()?,
                host: __3.take()?,
                ipaddr: __4.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "LogMsg",
            collection: "logmsg",
            shape: &__rt::Shape {
                name: "LogMsg",
                fields: <LogMsg as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <LogMsg as __rt::Value>::SIZE,
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
    impl __rt::Model for LogMsg {
        type DocumentId = Id<LogMsg>;
        type FieldHandles = LogMsgFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<LogMsg> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < LogMsg > (__rt::decodes:: < LogMsg >)
    }
    impl __rt::Unversioned for LogMsg {}
    impl __rt::Insertable for LogMsg {}
    impl __rt::Replaceable for LogMsg {}
    impl LogMsg
    where
        for<'__any> Host: __rt::Model,
    {
        ///Loads what `host` refers to, from the collection of `Host`: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_host<'a>(
            &self,
            db: &'a ::mongo_model::Database,
        ) -> ::mongo_model::load::Load<
            'a,
            ::mongo_model::load::Refs<LogMsg, Host, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Load::refs::<
                LogMsg,
            >(
                db,
                self,
                3usize,
                |__document| __rt::encode_value(&__document.host),
                |__document: &LogMsg, __key, __to| __rt::done(
                    __rt::put(&__document.host).put(__key, __to),
                ),
            )
        }
        ///Loads what `host` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_host_many<'a, 'd, __D: ::mongo_model::load::AsModel<LogMsg>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Refs<LogMsg, Host, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Join::refs::<
                LogMsg,
            >(
                db,
                documents,
                3usize,
                |__document| __rt::encode_value(&__document.host),
                |__document: &LogMsg, __key, __to| __rt::done(
                    __rt::put(&__document.host).put(__key, __to),
                ),
            )
        }
        ///The documents whose `host` refers to this `Host`: one `find`, served by an index.
        pub fn by_host<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Host as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::load::By<'a, LogMsg, Host> {
            ::mongo_model::load::By::new(db, "host", id)
        }
        ///The documents whose `host` refers to each of these: one command, served by an index.
        pub fn by_host_many<'a, 'd, __D: ::mongo_model::load::AsModel<Host>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Children<LogMsg, Host>,
        > {
            ::mongo_model::load::Join::children(db, documents, 3usize)
        }
    }
    impl LogMsg {
        ///True if the error says that another `LogMsg` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<LogMsg as __rt::Value>::FIELDS[0usize],
        "LogMsg::id",
        "Id<LogMsg>",
        "Id<LogMsg>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(
        &<LogMsg as __rt::Value>::FIELDS[0usize],
        "LogMsg::id",
    );
    const _: () = __rt::check::field(
        &<LogMsg as __rt::Value>::FIELDS[1usize],
        "LogMsg::time",
        "DateTime",
        "DateTime",
        false,
        0u32,
    );
    const _: () = __rt::check::field(
        &<LogMsg as __rt::Value>::FIELDS[2usize],
        "LogMsg::message",
        "String",
        "String",
        false,
        0u32,
    );
    const _: () = __rt::check::field(
        &<LogMsg as __rt::Value>::FIELDS[3usize],
        "LogMsg::host",
        "Id<Host>",
        "Id<Host>",
        false,
        0u32,
    );
    const _: () = {
        __rt::check::target(
            (
                __rt::Probe::<Host>::IS_MODEL || !__rt::Probe::<Host>::IS_KNOWN,
                __rt::Probe::<Host>::DENIES_UNKNOWN,
            ),
            true,
            "LogMsg::host",
            "Host",
            false,
        );
        __rt::check::id_key(
            __rt::Probe::<Host>::ID_IS_COMPARED,
            true,
            "LogMsg::host",
            "Host",
        )
    };
    const _: () = __rt::check::ids(
        __rt::ProbeIds::<Id<Host>, Host>::HOLDS_IDS || !__rt::Probe::<Host>::IS_MODEL
            || !__rt::Probe::<Id<Host>>::IS_VALUE,
        ("", __rt::Probe::<Host>::ID_FORM),
        true,
        "LogMsg::host",
        "Id<Host>",
        "Host",
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<Host>::WALLED,
        "LogMsg::host",
        "refers to",
        "Host",
    );
    const _: () = __rt::check::copied::<
        Host,
        { __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr") },
    >(
        "LogMsg::ipaddr",
        "Host",
        "ipaddr",
        <LogMsg as __rt::Lookup>::PLACE,
        "ipaddr",
        0u32,
    );
    const _: () = {
        let _ = <<Host as __rt::Lookup>::Fields as __rt::Handles>::VALUE.ipaddr;
    };
    const _: () = __rt::check::same_with::<
        Host,
        { __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr") },
    >("LogMsg::ipaddr", "Host", "ipaddr", false);
    const _: () = __rt::check::copy_type::<
        Host,
        { __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr") },
    >(
        __rt::check::CopyTypes {
            same: __rt::ProbeSame::<
                String,
                <Host as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr") },
                >>::Type,
            >::IS_SAME,
            option_of_source: __rt::ProbeSame::<
                String,
                ::core::option::Option<
                    <Host as __rt::HasField<
                        { __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr") },
                    >>::Type,
                >,
            >::IS_SAME,
            source_is_option_of_it: __rt::ProbeSame::<
                ::core::option::Option<String>,
                <Host as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr") },
                >>::Type,
            >::IS_SAME,
            source_is_option: __rt::Probe::<
                <Host as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Host>::COPYABLE, "ipaddr") },
                >>::Type,
            >::IS_OPTION,
            beside_option: __rt::Probe::<Id<Host>>::IS_OPTION,
            through: "",
            unread: false,
        },
        "LogMsg::ipaddr",
        "String",
        "",
        "Host",
        "ipaddr",
        "host",
    );
    const _: () = __rt::check::document(
        <LogMsg as __rt::Value>::FIELDS,
        &[(4usize, "LogMsg::ipaddr", "String")],
        "LogMsg",
    );
};
