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
        pub enum host {}
        pub enum count {}
        pub enum lines {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::host {
        const NAME: __Str = "host";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::count {
        const NAME: __Str = "count";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::lines {
        const NAME: __Str = "lines";
        type Codec = __Plain;
        type Presence = __Required;
    }
    type __to_host = Host;
    pub struct LogPageFields {
        pub id: __Field<
            __Top<LogPage, __field::id>,
            BucketId<Host>,
            __rt::Indexed,
            __rt::Key<LogPage>,
        >,
        pub host: __Field<
            __Top<LogPage, __field::host>,
            Id<Host>,
            __rt::Indexed,
            __rt::OfBucket<LogPage, __rt::Reference<__to_host, __rt::Scalar>>,
        >,
        pub count: __Field<
            __Top<LogPage, __field::count>,
            i64,
            __NotIndexed<__field::count>,
            __rt::OfBucket<LogPage, __Own>,
        >,
        pub lines: __Field<
            __Top<LogPage, __field::lines>,
            Vec<LogLine>,
            __NotIndexed<__field::lines>,
            __rt::OfBucket<LogPage, __Own>,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for LogPageFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for LogPageFields {}
    impl __rt::Handles for LogPageFields {
        const VALUE: Self = LogPageFields {
            id: __Field::NEW,
            host: __Field::NEW,
            count: __Field::NEW,
            lines: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl LogPageFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<LogPage, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for LogPage {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<BucketId<Host>>::STORED.row("id", "_id"),
            __rt::Probe::<Id<Host>>::STORED
                .row("host", "host")
                .relation(
                    &__rt::RelationRow::one(__rt::Probe::<Host>::TABLES)
                        .on_delete(__rt::OnDelete::Cascade),
                ),
            __rt::Probe::<i64>::STORED.row("count", "count"),
            __rt::Probe::<Vec<LogLine>>::STORED.row("lines", "lines").max(50u64),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "LogPage",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for LogPage {
        const NAMES: &'static [__Str] = &["id", "host", "count", "lines"];
    }
    #[automatically_derived]
    impl __rt::Lookup for LogPage {
        type Fields = LogPageFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "LogPage"
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
    impl __rt::Projectable for LogPage {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for LogPage {
        type Type = BucketId<Host>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for LogPage {
        type Type = Id<Host>;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for LogPage {
        type Type = i64;
        type Codec = __Plain;
    }
    impl __HasField<3usize> for LogPage {
        type Type = Vec<LogLine>;
        type Codec = __Plain;
        const MAX: u64 = 50u64;
    }
    impl __rt::HasField<{ __rt::ID }> for LogPage {
        type Type = BucketId<Host>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<LogPage> for BucketId<Host> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for LogPage {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.host).put(b"host\0", __to))
                && (__put(&self.count).put(b"count\0", __to))
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
                    "LogPage",
                    &["_id", "host", "count", "lines"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<BucketId<Host>>::new();
            let __1 = &mut __Slot::<Id<Host>>::new();
            let __2 = &mut __Slot::<i64>::new();
            let __3 = &mut __Slot::<Vec<LogLine>>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"host\0") && __2.next(&mut __from, b"count\0")
                && __3.next(&mut __from, b"lines\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"host\0" => __1.fill(__kind, &mut __rest),
                    b"count\0" => __2.fill(__kind, &mut __rest),
                    b"lines\0" => __3.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(LogPage {
                id: __0.take()?,
                host: __1.take()?,
                count: __2.take()?,
                lines: __3.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "LogPage",
            collection: "log_pages",
            shape: &__rt::Shape {
                name: "LogPage",
                fields: <LogPage as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <LogPage as __rt::Value>::SIZE,
            advice: &[
                __rt::Advice {
                    rule: "VEC_NO_DEFAULT",
                    field: "lines",
                    says: "a document stored without this array cannot be read: add `#[serde(default)]`",
                },
            ],
            allowed: &[],
            queue: ::core::option::Option::None,
            events: ::core::option::Option::None,
            history: ::core::option::Option::None,
            options: __rt::OptionsRow::NONE,
            bucket: ::core::option::Option::Some(
                __rt::BucketRow::new("lines", "host", "count", "id"),
            ),
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
    impl __rt::Model for LogPage {
        type DocumentId = BucketId<Host>;
        type FieldHandles = LogPageFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &BucketId<Host> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < LogPage > (__rt::decodes:: < LogPage >)
    }
    impl __rt::Unversioned for LogPage {}
    #[automatically_derived]
    impl __rt::Bucketed for LogPage {
        type Parent = Host;
        type Item = LogLine;
        type Items = __rt::Top<LogPage, __field::lines>;
        type ItemId = <LogLine as __rt::HasSeg<
            { __rt::slot(<LogLine as __rt::Names>::NAMES, "id") },
        >>::Handle<<Self as __rt::Bucketed>::Items>;
        #[allow(unused_variables)]
        fn open(
            parent: &<Host as __rt::Model>::DocumentId,
            sequence: ::core::primitive::i64,
        ) -> Self {
            LogPage {
                id: ::mongo_model::BucketId::new(
                    ::core::clone::Clone::clone(parent),
                    sequence,
                ),
                host: ::core::clone::Clone::clone(parent),
                count: ::core::default::Default::default(),
                lines: ::core::default::Default::default(),
            }
        }
        fn into_items(self) -> ::std::vec::Vec<LogLine> {
            self.lines
        }
    }
    impl LogPage {
        /**Stores an item in the newest of the `Host`'s buckets, or opens the next one where that is full; an item that one of them holds already (by its `id`) is not stored again, whoever sends it and when.

Sends one `aggregate`, which looks for the newest bucket and the item by indexes, and one `update`, or `insert` where a bucket is opened; both again where another writer was faster or an answer was lost. Each write is atomic.

# Errors
Those of `insert` and `update`; `Error::Unsettled` where others were faster 1,000 times.*/
        pub fn push<'a>(
            db: &'a ::mongo_model::Database,
            parent: impl ::mongo_model::field::IntoArg<
                <Host as __rt::Model>::DocumentId,
            >,
            item: impl ::core::borrow::Borrow<LogLine>,
        ) -> ::mongo_model::bucket::Push<'a, LogPage> {
            ::mongo_model::bucket::push(db, parent, item)
        }
        /**Stores items in their order, each once as by `push`: fills the newest of the `Host`'s buckets, and opens as many more as it takes.

Sends, per 1,000 items, one `aggregate`, one `update` where the newest bucket has room, and one `insert` of all that are opened. Each bucket is written atomically, the whole is not: where it fails half way, the first items are stored, and the same call again stores the rest.

# Errors
Those of `push`; once something is stored, inside `Error::PushedInPart`.*/
        pub fn push_many<'a>(
            db: &'a ::mongo_model::Database,
            parent: impl ::mongo_model::field::IntoArg<
                <Host as __rt::Model>::DocumentId,
            >,
            items: impl ::core::iter::IntoIterator<
                Item = impl ::core::borrow::Borrow<LogLine>,
            >,
        ) -> ::mongo_model::bucket::PushMany<'a, LogPage> {
            ::mongo_model::bucket::push_many(db, parent, items)
        }
        ///The bucket of the `Host` with this number, counted from 0; `None` where it has not been opened. Sends one `find` by `_id`. A page from which items were removed has fewer of them, and none takes its number.
        pub fn page(
            db: &::mongo_model::Database,
            parent: impl ::mongo_model::field::IntoArg<
                <Host as __rt::Model>::DocumentId,
            >,
            number: ::core::primitive::i64,
        ) -> ::mongo_model::crud::FindOne<'_, LogPage> {
            ::mongo_model::bucket::page(db, parent, number)
        }
        ///The `lines` of all buckets of the `Host`, the one that was stored first first; `.newest_first()` turns that round. Sends one `find` by a range of the `_id`, and `getMore` as the result is read. `.await` gives a `Vec`, `.stream()` a stream; either is no snapshot: what is stored meanwhile may be in it.
        pub fn iterate(
            db: &::mongo_model::Database,
            parent: impl ::mongo_model::field::IntoArg<<Host as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::bucket::Iterate<'_, LogPage> {
            ::mongo_model::bucket::iterate(db, parent)
        }
        ///How many `lines` the buckets of the `Host` hold: the sum of their `count`. Sends one `aggregate`, which reads one `LogPage` per bucket by a range of the `_id`.
        pub fn count_items(
            db: &::mongo_model::Database,
            parent: impl ::mongo_model::field::IntoArg<<Host as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::bucket::CountItems<'_, LogPage> {
            ::mongo_model::bucket::count_items(db, parent)
        }
        /**Removes the item with this `id` from the bucket of the `Host` that holds it. Sends one `find` by index and one `update` (`$pull`, and `$inc` of `count`), atomic; none where it is nowhere.

A bucket that has been full takes no more items, and an emptied one stays. An item that is removed is gone: who sends it again stores it again.

# Errors
Those of `update`.*/
        pub fn remove_item<'a>(
            db: &'a ::mongo_model::Database,
            parent: impl ::mongo_model::field::IntoArg<
                <Host as __rt::Model>::DocumentId,
            >,
            id: &<<LogPage as __rt::Bucketed>::ItemId as __rt::OneField>::Value,
        ) -> ::mongo_model::bucket::RemoveItem<'a, LogPage> {
            ::mongo_model::bucket::remove_item(db, parent, id)
        }
    }
    impl __rt::Replaceable for LogPage {}
    __rt::inventory::submit! {
        __rt::PersonalModel::of:: < LogPage > ()
    }
    impl LogPage
    where
        for<'__any> Host: __rt::Model,
    {
        ///Loads what `host` refers to, from the collection of `Host`: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_host<'a>(
            &self,
            db: &'a ::mongo_model::Database,
        ) -> ::mongo_model::load::Load<
            'a,
            ::mongo_model::load::Refs<LogPage, Host, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Load::refs::<
                LogPage,
            >(
                db,
                self,
                1usize,
                |__document| __rt::encode_value(&__document.host),
                |__document: &LogPage, __key, __to| __rt::done(
                    __rt::put(&__document.host).put(__key, __to),
                ),
            )
        }
        ///Loads what `host` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_host_many<'a, 'd, __D: ::mongo_model::load::AsModel<LogPage>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Refs<LogPage, Host, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Join::refs::<
                LogPage,
            >(
                db,
                documents,
                1usize,
                |__document| __rt::encode_value(&__document.host),
                |__document: &LogPage, __key, __to| __rt::done(
                    __rt::put(&__document.host).put(__key, __to),
                ),
            )
        }
        ///The documents whose `host` refers to this `Host`: one `find`, served by an index.
        pub fn by_host<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Host as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::load::By<'a, LogPage, Host> {
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
            ::mongo_model::load::Children<LogPage, Host>,
        > {
            ::mongo_model::load::Join::children(db, documents, 1usize)
        }
    }
    impl LogPage {
        ///True if the error says that another `LogPage` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<LogPage as __rt::Value>::FIELDS[0usize],
        "LogPage::id",
        "BucketId<Host>",
        "BucketId<Host>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(
        &<LogPage as __rt::Value>::FIELDS[0usize],
        "LogPage::id",
    );
    const _: () = __rt::check::pulled(
        &<LogPage as __rt::Value>::FIELDS[0usize],
        "LogPage::id",
    );
    const _: () = __rt::check::personal_inside(
        &<LogPage as __rt::Value>::FIELDS[0usize],
        "LogPage::id",
        __rt::check::Holder {
            model: "LogPage",
            fields: <LogPage as __rt::Value>::FIELDS,
            fixed: "its model is a bucket, whose items are pushed and never changed",
            recorded: false,
        },
    );
    const _: () = __rt::check::field(
        &<LogPage as __rt::Value>::FIELDS[1usize],
        "LogPage::host",
        "Id<Host>",
        "Id<Host>",
        false,
        0u32,
    );
    const _: () = {
        __rt::check::target(
            (__rt::Probe::<Host>::IS_MODEL, __rt::Probe::<Host>::DENIES_UNKNOWN),
            true,
            "LogPage::host",
            "Host",
            false,
        );
        __rt::check::id_key(
            __rt::Probe::<Host>::ID_IS_COMPARED,
            true,
            "LogPage::host",
            "Host",
        )
    };
    const _: () = __rt::check::ids(
        __rt::ProbeIds::<Id<Host>, Host>::HOLDS_IDS || !__rt::Probe::<Host>::IS_MODEL
            || !__rt::Probe::<Id<Host>>::IS_VALUE,
        ("", __rt::Probe::<Host>::ID_FORM),
        true,
        "LogPage::host",
        "Id<Host>",
        "Host",
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<Host>::WALLED,
        "LogPage::host",
        "refers to",
        "Host",
    );
    const _: () = __rt::check::field(
        &<LogPage as __rt::Value>::FIELDS[3usize],
        "LogPage::lines",
        "Vec<LogLine>",
        "LogLine",
        false,
        0u32,
    );
    const _: () = __rt::check::personal_inside(
        &<LogPage as __rt::Value>::FIELDS[3usize],
        "LogPage::lines",
        __rt::check::Holder {
            model: "LogPage",
            fields: <LogPage as __rt::Value>::FIELDS,
            fixed: "its model is a bucket, whose items are pushed and never changed",
            recorded: false,
        },
    );
    const _: () = __rt::check::document(
        <LogPage as __rt::Value>::FIELDS,
        &[(2usize, "LogPage::count", "i64")],
        "LogPage",
    );
    const _: () = __rt::check::bucket_count(
        __rt::ProbeSame::<i64, ::core::primitive::i64>::IS_SAME
            || !__rt::Probe::<i64>::IS_VALUE,
        "LogPage::count",
        "i64",
    );
    const _: () = __rt::check::bucket_items(
        &<LogPage as __rt::Value>::FIELDS[3usize],
        "LogPage::lines",
        "LogLine",
    );
};
