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
        pub enum addresses {}
        pub enum tasks {}
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
    impl __Segment for __field::addresses {
        const NAME: __Str = "addresses";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::tasks {
        const NAME: __Str = "tasks";
        type Codec = __Plain;
        type Presence = __Required;
    }
    type __to_tasks = Task;
    pub struct PersonFields {
        pub id: __Field<
            __Top<Person, __field::id>,
            Id<Person>,
            __rt::Indexed,
            __rt::Key<Person>,
        >,
        pub name: __Free<Person, __field::name, String>,
        pub addresses: __Free<Person, __field::addresses, Vec<Address>>,
        pub tasks: __Field<
            __Top<Person, __field::tasks>,
            Vec<Id<Task>>,
            __rt::Indexed,
            __rt::OtherSide<__to_tasks, __rt::Scalar>,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for PersonFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for PersonFields {}
    impl __rt::Handles for PersonFields {
        const VALUE: Self = PersonFields {
            id: __Field::NEW,
            name: __Field::NEW,
            addresses: __Field::NEW,
            tasks: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl PersonFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Person, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Person {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Person>>::STORED.row("id", "_id"),
            __rt::Probe::<String>::STORED.row("name", "name"),
            __rt::Probe::<Vec<Address>>::STORED.row("addresses", "addresses").max(20u64),
            __rt::Probe::<Vec<Id<Task>>>::STORED
                .row("tasks", "tasks")
                .max(2000u64)
                .relation(
                    &__rt::RelationRow::many(__rt::Probe::<Task>::TABLES)
                        .inverse("owner")
                        .on_delete(__rt::OnDelete::Pull),
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Person",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Person {
        const NAMES: &'static [__Str] = &["id", "name", "addresses", "tasks"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Person {
        type Fields = PersonFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Person"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[
                __rt::Referring {
                    field: "tasks",
                    to: __rt::Probe::<Task>::PLACE,
                    many: true,
                    optional: false,
                    by_key: false,
                    inverse: ::core::option::Option::Some("owner"),
                    entries: false,
                    members: false,
                },
            ],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Person {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Person {
        type Type = Id<Person>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Person {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Person {
        type Type = Vec<Address>;
        type Codec = __Plain;
        const MAX: u64 = 20u64;
    }
    impl __HasField<3usize> for Person {
        type Type = Vec<Id<Task>>;
        type Codec = __Plain;
        const MAX: u64 = 2000u64;
        const DERIVED: bool = true;
    }
    impl __rt::HasField<{ __rt::ID }> for Person {
        type Type = Id<Person>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Person> for Id<Person> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Person {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.name).put(b"name\0", __to))
                && (__put(&self.addresses).put(b"addresses\0", __to))
                && (__put(&self.tasks).put(b"tasks\0", __to)))
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
                    "Person",
                    &["_id", "name", "addresses", "tasks"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Person>>::new();
            let __1 = &mut __Slot::<String>::new();
            let __2 = &mut __Slot::<Vec<Address>>::new();
            let __3 = &mut __Slot::<Vec<Id<Task>>>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"name\0")
                && __2.next(&mut __from, b"addresses\0")
                && __3.next(&mut __from, b"tasks\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"name\0" => __1.fill(__kind, &mut __rest),
                    b"addresses\0" => __2.fill(__kind, &mut __rest),
                    b"tasks\0" => __3.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Person {
                id: __0.take()?,
                name: __1.take()?,
                addresses: __2.take()?,
                tasks: __3.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Person",
            collection: "persons",
            shape: &__rt::Shape {
                name: "Person",
                fields: <Person as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Person as __rt::Value>::SIZE,
            advice: &[
                __rt::Advice {
                    rule: "VEC_NO_DEFAULT",
                    field: "addresses",
                    says: "a document stored without this array cannot be read: add `#[serde(default)]`",
                },
                __rt::Advice {
                    rule: "VEC_NO_DEFAULT",
                    field: "tasks",
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
    impl __rt::Model for Person {
        type DocumentId = Id<Person>;
        type FieldHandles = PersonFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Person> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Person > (__rt::decodes:: < Person >)
    }
    impl __rt::Unversioned for Person {}
    impl __rt::Insertable for Person {}
    impl __rt::Replaceable for Person {}
    __rt::inventory::submit! {
        __rt::PersonalModel::of:: < Person > ()
    }
    impl Person
    where
        for<'__any> Task: __rt::Model,
    {
        ///Loads what `tasks` refers to, from the collection of `Task`: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_tasks<'a>(
            &self,
            db: &'a ::mongo_model::Database,
        ) -> ::mongo_model::load::Load<
            'a,
            ::mongo_model::load::Refs<Person, Task, ::mongo_model::load::Dense>,
        > {
            ::mongo_model::load::Load::refs::<
                Person,
            >(
                db,
                self,
                3usize,
                |__document| __rt::encode_value(&__document.tasks),
                |__document: &Person, __key, __to| __rt::done(
                    __rt::put(&__document.tasks).put(__key, __to),
                ),
            )
        }
        ///Loads what `tasks` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_tasks_many<'a, 'd, __D: ::mongo_model::load::AsModel<Person>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Refs<Person, Task, ::mongo_model::load::Dense>,
        > {
            ::mongo_model::load::Join::refs::<
                Person,
            >(
                db,
                documents,
                3usize,
                |__document| __rt::encode_value(&__document.tasks),
                |__document: &Person, __key, __to| __rt::done(
                    __rt::put(&__document.tasks).put(__key, __to),
                ),
            )
        }
        ///The documents whose `tasks` refers to this `Task`: one `find`, served by an index.
        pub fn by_tasks<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Task as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::load::By<'a, Person, Task> {
            ::mongo_model::load::By::new(db, "tasks", id)
        }
        ///The documents whose `tasks` refers to each of these: one command, served by an index.
        pub fn by_tasks_many<'a, 'd, __D: ::mongo_model::load::AsModel<Task>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Children<Person, Task>,
        > {
            ::mongo_model::load::Join::children(db, documents, 3usize)
        }
    }
    impl Person
    where
        for<'__any> Task: __rt::Model,
    {
        ///Adds one to `tasks` of the `Person` with this `_id`; the other side of the reference follows, whatever stops half way.
        pub fn add_task<'a, __I>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Person as __rt::Model>::DocumentId>,
            other: __I,
        ) -> ::mongo_model::denorm::Related<'a, Person>
        where
            __I: ::mongo_model::field::IntoArg<<Task as __rt::Model>::DocumentId>
                + __rt::check::Added<
                    { __rt::check::addable(__rt::Probe::<Task>::REFERENCES, "owner") },
                >,
        {
            ::mongo_model::denorm::Related::add::<
                Task,
                __I,
            >(db, id.into_arg(), "tasks", [other])
        }
        ///Takes one out of `tasks` of the `Person` with this `_id`; the other side of the reference follows, whatever stops half way.
        pub fn remove_task<'a, __I>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Person as __rt::Model>::DocumentId>,
            other: __I,
        ) -> ::mongo_model::denorm::Related<'a, Person>
        where
            __I: ::mongo_model::field::IntoArg<<Task as __rt::Model>::DocumentId>
                + __rt::check::Removed<
                    { __rt::check::removable(__rt::Probe::<Task>::REFERENCES, "owner") },
                >,
        {
            ::mongo_model::denorm::Related::remove::<
                Task,
                __I,
            >(db, id.into_arg(), "tasks", [other])
        }
        ///Makes these the `tasks` of the `Person` with this `_id`; the other side of the reference follows, whatever stops half way.
        pub fn replace_tasks<'a, __I>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Person as __rt::Model>::DocumentId>,
            others: impl ::core::iter::IntoIterator<Item = __I>,
        ) -> ::mongo_model::denorm::Related<'a, Person>
        where
            __I: ::mongo_model::field::IntoArg<<Task as __rt::Model>::DocumentId>
                + __rt::check::Added<
                    { __rt::check::addable(__rt::Probe::<Task>::REFERENCES, "owner") },
                >
                + __rt::check::Replaced<
                    {
                        __rt::check::replaceable(
                            __rt::Probe::<Task>::REFERENCES,
                            "owner",
                        )
                    },
                >,
        {
            ::mongo_model::denorm::Related::replace::<
                Task,
                __I,
            >(db, id.into_arg(), "tasks", others)
        }
        ///Adds these to `tasks` of the `Person` with this `_id`; the other side of the reference follows, whatever stops half way.
        pub fn add_tasks<'a, __I>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Person as __rt::Model>::DocumentId>,
            others: impl ::core::iter::IntoIterator<Item = __I>,
        ) -> ::mongo_model::denorm::Related<'a, Person>
        where
            __I: ::mongo_model::field::IntoArg<<Task as __rt::Model>::DocumentId>
                + __rt::check::Added<
                    { __rt::check::addable(__rt::Probe::<Task>::REFERENCES, "owner") },
                >
                + __rt::check::Replaced<
                    {
                        __rt::check::replaceable(
                            __rt::Probe::<Task>::REFERENCES,
                            "owner",
                        )
                    },
                >,
        {
            ::mongo_model::denorm::Related::add::<
                Task,
                __I,
            >(db, id.into_arg(), "tasks", others)
        }
        ///Takes these out of `tasks` of the `Person` with this `_id`; the other side of the reference follows, whatever stops half way.
        pub fn remove_tasks<'a, __I>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Person as __rt::Model>::DocumentId>,
            others: impl ::core::iter::IntoIterator<Item = __I>,
        ) -> ::mongo_model::denorm::Related<'a, Person>
        where
            __I: ::mongo_model::field::IntoArg<<Task as __rt::Model>::DocumentId>
                + __rt::check::Removed<
                    { __rt::check::removable(__rt::Probe::<Task>::REFERENCES, "owner") },
                >
                + __rt::check::Replaced<
                    {
                        __rt::check::replaceable(
                            __rt::Probe::<Task>::REFERENCES,
                            "owner",
                        )
                    },
                >,
        {
            ::mongo_model::denorm::Related::remove::<
                Task,
                __I,
            >(db, id.into_arg(), "tasks", others)
        }
    }
    impl Person {
        ///True if the error says that another `Person` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<Person as __rt::Value>::FIELDS[0usize],
        "Person::id",
        "Id<Person>",
        "Id<Person>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(
        &<Person as __rt::Value>::FIELDS[0usize],
        "Person::id",
    );
    const _: () = __rt::check::field(
        &<Person as __rt::Value>::FIELDS[2usize],
        "Person::addresses",
        "Vec<Address>",
        "Address",
        false,
        0u32,
    );
    const _: () = __rt::check::personal_inside(
        &<Person as __rt::Value>::FIELDS[2usize],
        "Person::addresses",
        __rt::check::Holder {
            model: "Person",
            fields: <Person as __rt::Value>::FIELDS,
            fixed: "",
            recorded: false,
        },
    );
    const _: () = __rt::check::field(
        &<Person as __rt::Value>::FIELDS[3usize],
        "Person::tasks",
        "Vec<Id<Task>>",
        "Id<Task>",
        false,
        0u32,
    );
    const _: () = {
        __rt::check::target(
            (__rt::Probe::<Task>::IS_MODEL, __rt::Probe::<Task>::DENIES_UNKNOWN),
            false,
            "Person::tasks",
            "Task",
            false,
        );
        __rt::check::id_key(
            __rt::Probe::<Task>::ID_IS_COMPARED,
            false,
            "Person::tasks",
            "Task",
        )
    };
    const _: () = __rt::check::ids(
        __rt::ProbeIds::<Vec<Id<Task>>, Task>::HOLDS_IDS
            || !__rt::Probe::<Task>::IS_MODEL || !__rt::Probe::<Vec<Id<Task>>>::IS_VALUE,
        ("", __rt::Probe::<Task>::ID_FORM),
        false,
        "Person::tasks",
        "Vec<Id<Task>>",
        "Task",
    );
    const _: () = __rt::check::inverse(
        __rt::check::Side {
            owner: "Person::tasks",
            model: "Person",
            place: __rt::Probe::<Person>::PLACE,
            field: "tasks",
            many: true,
            references: __rt::Probe::<Person>::REFERENCES,
            soft_delete: __rt::Probe::<Person>::SOFT_DELETE
                || __rt::Probe::<Task>::SOFT_DELETE,
        },
        "Task",
        __rt::Probe::<Task>::PLACE,
        "owner",
        __rt::Probe::<Task>::REFERENCES,
        __rt::Probe::<Task>::COPYABLE,
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<Task>::WALLED,
        "Person::tasks",
        "refers to",
        "Task",
    );
    const _: () = __rt::check::document(
        <Person as __rt::Value>::FIELDS,
        &[(1usize, "Person::name", "String")],
        "Person",
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
        pub enum due {}
        pub enum owner {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::due {
        const NAME: __Str = "due";
        type Codec = __Plain;
        type Presence = __Optional;
    }
    impl __Segment for __field::owner {
        const NAME: __Str = "owner";
        type Codec = __Plain;
        type Presence = __Required;
    }
    type __to_owner = Person;
    pub struct TaskFields {
        pub id: __Field<
            __Top<Task, __field::id>,
            Id<Task>,
            __rt::Indexed,
            __rt::Key<Task>,
        >,
        pub due: __Field<
            __Top<Task, __field::due>,
            Option<DateTime>,
            __rt::Indexed,
            __Own,
        >,
        pub owner: __Field<
            __Top<Task, __field::owner>,
            Id<Person>,
            __rt::Indexed,
            __rt::Reference<__to_owner, __rt::Scalar>,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for TaskFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for TaskFields {}
    impl __rt::Handles for TaskFields {
        const VALUE: Self = TaskFields {
            id: __Field::NEW,
            due: __Field::NEW,
            owner: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl TaskFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Task, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Task {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Task>>::STORED.row("id", "_id"),
            __rt::Probe::<Option<DateTime>>::STORED
                .row("due", "due")
                .indexes(&[__rt::IndexRow::PLAIN]),
            __rt::Probe::<Id<Person>>::STORED
                .row("owner", "owner")
                .relation(
                    &__rt::RelationRow::one(__rt::Probe::<Person>::TABLES)
                        .inverse("tasks"),
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Task",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Task {
        const NAMES: &'static [__Str] = &["id", "due", "owner"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Task {
        type Fields = TaskFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Task"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[
                __rt::Referring {
                    field: "owner",
                    to: __rt::Probe::<Person>::PLACE,
                    many: false,
                    optional: __rt::Probe::<Id<Person>>::IS_OPTION,
                    by_key: false,
                    inverse: ::core::option::Option::Some("tasks"),
                    entries: false,
                    members: false,
                },
            ],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Task {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Task {
        type Type = Id<Task>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Task {
        type Type = Option<DateTime>;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Task {
        type Type = Id<Person>;
        type Codec = __Plain;
    }
    impl __rt::HasField<{ __rt::ID }> for Task {
        type Type = Id<Task>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Task> for Id<Task> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Task {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.due).put(b"due\0", __to))
                && (__put(&self.owner).put(b"owner\0", __to)))
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
                    "Task",
                    &["_id", "due", "owner"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Task>>::new();
            let __1 = &mut __Slot::<Option<DateTime>>::new();
            let __2 = &mut __Slot::<Id<Person>>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"due\0") && __2.next(&mut __from, b"owner\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"due\0" => __1.fill(__kind, &mut __rest),
                    b"owner\0" => __2.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Task {
                id: __0.take()?,
                due: __1.take()?,
                owner: __2.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Task",
            collection: "tasks",
            shape: &__rt::Shape {
                name: "Task",
                fields: <Task as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Task as __rt::Value>::SIZE,
            advice: &[
                __rt::Advice {
                    rule: "NULL_VS_MISSING",
                    field: "due",
                    says: "`None` is stored as null: add `#[serde(skip_serializing_if = \"Option::is_none\")]`",
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
    impl __rt::Model for Task {
        type DocumentId = Id<Task>;
        type FieldHandles = TaskFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Task> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Task > (__rt::decodes:: < Task >)
    }
    impl __rt::Unversioned for Task {}
    impl __rt::Insertable for Task {}
    impl __rt::Replaceable for Task {}
    impl Task
    where
        for<'__any> Person: __rt::Model,
    {
        ///Loads what `owner` refers to, from the collection of `Person`: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_owner<'a>(
            &self,
            db: &'a ::mongo_model::Database,
        ) -> ::mongo_model::load::Load<
            'a,
            ::mongo_model::load::Refs<Task, Person, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Load::refs::<
                Task,
            >(
                db,
                self,
                2usize,
                |__document| __rt::encode_value(&__document.owner),
                |__document: &Task, __key, __to| __rt::done(
                    __rt::put(&__document.owner).put(__key, __to),
                ),
            )
        }
        ///Loads what `owner` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_owner_many<'a, 'd, __D: ::mongo_model::load::AsModel<Task>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Refs<Task, Person, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Join::refs::<
                Task,
            >(
                db,
                documents,
                2usize,
                |__document| __rt::encode_value(&__document.owner),
                |__document: &Task, __key, __to| __rt::done(
                    __rt::put(&__document.owner).put(__key, __to),
                ),
            )
        }
        ///The documents whose `owner` refers to this `Person`: one `find`, served by an index.
        pub fn by_owner<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Person as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::load::By<'a, Task, Person> {
            ::mongo_model::load::By::new(db, "owner", id)
        }
        ///The documents whose `owner` refers to each of these: one command, served by an index.
        pub fn by_owner_many<'a, 'd, __D: ::mongo_model::load::AsModel<Person>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Children<Task, Person>,
        > {
            ::mongo_model::load::Join::children(db, documents, 2usize)
        }
    }
    impl Task
    where
        for<'__any> Person: __rt::Model,
    {
        ///Gives the `Task` with this `_id` another `owner`: both sides of the reference follow, whatever stops half way.
        pub fn reassign_owner<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Task as __rt::Model>::DocumentId>,
            to: impl ::mongo_model::field::IntoArg<<Person as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::denorm::Reassign<'a, Task> {
            ::mongo_model::denorm::Reassign::new::<
                Person,
            >(
                db,
                id.into_arg(),
                "owner",
                ::core::option::Option::Some(
                    ::mongo_model::field::IntoArg::<
                        <Person as __rt::Model>::DocumentId,
                    >::into_arg(to),
                ),
            )
        }
    }
    impl Task {
        ///True if the error says that another `Task` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<Task as __rt::Value>::FIELDS[0usize],
        "Task::id",
        "Id<Task>",
        "Id<Task>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(&<Task as __rt::Value>::FIELDS[0usize], "Task::id");
    const _: () = __rt::check::field(
        &<Task as __rt::Value>::FIELDS[1usize],
        "Task::due",
        "Option<DateTime>",
        "DateTime",
        false,
        0u32,
    );
    const _: () = __rt::check::field(
        &<Task as __rt::Value>::FIELDS[2usize],
        "Task::owner",
        "Id<Person>",
        "Id<Person>",
        false,
        0u32,
    );
    const _: () = {
        __rt::check::target(
            (__rt::Probe::<Person>::IS_MODEL, __rt::Probe::<Person>::DENIES_UNKNOWN),
            true,
            "Task::owner",
            "Person",
            false,
        );
        __rt::check::id_key(
            __rt::Probe::<Person>::ID_IS_COMPARED,
            true,
            "Task::owner",
            "Person",
        )
    };
    const _: () = __rt::check::ids(
        __rt::ProbeIds::<Id<Person>, Person>::HOLDS_IDS
            || !__rt::Probe::<Person>::IS_MODEL || !__rt::Probe::<Id<Person>>::IS_VALUE,
        ("", __rt::Probe::<Person>::ID_FORM),
        true,
        "Task::owner",
        "Id<Person>",
        "Person",
    );
    const _: () = __rt::check::inverse(
        __rt::check::Side {
            owner: "Task::owner",
            model: "Task",
            place: __rt::Probe::<Task>::PLACE,
            field: "owner",
            many: false,
            references: __rt::Probe::<Task>::REFERENCES,
            soft_delete: __rt::Probe::<Task>::SOFT_DELETE
                || __rt::Probe::<Person>::SOFT_DELETE,
        },
        "Person",
        __rt::Probe::<Person>::PLACE,
        "tasks",
        __rt::Probe::<Person>::REFERENCES,
        __rt::Probe::<Person>::COPYABLE,
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<Person>::WALLED,
        "Task::owner",
        "refers to",
        "Person",
    );
    const _: () = __rt::check::document(<Task as __rt::Value>::FIELDS, &[], "Task");
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
        pub enum street_name {}
        pub enum city {}
    }
    impl __Segment for __field::street_name {
        const NAME: __Str = "streetName";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::city {
        const NAME: __Str = "city";
        type Codec = __Plain;
        type Presence = __Optional;
    }
    pub struct AddressFields<__P: __rt::Path> {
        pub street_name: __Field<
            __rt::At<__P, __field::street_name>,
            String,
            __rt::NotIndexed<__field::street_name, __P>,
            __Own,
        >,
        pub city: __Field<
            __rt::At<__P, __field::city>,
            Option<String>,
            __rt::NotIndexed<__field::city, __P>,
            __Own,
        >,
        __path: ::core::marker::PhantomData<fn() -> __P>,
    }
    #[automatically_derived]
    impl<__P: __rt::Path> ::core::clone::Clone for AddressFields<__P> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path> ::core::marker::Copy for AddressFields<__P> {}
    impl<__P: __rt::Path> __rt::Handles for AddressFields<__P> {
        const VALUE: Self = AddressFields {
            street_name: __Field::NEW,
            city: __Field::NEW,
            __path: ::core::marker::PhantomData,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for Address {
        type Elem = Self;
        type Sub<__P: __rt::Path> = AddressFields<__P>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<String>::STORED.row("street_name", "streetName"),
            __rt::Probe::<Option<String>>::STORED.row("city", "city").absent(),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Address",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Address {
        const NAMES: &'static [__Str] = &["street_name", "city"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Address {
        type Fields = AddressFields<__rt::Nowhere>;
    }
    impl __rt::Projectable for Address {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __rt::HasSeg<0usize> for Address {
        type Seg = __field::street_name;
        type Value = String;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::street_name>,
            String,
            __rt::NotIndexed<__field::street_name, __P>,
            __Own,
        >;
    }
    impl __rt::HasSeg<1usize> for Address {
        type Seg = __field::city;
        type Value = Option<String>;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::city>,
            Option<String>,
            __rt::NotIndexed<__field::city, __P>,
            __Own,
        >;
    }
    impl __rt::HasSeg<{ __rt::MISSING }> for Address {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::CopyFields for Address {
        type Inside = <Self as __rt::Lookup>::Fields;
        const INSIDE: &'static [__Str] = <Self as __rt::Names>::NAMES;
    }
    impl __HasField<0usize> for Address {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<1usize> for Address {
        type Type = Option<String>;
        type Codec = __Plain;
    }
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Address {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.street_name).put(b"streetName\0", __to))
                && (Option::is_none(&self.city)
                    || __put(&self.city).put(b"city\0", __to)))
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
                    "Address",
                    &["streetName", "city"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<String>::new();
            let __1 = &mut __Slot::<Option<String>>::new();
            if !(true && __0.next(&mut __from, b"streetName\0")
                && __1.next(&mut __from, b"city\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"streetName\0" => __0.fill(__kind, &mut __rest),
                    b"city\0" => __1.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Address {
                street_name: __0.take()?,
                city: __1.take()?,
            })
        }
    }
    const _: () = __rt::check::plain(
        <Address as __rt::Value>::FIELDS,
        &[
            (0usize, "Address::street_name", "String"),
            (1usize, "Address::city", "Option<String>"),
        ],
    );
};
