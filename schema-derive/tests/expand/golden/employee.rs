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
    mod __field {}
    pub enum __Id {}
    impl __rt::Segment for __Id {
        const NAME: &'static str = "_id";
        type Codec = __rt::Plain;
        type Presence = __rt::Required;
    }
    pub enum __Shared {}
    impl __rt::Segment for __Shared {
        const NAME: &'static str = "";
        type Codec = __rt::Plain;
        type Presence = __rt::Required;
    }
    pub enum __Variant0 {}
    impl __rt::Segment for __Variant0 {
        const NAME: &'static str = "";
        type Codec = __rt::Plain;
        type Presence = __rt::Required;
        const SCOPE: __rt::Scope = ::core::option::Option::Some(("kind", "Hourly"));
    }
    pub enum __Variant1 {}
    impl __rt::Segment for __Variant1 {
        const NAME: &'static str = "";
        type Codec = __rt::Plain;
        type Presence = __rt::Required;
        const SCOPE: __rt::Scope = ::core::option::Option::Some(("kind", "Salary"));
    }
    pub struct EmployeeFields {
        ///The `_id`.
        pub id: __rt::Field<
            __rt::Top<Employee, __Id>,
            <Hourly as __rt::HasSeg<
                { __rt::slot(<Hourly as __rt::Names>::NAMES, "id") },
            >>::Value,
            __rt::Indexed,
            __rt::Key<Employee>,
        >,
        ///`name` of every variant.
        pub name: <Hourly as __rt::HasSeg<
            { __rt::slot(<Hourly as __rt::Names>::NAMES, "name") },
        >>::Handle<__rt::Top<Employee, __Shared>>,
        ///The fields of a `Hourly`: a filter on them finds, and a change of them changes, such documents alone.
        pub hourly: __rt::Field<
            __rt::Top<Employee, __Variant0>,
            Hourly,
            __rt::NotIndexed<__Variant0>,
            __rt::Own,
        >,
        ///The fields of a `Salary`: a filter on them finds, and a change of them changes, such documents alone.
        pub salary: __rt::Field<
            __rt::Top<Employee, __Variant1>,
            Salary,
            __rt::NotIndexed<__Variant1>,
            __rt::Own,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for EmployeeFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for EmployeeFields {}
    impl __rt::Handles for EmployeeFields {
        const VALUE: Self = EmployeeFields {
            id: __rt::Field::NEW,
            name: __rt::Field::NEW,
            hourly: __rt::Field::NEW,
            salary: __rt::Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl EmployeeFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Employee, __rt::Everything> {
            __rt::everything()
        }
    }
    const __VARIANTS: &[&[__rt::FieldRow]] = &[
        <Hourly as __rt::Value>::FIELDS,
        <Salary as __rt::Value>::FIELDS,
    ];
    const __SHARED: &[__rt::FieldRow] = &__rt::variants::rows::<
        { __rt::variants::count(__VARIANTS, 0, true) },
    >(__VARIANTS, 0, true);
    const __REST_0: &[__rt::FieldRow] = &__rt::variants::rows::<
        { __rt::variants::count(__VARIANTS, 0usize, false) },
    >(__VARIANTS, 0usize, false);
    const __REST_1: &[__rt::FieldRow] = &__rt::variants::rows::<
        { __rt::variants::count(__VARIANTS, 1usize, false) },
    >(__VARIANTS, 1usize, false);
    const __TABLE: &[__rt::FieldRow] = &__rt::variants::table::<
        { __SHARED.len() + 3usize },
    >(
        __rt::row_unknown("kind", "kind", __rt::Kind::Any),
        __SHARED,
        &[
            __rt::row::<Hourly>("hourly", "")
                .variant(
                    "kind",
                    "Hourly",
                    &__rt::Shape {
                        name: "Hourly",
                        fields: __REST_0,
                    },
                ),
            __rt::row::<Salary>("salary", "")
                .variant(
                    "kind",
                    "Salary",
                    &__rt::Shape {
                        name: "Salary",
                        fields: __REST_1,
                    },
                ),
        ],
    );
    impl __rt::Value for Employee {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = __TABLE;
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Employee",
                fields: __TABLE,
            },
        );
        const SIZE: __rt::Size = <Hourly as __rt::Value>::SIZE
            .or(<Salary as __rt::Value>::SIZE);
    }
    impl __rt::Names for Employee {
        const NAMES: &'static [&'static str] = &["id", "name"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Employee {
        type Fields = EmployeeFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [&'static str] = &["id", "name"];
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Employee"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = {
            const __REFERENCES: ::core::option::Option<&[__rt::Referring]> = <Hourly as __rt::Lookup>::REFERENCES;
            const __FOUND: &[__rt::Referring] = &__rt::variants::references::<
                { __rt::variants::referring(__SHARED, __REFERENCES) },
            >(__SHARED, __REFERENCES);
            ::core::option::Option::Some(__FOUND)
        };
        const DENIES_UNKNOWN: bool = false || __rt::Probe::<Hourly>::DENIES_UNKNOWN
            || __rt::Probe::<Salary>::DENIES_UNKNOWN;
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Employee {
        type Handles = EmployeeFields;
    }
    impl __rt::HasField<0> for Employee {
        type Type = <Hourly as __rt::HasSeg<
            { __rt::slot(<Hourly as __rt::Names>::NAMES, "id") },
        >>::Value;
        type Codec = __rt::Plain;
        const IS_ID: bool = true;
    }
    impl __rt::HasField<1usize> for Employee {
        type Type = <Hourly as __rt::HasSeg<
            { __rt::slot(<Hourly as __rt::Names>::NAMES, "name") },
        >>::Value;
        type Codec = <<Hourly as __rt::HasSeg<
            { __rt::slot(<Hourly as __rt::Names>::NAMES, "name") },
        >>::Seg as __rt::Segment>::Codec;
    }
    impl __rt::HasField<{ __rt::ID }> for Employee {
        type Type = <Hourly as __rt::HasSeg<
            { __rt::slot(<Hourly as __rt::Names>::NAMES, "id") },
        >>::Value;
        type Codec = __rt::Plain;
    }
    impl __rt::RefTo<Employee>
    for <Hourly as __rt::HasSeg<
        { __rt::slot(<Hourly as __rt::Names>::NAMES, "id") },
    >>::Value {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Employee {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            __CHECKED
                .value(
                    __key,
                    __to,
                    |__key, __to| match self {
                        Employee::Hourly { 0: __0 } => {
                            __rt::done(
                                (&__put(__0)).under(__key, b"kind\0", "Hourly", __to),
                            )
                        }
                        Employee::Salary { 0: __0 } => {
                            __rt::done(
                                (&__put(__0)).under(__key, b"kind\0", "Salary", __to),
                            )
                        }
                        Employee::Unknown { .. } => {
                            let __open = __to.tagged(__key, b"kind\0", "Unknown")?;
                            __to.close(__open)
                        }
                    },
                    &|__key, __to| (&__rt::put(self)).put_checked(__key, __to),
                )
        }
        fn read(
            __kind: u8,
            __from: &mut __rt::Reader<'_>,
        ) -> ::core::result::Result<Self, __rt::Refused> {
            __CHECKED
                .reads(
                    || (&__rt::Ask::<Self>::NEW).ask_tagged("kind"),
                    __rt::Form::Tagged,
                    "Employee",
                    &["Hourly", "Salary", "Unknown"],
                )?;
            let mut __beside = __rt::Beside::new();
            let (__tag, mut __from) = __from.tagged(__kind, b"kind\0", &mut __beside)?;
            match __tag {
                "Hourly" => {
                    let mut __value = __Slot::<Hourly>::new();
                    __rt::done((&mut __value).rest(__from))?;
                    ::core::result::Result::Ok(Employee::Hourly {
                        0: __value.present()?,
                    })
                }
                "Salary" => {
                    let mut __value = __Slot::<Salary>::new();
                    __rt::done((&mut __value).rest(__from))?;
                    ::core::result::Result::Ok(Employee::Salary {
                        0: __value.present()?,
                    })
                }
                _ => {
                    __from.skip_all()?;
                    ::core::result::Result::Ok(Employee::Unknown {})
                }
            }
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Employee",
            collection: "employees",
            shape: &__rt::Shape {
                name: "Employee",
                fields: <Employee as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Employee as __rt::Value>::SIZE,
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
    impl __rt::Model for Employee {
        type DocumentId = <Hourly as __rt::HasSeg<
            { __rt::slot(<Hourly as __rt::Names>::NAMES, "id") },
        >>::Value;
        type FieldHandles = EmployeeFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(
            &self,
        ) -> &<Hourly as __rt::HasSeg<
            { __rt::slot(<Hourly as __rt::Names>::NAMES, "id") },
        >>::Value {
            match self {
                Self::Hourly(document) => {
                    __rt::id_of::<
                        Hourly,
                        _,
                        { __rt::slot(<Hourly as __rt::Names>::NAMES, "id") },
                    >(document)
                }
                Self::Salary(document) => {
                    __rt::id_of::<
                        Salary,
                        _,
                        { __rt::slot(<Salary as __rt::Names>::NAMES, "id") },
                    >(document)
                }
                Self::Unknown { .. } => __rt::no_id("Employee"),
            }
        }
        fn is_unknown(&self) -> bool {
            ::core::matches!(self, Self::Unknown { .. })
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Employee > (__rt::decodes:: < Employee >)
    }
    impl __rt::Unversioned for Employee {}
    impl __rt::Insertable for Employee {}
    impl __rt::Replaceable for Employee {}
    #[automatically_derived]
    impl __rt::MayBePerson for Employee {
        type Is = __rt::Is<{ __rt::are_persons(<Employee as __rt::Value>::FIELDS) }>;
    }
    __rt::inventory::submit! {
        __rt::PersonalModel::of:: < Employee > ()
    }
    #[automatically_derived]
    impl __rt::Projected<Employee> for Hourly {
        fn read(
            raw: &__rt::RawDocument,
        ) -> ::core::result::Result<Self, __rt::CodecError> {
            match __rt::decode_document::<Employee>(raw)? {
                Employee::Hourly(document) => ::core::result::Result::Ok(document),
                #[allow(unreachable_patterns)]
                _ => ::core::result::Result::Err(__rt::CodecError::variant("Hourly")),
            }
        }
    }
    impl Employee {
        ///The `Hourly` documents that meet a filter on their fields which a declared index serves; other variants are not read. As `find`.
        pub fn find_hourly<__F, __S, __C>(
            db: &__rt::Database,
            filter: __F,
        ) -> ::mongo_model::crud::Find<'_, Employee, Hourly, __S::Order>
        where
            __F: ::core::ops::FnOnce(
                <Hourly as __rt::Value>::Sub<__rt::Top<Employee, __Variant0>>,
            ) -> ::mongo_model::Filter<__C, __S>,
            __S: __rt::ServedBy<Employee, __C> + __rt::Orders,
        {
            __rt::find_variant::<
                Employee,
                Hourly,
                __Variant0,
                __S::Order,
            >(
                db,
                filter(
                        <<Hourly as __rt::Value>::Sub<
                            __rt::Top<Employee, __Variant0>,
                        > as __rt::Handles>::VALUE,
                    )
                    .__served(),
            )
        }
        ///As `find_hourly`, for a filter that no index serves.
        pub fn scan_hourly<__F, __S, __C>(
            db: &__rt::Database,
            filter: __F,
        ) -> ::mongo_model::crud::Find<'_, Employee, Hourly, __S::Order>
        where
            __F: ::core::ops::FnOnce(
                <Hourly as __rt::Value>::Sub<__rt::Top<Employee, __Variant0>>,
            ) -> ::mongo_model::Filter<__C, __S>,
            __S: __rt::AskedOf<Employee, __C>,
        {
            __rt::find_variant::<
                Employee,
                Hourly,
                __Variant0,
                __S::Order,
            >(
                db,
                filter(
                        <<Hourly as __rt::Value>::Sub<
                            __rt::Top<Employee, __Variant0>,
                        > as __rt::Handles>::VALUE,
                    )
                    .__scanned(),
            )
        }
        ///The document with this `_id` if it is a `Hourly`; else `None`. As `get`.
        pub fn get_hourly(
            db: &__rt::Database,
            id: impl ::mongo_model::field::IntoArg<<Employee as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::crud::FindOne<'_, Employee, Hourly> {
            __rt::get_variant::<Employee, Hourly, __Variant0>(db, &id.into_arg())
        }
        ///How many `Hourly` documents meet a filter which a declared index serves. As `count`.
        pub fn count_hourly<__F, __S, __C>(
            db: &__rt::Database,
            filter: __F,
        ) -> ::mongo_model::crud::Count<'_, Employee>
        where
            __F: ::core::ops::FnOnce(
                <Hourly as __rt::Value>::Sub<__rt::Top<Employee, __Variant0>>,
            ) -> ::mongo_model::Filter<__C, __S>,
            __S: __rt::ServedBy<Employee, __C> + __rt::Orders,
            <__S as __rt::Orders>::Order: __rt::Countable,
        {
            __rt::count_variant::<
                Employee,
                __Variant0,
            >(
                db,
                filter(
                        <<Hourly as __rt::Value>::Sub<
                            __rt::Top<Employee, __Variant0>,
                        > as __rt::Handles>::VALUE,
                    )
                    .__served(),
            )
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Hourly> for Employee {
        fn from(document: Hourly) -> Self {
            Employee::Hourly(document)
        }
    }
    #[automatically_derived]
    impl __rt::Projected<Employee> for Salary {
        fn read(
            raw: &__rt::RawDocument,
        ) -> ::core::result::Result<Self, __rt::CodecError> {
            match __rt::decode_document::<Employee>(raw)? {
                Employee::Salary(document) => ::core::result::Result::Ok(document),
                #[allow(unreachable_patterns)]
                _ => ::core::result::Result::Err(__rt::CodecError::variant("Salary")),
            }
        }
    }
    impl Employee {
        ///The `Salary` documents that meet a filter on their fields which a declared index serves; other variants are not read. As `find`.
        pub fn find_salary<__F, __S, __C>(
            db: &__rt::Database,
            filter: __F,
        ) -> ::mongo_model::crud::Find<'_, Employee, Salary, __S::Order>
        where
            __F: ::core::ops::FnOnce(
                <Salary as __rt::Value>::Sub<__rt::Top<Employee, __Variant1>>,
            ) -> ::mongo_model::Filter<__C, __S>,
            __S: __rt::ServedBy<Employee, __C> + __rt::Orders,
        {
            __rt::find_variant::<
                Employee,
                Salary,
                __Variant1,
                __S::Order,
            >(
                db,
                filter(
                        <<Salary as __rt::Value>::Sub<
                            __rt::Top<Employee, __Variant1>,
                        > as __rt::Handles>::VALUE,
                    )
                    .__served(),
            )
        }
        ///As `find_salary`, for a filter that no index serves.
        pub fn scan_salary<__F, __S, __C>(
            db: &__rt::Database,
            filter: __F,
        ) -> ::mongo_model::crud::Find<'_, Employee, Salary, __S::Order>
        where
            __F: ::core::ops::FnOnce(
                <Salary as __rt::Value>::Sub<__rt::Top<Employee, __Variant1>>,
            ) -> ::mongo_model::Filter<__C, __S>,
            __S: __rt::AskedOf<Employee, __C>,
        {
            __rt::find_variant::<
                Employee,
                Salary,
                __Variant1,
                __S::Order,
            >(
                db,
                filter(
                        <<Salary as __rt::Value>::Sub<
                            __rt::Top<Employee, __Variant1>,
                        > as __rt::Handles>::VALUE,
                    )
                    .__scanned(),
            )
        }
        ///The document with this `_id` if it is a `Salary`; else `None`. As `get`.
        pub fn get_salary(
            db: &__rt::Database,
            id: impl ::mongo_model::field::IntoArg<<Employee as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::crud::FindOne<'_, Employee, Salary> {
            __rt::get_variant::<Employee, Salary, __Variant1>(db, &id.into_arg())
        }
        ///How many `Salary` documents meet a filter which a declared index serves. As `count`.
        pub fn count_salary<__F, __S, __C>(
            db: &__rt::Database,
            filter: __F,
        ) -> ::mongo_model::crud::Count<'_, Employee>
        where
            __F: ::core::ops::FnOnce(
                <Salary as __rt::Value>::Sub<__rt::Top<Employee, __Variant1>>,
            ) -> ::mongo_model::Filter<__C, __S>,
            __S: __rt::ServedBy<Employee, __C> + __rt::Orders,
            <__S as __rt::Orders>::Order: __rt::Countable,
        {
            __rt::count_variant::<
                Employee,
                __Variant1,
            >(
                db,
                filter(
                        <<Salary as __rt::Value>::Sub<
                            __rt::Top<Employee, __Variant1>,
                        > as __rt::Handles>::VALUE,
                    )
                    .__served(),
            )
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Salary> for Employee {
        fn from(document: Salary) -> Self {
            Employee::Salary(document)
        }
    }
    const _: () = __rt::check::variant_id(
        <Hourly as __rt::Value>::FIELDS,
        "Employee::Hourly",
        "Hourly",
    );
    const _: () = __rt::check::document(
        <Hourly as __rt::Value>::FIELDS,
        &[],
        "Employee::Hourly",
    );
    const _: () = __rt::check::unknown_in_variant(
        __rt::Probe::<Hourly>::DENIES_UNKNOWN,
        false,
        <Employee as __rt::Value>::FIELDS,
        "Employee",
        "Hourly",
    );
    const _: () = __rt::check::personal_in_variant(
        <Hourly as __rt::Value>::FIELDS,
        "Employee::Hourly",
        __rt::check::Holder {
            model: "Employee",
            fields: <Employee as __rt::Value>::FIELDS,
            fixed: "",
            recorded: false,
        },
    );
    const _: () = __rt::check::variant_beside(__REST_0, "Employee::Hourly");
    const _: () = __rt::check::variant_beside(__SHARED, "Employee::Hourly");
    const _: () = __rt::check::variant_common(
        <Hourly as __rt::Value>::FIELDS,
        "Employee::Hourly",
        "name",
    );
    const _: () = __rt::check::variant_id(
        <Salary as __rt::Value>::FIELDS,
        "Employee::Salary",
        "Salary",
    );
    const _: () = __rt::check::document(
        <Salary as __rt::Value>::FIELDS,
        &[],
        "Employee::Salary",
    );
    const _: () = __rt::check::unknown_in_variant(
        __rt::Probe::<Salary>::DENIES_UNKNOWN,
        false,
        <Employee as __rt::Value>::FIELDS,
        "Employee",
        "Salary",
    );
    const _: () = __rt::check::personal_in_variant(
        <Salary as __rt::Value>::FIELDS,
        "Employee::Salary",
        __rt::check::Holder {
            model: "Employee",
            fields: <Employee as __rt::Value>::FIELDS,
            fixed: "",
            recorded: false,
        },
    );
    const _: () = __rt::check::variant_fields(
        __rt::check::Variant {
            name: "Employee::Hourly",
            fields: <Hourly as __rt::Value>::FIELDS,
            references: __rt::Probe::<Hourly>::REFERENCES,
        },
        __rt::check::Variant {
            name: "Employee::Salary",
            fields: <Salary as __rt::Value>::FIELDS,
            references: __rt::Probe::<Salary>::REFERENCES,
        },
    );
    const _: () = __rt::check::variant_shared(
        __SHARED,
        "Employee::Hourly",
        <Salary as __rt::Value>::FIELDS,
        "Employee::Salary",
    );
    const _: () = __rt::check::variant_beside(__REST_1, "Employee::Salary");
    const _: () = __rt::check::variant_common(
        <Salary as __rt::Value>::FIELDS,
        "Employee::Salary",
        "name",
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
        pub enum name {}
        pub enum rate {}
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
    impl __Segment for __field::rate {
        const NAME: __Str = "rate";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct HourlyFields<__P: __rt::Path> {
        pub id: __Field<
            __rt::At<__P, __field::id>,
            Id<Employee>,
            __rt::NotIndexed<__field::id, __P>,
            __Own,
        >,
        pub name: __Field<__rt::At<__P, __field::name>, String, __rt::Indexed, __Own>,
        pub rate: __Field<
            __rt::At<__P, __field::rate>,
            i64,
            __rt::NotIndexed<__field::rate, __P>,
            __Own,
        >,
        __path: ::core::marker::PhantomData<fn() -> __P>,
    }
    #[automatically_derived]
    impl<__P: __rt::Path> ::core::clone::Clone for HourlyFields<__P> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path> ::core::marker::Copy for HourlyFields<__P> {}
    impl<__P: __rt::Path> __rt::Handles for HourlyFields<__P> {
        const VALUE: Self = HourlyFields {
            id: __Field::NEW,
            name: __Field::NEW,
            rate: __Field::NEW,
            __path: ::core::marker::PhantomData,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for Hourly {
        type Elem = Self;
        type Sub<__P: __rt::Path> = HourlyFields<__P>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Employee>>::STORED.row("id", "_id"),
            __rt::Probe::<String>::STORED
                .row("name", "name")
                .indexes(&[__rt::IndexRow::PLAIN]),
            __rt::Probe::<i64>::STORED.row("rate", "rate"),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Hourly",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Hourly {
        const NAMES: &'static [__Str] = &["id", "name", "rate"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Hourly {
        type Fields = HourlyFields<__rt::Nowhere>;
    }
    impl __rt::Projectable for Hourly {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    #[automatically_derived]
    impl __rt::HasSeg<0usize> for Hourly {
        type Seg = __field::id;
        type Value = Id<Employee>;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::id>,
            Id<Employee>,
            __rt::NotIndexed<__field::id, __P>,
            __Own,
        >;
        fn __id(&self) -> ::core::option::Option<&dyn ::core::any::Any> {
            ::core::option::Option::Some(&self.id)
        }
    }
    impl __rt::HasSeg<1usize> for Hourly {
        type Seg = __field::name;
        type Value = String;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::name>,
            String,
            __rt::Indexed,
            __Own,
        >;
    }
    impl __rt::HasSeg<2usize> for Hourly {
        type Seg = __field::rate;
        type Value = i64;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::rate>,
            i64,
            __rt::NotIndexed<__field::rate, __P>,
            __Own,
        >;
    }
    impl __rt::HasSeg<{ __rt::MISSING }> for Hourly {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::CopyFields for Hourly {
        type Inside = <Self as __rt::Lookup>::Fields;
        const INSIDE: &'static [__Str] = <Self as __rt::Names>::NAMES;
    }
    impl __HasField<0usize> for Hourly {
        type Type = Id<Employee>;
        type Codec = __Plain;
    }
    impl __HasField<1usize> for Hourly {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Hourly {
        type Type = i64;
        type Codec = __Plain;
    }
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Hourly {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.name).put(b"name\0", __to))
                && (__put(&self.rate).put(b"rate\0", __to)))
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
                    "Hourly",
                    &["_id", "name", "rate"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Employee>>::new();
            let __1 = &mut __Slot::<String>::new();
            let __2 = &mut __Slot::<i64>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"name\0") && __2.next(&mut __from, b"rate\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"name\0" => __1.fill(__kind, &mut __rest),
                    b"rate\0" => __2.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Hourly {
                id: __0.take()?,
                name: __1.take()?,
                rate: __2.take()?,
            })
        }
    }
    const _: () = __rt::check::field(
        &<Hourly as __rt::Value>::FIELDS[0usize],
        "Hourly::id",
        "Id<Employee>",
        "Id<Employee>",
        false,
        0u32,
    );
    const _: () = __rt::check::plain(
        <Hourly as __rt::Value>::FIELDS,
        &[(1usize, "Hourly::name", "String"), (2usize, "Hourly::rate", "i64")],
    );
};
