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
        pub enum balance {}
        pub enum version {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::balance {
        const NAME: __Str = "balance";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::version {
        const NAME: __Str = "version";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct AccountFields {
        pub id: __Field<
            __Top<Account, __field::id>,
            Id<Account>,
            __rt::Indexed,
            __rt::Key<Account>,
        >,
        pub balance: __Free<Account, __field::balance, i64>,
        pub version: __Field<
            __Top<Account, __field::version>,
            i64,
            __NotIndexed<__field::version>,
            __rt::VersionOf<Account>,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for AccountFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for AccountFields {}
    impl __rt::Handles for AccountFields {
        const VALUE: Self = AccountFields {
            id: __Field::NEW,
            balance: __Field::NEW,
            version: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl AccountFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Account, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Account {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Account>>::STORED.row("id", "_id"),
            __rt::Probe::<i64>::STORED.row("balance", "balance"),
            __rt::Probe::<i64>::STORED
                .row("version", "version")
                .version(__rt::ProbeSame::<i64, ::core::primitive::i32>::IS_SAME),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Account",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Account {
        const NAMES: &'static [__Str] = &["id", "balance", "version"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Account {
        type Fields = AccountFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Account"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Account {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Account {
        type Type = Id<Account>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Account {
        type Type = i64;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Account {
        type Type = i64;
        type Codec = __Plain;
        const VERSION: bool = true;
    }
    impl __rt::HasField<{ __rt::ID }> for Account {
        type Type = Id<Account>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Account> for Id<Account> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Account {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.balance).put(b"balance\0", __to))
                && (__put(&self.version).put(b"version\0", __to)))
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
                    "Account",
                    &["_id", "balance", "version"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Account>>::new();
            let __1 = &mut __Slot::<i64>::new();
            let __2 = &mut __Slot::<i64>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"balance\0")
                && __2.next(&mut __from, b"version\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"balance\0" => __1.fill(__kind, &mut __rest),
                    b"version\0" => __2.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Account {
                id: __0.take()?,
                balance: __1.take()?,
                version: __2.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Account",
            collection: "accounts",
            shape: &__rt::Shape {
                name: "Account",
                fields: <Account as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Account as __rt::Value>::SIZE,
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
    impl __rt::Model for Account {
        type DocumentId = Id<Account>;
        type FieldHandles = AccountFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Account> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Account > (__rt::decodes:: < Account >)
    }
    #[automatically_derived]
    impl __rt::Versioned for Account {
        fn version(&self) -> ::core::primitive::i64 {
            __rt::version_of(&self.version)
        }
        fn set_version(
            &mut self,
            version: ::core::primitive::i64,
        ) -> ::core::primitive::bool {
            __rt::put_version(&mut self.version, version)
        }
    }
    impl __rt::Insertable for Account {}
    impl __rt::Replaceable for Account {}
    impl Account {
        ///True if the error says that another `Account` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<Account as __rt::Value>::FIELDS[0usize],
        "Account::id",
        "Id<Account>",
        "Id<Account>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(
        &<Account as __rt::Value>::FIELDS[0usize],
        "Account::id",
    );
    const _: () = __rt::check::version(
        __rt::ProbeSame::<i64, ::core::primitive::i64>::IS_SAME
            || __rt::ProbeSame::<i64, ::core::primitive::i32>::IS_SAME
            || !__rt::Probe::<i64>::IS_VALUE,
        "Account::version",
        "i64",
    );
    const _: () = __rt::check::document(
        <Account as __rt::Value>::FIELDS,
        &[(1usize, "Account::balance", "i64"), (2usize, "Account::version", "i64")],
        "Account",
    );
};
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
        pub enum urgency {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::urgency {
        const NAME: __Str = "urgency";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct MailFields {
        pub id: __Field<
            __Top<Mail, __field::id>,
            Id<Mail>,
            __rt::Indexed,
            __rt::Key<Mail>,
        >,
        pub urgency: __Free<Mail, __field::urgency, i32>,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for MailFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for MailFields {}
    impl __rt::Handles for MailFields {
        const VALUE: Self = MailFields {
            id: __Field::NEW,
            urgency: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl MailFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Mail, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Mail {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Mail>>::STORED.row("id", "_id"),
            __rt::Probe::<i32>::STORED.row("urgency", "urgency"),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Mail",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Mail {
        const NAMES: &'static [__Str] = &["id", "urgency"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Mail {
        type Fields = MailFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Mail"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Mail {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Mail {
        type Type = Id<Mail>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Mail {
        type Type = i32;
        type Codec = __Plain;
    }
    impl __rt::HasField<{ __rt::ID }> for Mail {
        type Type = Id<Mail>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Mail> for Id<Mail> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Mail {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.urgency).put(b"urgency\0", __to)))
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
                    "Mail",
                    &["_id", "urgency"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Mail>>::new();
            let __1 = &mut __Slot::<i32>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"urgency\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"urgency\0" => __1.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Mail {
                id: __0.take()?,
                urgency: __1.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Mail",
            collection: "mails",
            shape: &__rt::Shape {
                name: "Mail",
                fields: <Mail as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Mail as __rt::Value>::SIZE,
            advice: &[],
            allowed: &[],
            queue: ::core::option::Option::Some(
                __rt::QueueRow::new(3u32).priority("urgency"),
            ),
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
    impl __rt::Model for Mail {
        type DocumentId = Id<Mail>;
        type FieldHandles = MailFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Mail> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Mail > (__rt::decodes:: < Mail >)
    }
    impl __rt::Unversioned for Mail {}
    impl __rt::Queued for Mail {}
    impl __rt::Insertable for Mail {}
    impl __rt::Replaceable for Mail {}
    impl Mail {
        ///True if the error says that another `Mail` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<Mail as __rt::Value>::FIELDS[0usize],
        "Mail::id",
        "Id<Mail>",
        "Id<Mail>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(&<Mail as __rt::Value>::FIELDS[0usize], "Mail::id");
    const _: () = __rt::check::document(
        <Mail as __rt::Value>::FIELDS,
        &[(1usize, "Mail::urgency", "i32")],
        "Mail",
    );
    const _: () = __rt::check::queue_field(
        &<Mail as __rt::Value>::FIELDS[1usize],
        "Mail",
        "priority",
        "urgency",
    );
};
