///A reference to a `Member` with copies of its fields, in `Issue::watchers`.
#[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::cmp::PartialEq)]
pub struct Watcher {
    ///The `_id` of the `Member`.
    pub id: <Member as ::mongo_model::__private::HasField<
        {
            #[allow(unused_imports)]
            use ::mongo_model::__private::Fallback as _;
            ::mongo_model::__private::Probe::<Member>::ID
        },
    >>::Type,
    ///A copy of `Member::name`.
    pub name: <Member as ::mongo_model::__private::HasField<
        {
            #[allow(unused_imports)]
            use ::mongo_model::__private::Fallback as _;
            ::mongo_model::__private::slot(
                ::mongo_model::__private::Probe::<Member>::COPYABLE,
                "name",
            )
        },
    >>::Type,
}
///A new `Issue`, without the fields that the library fills in: `Issue::from` makes the document.
#[allow(missing_debug_implementations)]
pub struct NewIssue {
    ///The `title` of the `Issue`.
    pub title: String,
    ///The `project` of the `Issue`.
    pub project: Id<Project, String>,
    ///The `watchers` of the `Issue`.
    pub watchers: ::mongo_model::__private::Vec<
        <Member as ::mongo_model::__private::HasField<
            {
                #[allow(unused_imports)]
                use ::mongo_model::__private::Fallback as _;
                ::mongo_model::__private::Probe::<Member>::ID
            },
        >>::Type,
    >,
}
///One `Issue` as the JSON of an answer: ids, dates and decimals are text, and the `_id` is `id`.
#[allow(missing_debug_implementations)]
pub struct IssueView {
    ///The `id` of the `Issue`.
    pub id: Id<Issue>,
    ///The `title` of the `Issue`.
    pub title: String,
    ///The `project` of the `Issue`.
    pub project: Id<Project, String>,
    ///The `project_name` of the `Issue`.
    pub project_name: String,
    ///The `watchers` of the `Issue`.
    pub watchers: Vec<Watcher>,
}
///Changes of one `Issue`: `None` leaves a field as it is, and `update(..).patch(..)` sets the others.
#[allow(missing_debug_implementations)]
#[derive(Debug)]
pub struct IssuePatch {
    ///The `title` of the `Issue`.
    pub title: ::core::option::Option<String>,
    ///The `project` of the `Issue`.
    pub project: ::core::option::Option<Id<Project, String>>,
    ///The `watchers` of the `Issue`.
    pub watchers: ::core::option::Option<
        ::mongo_model::__private::Vec<
            <Member as ::mongo_model::__private::HasField<
                {
                    #[allow(unused_imports)]
                    use ::mongo_model::__private::Fallback as _;
                    ::mongo_model::__private::Probe::<Member>::ID
                },
            >>::Type,
        >,
    >,
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
        pub enum title {}
        pub enum project {}
        pub enum project_name {}
        pub enum watchers {}
        pub enum version {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::title {
        const NAME: __Str = "title";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::project {
        const NAME: __Str = "project";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::project_name {
        const NAME: __Str = "project_name";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::watchers {
        const NAME: __Str = "watchers";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::version {
        const NAME: __Str = "version";
        type Codec = __Plain;
        type Presence = __Required;
    }
    type __to_project = Project;
    type __to_watchers = Member;
    pub struct IssueFields {
        pub id: __Field<
            __Top<Issue, __field::id>,
            Id<Issue>,
            __rt::Indexed,
            __rt::Key<Issue>,
        >,
        pub title: __Free<Issue, __field::title, String>,
        pub project: __Field<
            __Top<Issue, __field::project>,
            Id<Project, String>,
            __rt::Indexed,
            __rt::ReferenceWithCopies<__to_project, __rt::Scalar>,
        >,
        pub project_name: __Field<
            __Top<Issue, __field::project_name>,
            String,
            __NotIndexed<__field::project_name>,
            __rt::CopyOf<Project>,
        >,
        pub watchers: __Field<
            __Top<Issue, __field::watchers>,
            Vec<Watcher>,
            __NotIndexed<__field::watchers>,
            __rt::ReferenceWithCopies<__to_watchers>,
        >,
        version: __Field<
            __Top<Issue, __field::version>,
            i64,
            __NotIndexed<__field::version>,
            __rt::VersionOf<Issue>,
        >,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for IssueFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for IssueFields {}
    impl __rt::Handles for IssueFields {
        const VALUE: Self = IssueFields {
            id: __Field::NEW,
            title: __Field::NEW,
            project: __Field::NEW,
            project_name: __Field::NEW,
            watchers: __Field::NEW,
            version: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl IssueFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Issue, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Issue {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Issue>>::STORED.row("id", "_id"),
            __rt::Probe::<String>::STORED.row("title", "title"),
            __rt::Probe::<Id<Project, String>>::STORED
                .row("project", "project")
                .relation(
                    &__rt::RelationRow::one(__rt::Probe::<Project>::TABLES).copied(),
                ),
            __rt::Probe::<String>::STORED
                .row("project_name", "project_name")
                .max_len(
                    <Project as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Project>::COPYABLE, "name")
                        },
                    >>::MAX_LEN,
                )
                .max(
                    <Project as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Project>::COPYABLE, "name")
                        },
                    >>::MAX,
                )
                .copy(
                    &__rt::CopyRow {
                        source: __rt::Probe::<Project>::TABLES,
                        field: "name",
                        via: "project",
                        snapshot: false,
                        level: __rt::Level::Eventual,
                    },
                ),
            __rt::Probe::<Vec<Watcher>>::STORED
                .row("watchers", "watchers")
                .max(10u64)
                .relation(
                    &__rt::RelationRow::many(__rt::Probe::<Member>::TABLES)
                        .entry()
                        .copied(),
                ),
            __rt::Probe::<i64>::STORED
                .row("version", "version")
                .version(__rt::ProbeSame::<i64, ::core::primitive::i32>::IS_SAME),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Issue",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Issue {
        const NAMES: &'static [__Str] = &[
            "id",
            "title",
            "project",
            "project_name",
            "watchers",
            "version",
        ];
    }
    #[automatically_derived]
    impl __rt::Lookup for Issue {
        type Fields = IssueFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Issue"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[
                __rt::Referring {
                    field: "project",
                    to: __rt::Probe::<Project>::PLACE,
                    many: false,
                    optional: __rt::Probe::<Id<Project, String>>::IS_OPTION,
                    by_key: false,
                    inverse: ::core::option::Option::None,
                    entries: false,
                    members: false,
                },
                __rt::Referring {
                    field: "watchers",
                    to: __rt::Probe::<Member>::PLACE,
                    many: true,
                    optional: false,
                    by_key: false,
                    inverse: ::core::option::Option::None,
                    entries: true,
                    members: false,
                },
            ],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Issue {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Issue {
        type Type = Id<Issue>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Issue {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Issue {
        type Type = Id<Project, String>;
        type Codec = __Plain;
    }
    impl __HasField<3usize> for Issue {
        type Type = String;
        type Codec = __Plain;
        const ORIGIN_1: ::core::option::Option<__rt::Origin> = ::core::option::Option::Some(__rt::Origin {
            place: __rt::Probe::<Project>::PLACE,
            model: "Project",
            field: "name",
            personal: __rt::is_personal_at(__rt::Probe::<Project>::FIELDS, &["name"]),
        });
        const ORIGIN_2: ::core::option::Option<__rt::Origin> = <Project as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Project>::COPYABLE, "name")
            },
        >>::ORIGIN_1;
        const ORIGIN_3: ::core::option::Option<__rt::Origin> = <Project as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Project>::COPYABLE, "name")
            },
        >>::ORIGIN_2;
        const ORIGIN_4: ::core::option::Option<__rt::Origin> = <Project as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Project>::COPYABLE, "name")
            },
        >>::ORIGIN_3;
    }
    impl __HasField<4usize> for Issue {
        type Type = Vec<Watcher>;
        type Codec = __Plain;
        const MAX: u64 = 10u64;
    }
    impl __HasField<5usize> for Issue {
        type Type = i64;
        type Codec = __Plain;
        const VERSION: bool = true;
    }
    impl __rt::HasField<{ __rt::ID }> for Issue {
        type Type = Id<Issue>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Issue> for Id<Issue> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Issue {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.title).put(b"title\0", __to))
                && (__put(&self.project).put(b"project\0", __to))
                && (__put(&self.project_name).put(b"project_name\0", __to))
                && (__put(&self.watchers).put(b"watchers\0", __to))
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
                    "Issue",
                    &["_id", "title", "project", "project_name", "watchers", "version"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Issue>>::new();
            let __1 = &mut __Slot::<String>::new();
            let __2 = &mut __Slot::<Id<Project, String>>::new();
            let __3 = &mut __Slot::<String>::new();
            let __4 = &mut __Slot::<Vec<Watcher>>::new();
            let __5 = &mut __Slot::<i64>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"title\0")
                && __2.next(&mut __from, b"project\0")
                && __3.next(&mut __from, b"project_name\0")
                && __4.next(&mut __from, b"watchers\0")
                && __5.next(&mut __from, b"version\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"title\0" => __1.fill(__kind, &mut __rest),
                    b"project\0" => __2.fill(__kind, &mut __rest),
                    b"project_name\0" => __3.fill(__kind, &mut __rest),
                    b"watchers\0" => __4.fill(__kind, &mut __rest),
                    b"version\0" => __5.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Issue {
                id: __0.take()?,
                title: __1.take()?,
                project: __2.take()?,
                project_name: __3.take()?,
                watchers: __4.take()?,
                version: __5.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Issue",
            collection: "issues",
            shape: &__rt::Shape {
                name: "Issue",
                fields: <Issue as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Issue as __rt::Value>::SIZE,
            advice: &[
                __rt::Advice {
                    rule: "VEC_NO_DEFAULT",
                    field: "watchers",
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
    impl __rt::Model for Issue {
        type DocumentId = Id<Issue>;
        type FieldHandles = IssueFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Issue> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Issue > (__rt::decodes:: < Issue >)
    }
    #[allow(unused_variables)]
    #[automatically_derived]
    impl ::core::convert::From<NewIssue> for Issue {
        fn from(new: NewIssue) -> Self {
            use __rt::BlankFallback as _;
            Issue {
                id: __rt::Blank::<Id<Issue>>::NEW.value(),
                title: new.title,
                project: new.project,
                project_name: __rt::Blank::<String>::NEW.value(),
                watchers: (|
                    ids: ::mongo_model::__private::Vec<
                        <Member as ::mongo_model::__private::HasField<
                            {
                                #[allow(unused_imports)]
                                use ::mongo_model::__private::Fallback as _;
                                ::mongo_model::__private::Probe::<Member>::ID
                            },
                        >>::Type,
                    >|
                {
                    ids
                        .into_iter()
                        .map(|id| Watcher {
                            id,
                            name: __rt::Blank::<
                                <Member as __rt::HasField<
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Fallback as _;
                                        __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                                    },
                                >>::Type,
                            >::NEW
                                .value(),
                        })
                        .collect()
                })(new.watchers),
                version: __rt::Blank::<i64>::NEW.value(),
            }
        }
    }
    #[allow(unused_variables)]
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for NewIssue {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let mut given = __rt::Given::read(
                deserializer,
                "NewIssue",
                &["title", "project", "watchers"],
                <Issue as __rt::Model>::model_meta().shape,
            )?;
            ::core::result::Result::Ok(NewIssue {
                title: given
                    .need::<__Plain, _, __D::Error>("title", given.row("title"))?,
                project: given
                    .need::<__Plain, _, __D::Error>("project", given.row("project"))?,
                watchers: given
                    .need::<
                        __Plain,
                        _,
                        __D::Error,
                    >(
                        "watchers",
                        __rt::row::<
                            ::mongo_model::__private::Vec<
                                <Member as ::mongo_model::__private::HasField<
                                    {
                                        #[allow(unused_imports)]
                                        use ::mongo_model::__private::Fallback as _;
                                        ::mongo_model::__private::Probe::<Member>::ID
                                    },
                                >>::Type,
                            >,
                        >("watchers", "watchers"),
                    )?,
            })
        }
    }
    #[allow(unused_imports, unused_mut)]
    #[automatically_derived]
    impl __rt::ApiStruct for NewIssue {
        const NAME: &'static str = "NewIssue";
        fn describe() -> __rt::ApiFields {
            use __rt::{ApiByValue as _, ApiOpaque as _};
            let mut fields = __rt::ApiFields::of_model(
                <Issue as __rt::Model>::model_meta(),
                true,
            );
            fields.need("title", fields.row("title"));
            fields.need("project", fields.row("project"));
            fields
                .need(
                    "watchers",
                    __rt::row::<
                        ::mongo_model::__private::Vec<
                            <Member as ::mongo_model::__private::HasField<
                                {
                                    #[allow(unused_imports)]
                                    use ::mongo_model::__private::Fallback as _;
                                    ::mongo_model::__private::Probe::<Member>::ID
                                },
                            >>::Type,
                        >,
                    >("watchers", "watchers"),
                );
            fields
        }
    }
    __rt::impl_json_schema!(NewIssue);
    #[allow(unused_variables)]
    #[automatically_derived]
    impl ::core::convert::From<Issue> for IssueView {
        fn from(__model: Issue) -> Self {
            IssueView {
                id: __model.id,
                title: __model.title,
                project: __model.project,
                project_name: __model.project_name,
                watchers: __model.watchers,
            }
        }
    }
    #[allow(unused_variables)]
    #[automatically_derived]
    impl ::core::convert::From<&Issue> for IssueView {
        fn from(__model: &Issue) -> Self {
            IssueView {
                id: <Id<Issue> as ::core::clone::Clone>::clone(&__model.id),
                title: <String as ::core::clone::Clone>::clone(&__model.title),
                project: <Id<
                    Project,
                    String,
                > as ::core::clone::Clone>::clone(&__model.project),
                project_name: <String as ::core::clone::Clone>::clone(
                    &__model.project_name,
                ),
                watchers: <Vec<
                    Watcher,
                > as ::core::clone::Clone>::clone(&__model.watchers),
            }
        }
    }
    #[allow(unused_variables)]
    #[automatically_derived]
    impl __rt::serde::Serialize for IssueView {
        fn serialize<__S: __rt::serde::Serializer>(
            &self,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            let mut view = __rt::View::new();
            view.put::<__Plain, _>("id", &self.id);
            view.put::<__Plain, _>("title", &self.title);
            view.put::<__Plain, _>("project", &self.project);
            view.put::<__Plain, _>("project_name", &self.project_name);
            view.put::<__Plain, _>("watchers", &self.watchers);
            view.end(serializer)
        }
    }
    #[allow(unused_imports, unused_mut)]
    #[automatically_derived]
    impl __rt::ApiStruct for IssueView {
        const NAME: &'static str = "IssueView";
        fn describe() -> __rt::ApiFields {
            use __rt::{ApiByValue as _, ApiOpaque as _};
            let mut fields = __rt::ApiFields::of_model(
                <Issue as __rt::Model>::model_meta(),
                false,
            );
            fields.put("id", fields.row("_id"));
            fields.put("title", fields.row("title"));
            fields.put("project", fields.row("project"));
            fields.put("project_name", fields.row("project_name"));
            fields.put("watchers", fields.row("watchers"));
            fields
        }
    }
    __rt::impl_json_schema!(IssueView);
    #[allow(unused_variables)]
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for IssuePatch {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let mut given = __rt::Given::read(
                deserializer,
                "IssuePatch",
                &["title", "project", "watchers"],
                <Issue as __rt::Model>::model_meta().shape,
            )?;
            ::core::result::Result::Ok(IssuePatch {
                title: given
                    .take::<__Plain, _, __D::Error>("title", given.row("title"))?,
                project: given
                    .take::<__Plain, _, __D::Error>("project", given.row("project"))?,
                watchers: given
                    .take::<
                        __Plain,
                        _,
                        __D::Error,
                    >(
                        "watchers",
                        __rt::row::<
                            ::mongo_model::__private::Vec<
                                <Member as ::mongo_model::__private::HasField<
                                    {
                                        #[allow(unused_imports)]
                                        use ::mongo_model::__private::Fallback as _;
                                        ::mongo_model::__private::Probe::<Member>::ID
                                    },
                                >>::Type,
                            >,
                        >("watchers", "watchers"),
                    )?,
            })
        }
    }
    #[automatically_derived]
    impl ::core::default::Default for IssuePatch {
        fn default() -> Self {
            IssuePatch {
                title: ::core::option::Option::None,
                project: ::core::option::Option::None,
                watchers: ::core::option::Option::None,
            }
        }
    }
    #[allow(unused_variables, unused_imports)]
    #[automatically_derived]
    impl __rt::Patch<Issue> for IssuePatch {
        fn change(self, changes: &mut __rt::PatchChanges<'_, Issue>) {
            use __rt::BlankFallback as _;
            changes.set_some(|model| model.title, self.title);
            changes.set_some(|model| model.project, self.project);
            changes
                .set_some(
                    |model| model.watchers,
                    self
                        .watchers
                        .map(|
                            ids: ::mongo_model::__private::Vec<
                                <Member as ::mongo_model::__private::HasField<
                                    {
                                        #[allow(unused_imports)]
                                        use ::mongo_model::__private::Fallback as _;
                                        ::mongo_model::__private::Probe::<Member>::ID
                                    },
                                >>::Type,
                            >|
                        {
                            ids
                                .into_iter()
                                .map(|id| Watcher {
                                    id,
                                    name: __rt::Blank::<
                                        <Member as __rt::HasField<
                                            {
                                                #[allow(unused_imports)]
                                                use __rt::Fallback as _;
                                                __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                                            },
                                        >>::Type,
                                    >::NEW
                                        .value(),
                                })
                                .collect()
                        }),
                );
        }
    }
    #[allow(unused_imports, unused_mut)]
    #[automatically_derived]
    impl __rt::ApiStruct for IssuePatch {
        const NAME: &'static str = "IssuePatch";
        fn describe() -> __rt::ApiFields {
            use __rt::{ApiByValue as _, ApiOpaque as _};
            let mut fields = __rt::ApiFields::of_model(
                <Issue as __rt::Model>::model_meta(),
                true,
            );
            fields.take("title", fields.row("title"));
            fields.take("project", fields.row("project"));
            fields
                .take(
                    "watchers",
                    __rt::row::<
                        ::mongo_model::__private::Vec<
                            <Member as ::mongo_model::__private::HasField<
                                {
                                    #[allow(unused_imports)]
                                    use ::mongo_model::__private::Fallback as _;
                                    ::mongo_model::__private::Probe::<Member>::ID
                                },
                            >>::Type,
                        >,
                    >("watchers", "watchers"),
                );
            fields
        }
    }
    __rt::impl_json_schema!(IssuePatch);
    #[automatically_derived]
    impl __rt::Versioned for Issue {
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
    impl __rt::Insertable for Issue {}
    impl __rt::Replaceable for Issue {}
    impl Issue
    where
        for<'__any> Project: __rt::Model,
    {
        ///Loads what `project` refers to, from the collection of `Project`: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_project<'a>(
            &self,
            db: &'a ::mongo_model::Database,
        ) -> ::mongo_model::load::Load<
            'a,
            ::mongo_model::load::Refs<Issue, Project, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Load::refs::<
                Issue,
            >(
                db,
                self,
                2usize,
                |__document| __rt::encode_value(&__document.project),
                |__document: &Issue, __key, __to| __rt::done(
                    __rt::put(&__document.project).put(__key, __to),
                ),
            )
        }
        ///Loads what `project` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_project_many<'a, 'd, __D: ::mongo_model::load::AsModel<Issue>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Refs<Issue, Project, ::mongo_model::load::Single>,
        > {
            ::mongo_model::load::Join::refs::<
                Issue,
            >(
                db,
                documents,
                2usize,
                |__document| __rt::encode_value(&__document.project),
                |__document: &Issue, __key, __to| __rt::done(
                    __rt::put(&__document.project).put(__key, __to),
                ),
            )
        }
        ///The documents whose `project` refers to this `Project`: one `find`, served by an index.
        pub fn by_project<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Project as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::load::By<'a, Issue, Project> {
            ::mongo_model::load::By::new(db, "project", id)
        }
        ///The documents whose `project` refers to each of these: one command, served by an index.
        pub fn by_project_many<'a, 'd, __D: ::mongo_model::load::AsModel<Project>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Children<Issue, Project>,
        > {
            ::mongo_model::load::Join::children(db, documents, 2usize)
        }
    }
    impl Issue
    where
        for<'__any> Member: __rt::Model,
    {
        ///Loads what `watchers` refers to, from the collection of `Member`: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_watchers<'a>(
            &self,
            db: &'a ::mongo_model::Database,
        ) -> ::mongo_model::load::Load<
            'a,
            ::mongo_model::load::Refs<Watcher, Member, ::mongo_model::load::Dense>,
        > {
            ::mongo_model::load::Load::refs::<
                Issue,
            >(
                db,
                self,
                4usize,
                |__document| __rt::encode_value(&__document.watchers),
                |__document: &Issue, __key, __to| __rt::done(
                    __rt::put(&__document.watchers).put(__key, __to),
                ),
            )
        }
        ///Loads what `watchers` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none.
        pub fn load_watchers_many<'a, 'd, __D: ::mongo_model::load::AsModel<Issue>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Refs<Watcher, Member, ::mongo_model::load::Dense>,
        > {
            ::mongo_model::load::Join::refs::<
                Issue,
            >(
                db,
                documents,
                4usize,
                |__document| __rt::encode_value(&__document.watchers),
                |__document: &Issue, __key, __to| __rt::done(
                    __rt::put(&__document.watchers).put(__key, __to),
                ),
            )
        }
        ///The documents whose `watchers` refers to this `Member`: one `find`, served by an index.
        pub fn by_watchers<'a>(
            db: &'a ::mongo_model::Database,
            id: impl ::mongo_model::field::IntoArg<<Member as __rt::Model>::DocumentId>,
        ) -> ::mongo_model::load::By<'a, Issue, Member> {
            ::mongo_model::load::By::new(db, "watchers.id", id)
        }
        ///The documents whose `watchers` refers to each of these: one command, served by an index.
        pub fn by_watchers_many<'a, 'd, __D: ::mongo_model::load::AsModel<Member>>(
            db: &'a ::mongo_model::Database,
            documents: &'d [__D],
        ) -> ::mongo_model::load::Join<
            'a,
            'd,
            __D,
            ::mongo_model::load::Children<Issue, Member>,
        > {
            ::mongo_model::load::Join::children(db, documents, 4usize)
        }
    }
    impl Issue {
        ///True if the error says that another `Issue` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    static __CHECKED_Watcher: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Watcher {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED_Watcher.document(__key, __to)?;
            if !(true
                && (__put_by::<
                    <Member as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::Probe::<Member>::ID
                        },
                    >>::Codec,
                    _,
                >(&self.id)
                    .put(b"id\0", __to))
                && (__put_by::<
                    <Member as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                        },
                    >>::Codec,
                    _,
                >(&self.name)
                    .put(b"name\0", __to)))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            __CHECKED_Watcher
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
            __CHECKED_Watcher
                .reads(
                    || (&__rt::Ask::<Self>::NEW).ask(),
                    __rt::Form::Struct,
                    "__ReadWatcher",
                    &["id", "name"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<
                <Member as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Member>::ID
                    },
                >>::Type,
                <Member as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Member>::ID
                    },
                >>::Codec,
            >::new();
            let __1 = &mut __Slot::<
                <Member as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                    },
                >>::Type,
                <Member as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                    },
                >>::Codec,
            >::new();
            if !(true && __0.next(&mut __from, b"id\0")
                && __1.next(&mut __from, b"name\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"id\0" => __0.fill(__kind, &mut __rest),
                    b"name\0" => __1.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Watcher {
                id: __0.take()?,
                name: __1.take()?,
            })
        }
    }
    mod __field_Watcher {
        pub enum id {}
        pub enum name {}
    }
    impl __rt::Segment for __field_Watcher::id {
        const NAME: &'static str = "id";
        type Codec = __field_Watcher::id;
        type Presence = __rt::Required;
    }
    #[automatically_derived]
    impl __rt::Encode<
        <Member as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<Member>::ID
            },
        >>::Type,
    > for __field_Watcher::id {
        fn write<__S: __rt::serde::Serializer>(
            value: &<Member as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<Member>::ID
                },
            >>::Type,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            <<Member as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<Member>::ID
                },
            >>::Codec as __rt::Encode<
                <Member as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Member>::ID
                    },
                >>::Type,
            >>::write(value, serializer)
        }
    }
    impl __rt::Segment for __field_Watcher::name {
        const NAME: &'static str = "name";
        type Codec = __field_Watcher::name;
        type Presence = __rt::Required;
    }
    #[automatically_derived]
    impl __rt::Encode<
        <Member as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
            },
        >>::Type,
    > for __field_Watcher::name {
        fn write<__S: __rt::serde::Serializer>(
            value: &<Member as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                },
            >>::Type,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            <<Member as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                },
            >>::Codec as __rt::Encode<
                <Member as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                    },
                >>::Type,
            >>::write(value, serializer)
        }
    }
    #[derive(__rt::serde::Deserialize)]
    #[serde(crate = "::mongo_model::__private::serde")]
    struct __ReadWatcher {
        #[serde(rename = "id")]
        id: __rt::CopyValue<
            Member,
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<Member>::ID
            },
        >,
        #[serde(rename = "name")]
        name: __rt::CopyValue<
            Member,
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
            },
        >,
    }
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for Watcher {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let read = <__ReadWatcher as __rt::serde::Deserialize>::deserialize(
                deserializer,
            )?;
            ::core::result::Result::Ok(Watcher {
                id: read.id.0,
                name: read.name.0,
            })
        }
    }
    #[automatically_derived]
    impl __rt::serde::Serialize for Watcher {
        fn serialize<__S: __rt::serde::Serializer>(
            &self,
            serializer: __S,
        ) -> ::core::result::Result<__S::Ok, __S::Error> {
            let mut document = __rt::serde::Serializer::serialize_struct(
                serializer,
                "Watcher",
                2usize,
            )?;
            __rt::serde::ser::SerializeStruct::serialize_field(
                &mut document,
                "id",
                &__rt::CopyRef::<
                    Member,
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Member>::ID
                    },
                >(&self.id),
            )?;
            __rt::serde::ser::SerializeStruct::serialize_field(
                &mut document,
                "name",
                &__rt::CopyRef::<
                    Member,
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                    },
                >(&self.name),
            )?;
            __rt::serde::ser::SerializeStruct::end(document)
        }
    }
    pub struct WatcherFields<__P: __rt::Path> {
        pub id: __rt::Field<
            __rt::At<__P, __field_Watcher::id>,
            <Member as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::Probe::<Member>::ID
                },
            >>::Type,
            __rt::Indexed,
            __rt::ReferenceWithCopies<Member>,
        >,
        pub name: __rt::Field<
            __rt::At<__P, __field_Watcher::name>,
            <Member as __rt::HasField<
                {
                    #[allow(unused_imports)]
                    use __rt::Fallback as _;
                    __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                },
            >>::Type,
            __rt::NotIndexed<__field_Watcher::name, __P>,
            __rt::CopyOf<Member>,
        >,
    }
    #[automatically_derived]
    impl<__P: __rt::Path> ::core::clone::Clone for WatcherFields<__P> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path> ::core::marker::Copy for WatcherFields<__P> {}
    impl<__P: __rt::Path> __rt::Handles for WatcherFields<__P> {
        const VALUE: Self = WatcherFields {
            id: __rt::Field::NEW,
            name: __rt::Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for Watcher {
        type Elem = Self;
        type Sub<__P: __rt::Path> = WatcherFields<__P>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::row::<
                <Member as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::Probe::<Member>::ID
                    },
                >>::Type,
            >("id", "id")
                .with(
                    <Member as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::Probe::<Member>::ID
                        },
                    >>::WITH,
                ),
            __rt::row::<
                <Member as __rt::HasField<
                    {
                        #[allow(unused_imports)]
                        use __rt::Fallback as _;
                        __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                    },
                >>::Type,
            >("name", "name")
                .with(
                    <Member as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                        },
                    >>::WITH,
                )
                .max_len(
                    <Member as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                        },
                    >>::MAX_LEN,
                )
                .max(
                    <Member as __rt::HasField<
                        {
                            #[allow(unused_imports)]
                            use __rt::Fallback as _;
                            __rt::slot(__rt::Probe::<Member>::COPYABLE, "name")
                        },
                    >>::MAX,
                )
                .copy(
                    &__rt::CopyRow {
                        source: __rt::Probe::<Member>::TABLES,
                        field: "name",
                        via: "id",
                        snapshot: false,
                        level: __rt::Level::Eventual,
                    },
                ),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Watcher",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            2usize,
        );
    }
    impl __rt::Projectable for Watcher {
        type Handles = WatcherFields<__rt::Nowhere>;
    }
    impl __rt::Names for Watcher {
        const NAMES: &'static [&'static str] = &["id", "name"];
    }
    impl __rt::HasSeg<0> for Watcher {
        type Seg = __field_Watcher::id;
        type Value = <Member as __rt::HasField<
            {
                #[allow(unused_imports)]
                use __rt::Fallback as _;
                __rt::Probe::<Member>::ID
            },
        >>::Type;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<1usize> for Watcher {
        type Seg = __field_Watcher::name;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::HasSeg<{ __rt::MISSING }> for Watcher {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    impl __rt::RefTo<Member> for Watcher {}
    const _: () = __rt::check::field(
        &<Issue as __rt::Value>::FIELDS[0usize],
        "Issue::id",
        "Id<Issue>",
        "Id<Issue>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(&<Issue as __rt::Value>::FIELDS[0usize], "Issue::id");
    const _: () = __rt::check::field(
        &<Issue as __rt::Value>::FIELDS[2usize],
        "Issue::project",
        "Id<Project, String>",
        "Id<Project, String>",
        false,
        0u32,
    );
    const _: () = {
        __rt::check::target(
            (
                __rt::Probe::<Project>::IS_MODEL || !__rt::Probe::<Project>::IS_KNOWN,
                __rt::Probe::<Project>::DENIES_UNKNOWN,
            ),
            true,
            "Issue::project",
            "Project",
            false,
        );
        __rt::check::id_key(
            __rt::Probe::<Project>::ID_IS_COMPARED,
            true,
            "Issue::project",
            "Project",
        )
    };
    const _: () = __rt::check::ids(
        __rt::ProbeIds::<Id<Project, String>, Project>::HOLDS_IDS
            || !__rt::Probe::<Project>::IS_MODEL
            || !__rt::Probe::<Id<Project, String>>::IS_VALUE,
        ("", __rt::Probe::<Project>::ID_FORM),
        true,
        "Issue::project",
        "Id<Project, String>",
        "Project",
    );
    const _: () = __rt::check::tenant(
        __rt::Probe::<Project>::WALLED,
        "Issue::project",
        "refers to",
        "Project",
    );
    const _: () = __rt::check::copied::<
        Project,
        { __rt::slot(__rt::Probe::<Project>::COPYABLE, "name") },
    >(
        "Issue::project_name",
        "Project",
        "name",
        <Issue as __rt::Lookup>::PLACE,
        "project_name",
        0u32,
    );
    const _: () = {
        let _ = <<Project as __rt::Lookup>::Fields as __rt::Handles>::VALUE.name;
    };
    const _: () = __rt::check::same_with::<
        Project,
        { __rt::slot(__rt::Probe::<Project>::COPYABLE, "name") },
    >("Issue::project_name", "Project", "name", false);
    const _: () = __rt::check::copy_type::<
        Project,
        { __rt::slot(__rt::Probe::<Project>::COPYABLE, "name") },
    >(
        __rt::check::CopyTypes {
            same: __rt::ProbeSame::<
                String,
                <Project as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Project>::COPYABLE, "name") },
                >>::Type,
            >::IS_SAME,
            option_of_source: __rt::ProbeSame::<
                String,
                ::core::option::Option<
                    <Project as __rt::HasField<
                        { __rt::slot(__rt::Probe::<Project>::COPYABLE, "name") },
                    >>::Type,
                >,
            >::IS_SAME,
            source_is_option_of_it: __rt::ProbeSame::<
                ::core::option::Option<String>,
                <Project as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Project>::COPYABLE, "name") },
                >>::Type,
            >::IS_SAME,
            source_is_option: __rt::Probe::<
                <Project as __rt::HasField<
                    { __rt::slot(__rt::Probe::<Project>::COPYABLE, "name") },
                >>::Type,
            >::IS_OPTION,
            beside_option: __rt::Probe::<Id<Project, String>>::IS_OPTION,
            through: "",
            unread: false,
        },
        "Issue::project_name",
        "String",
        "",
        "Project",
        "name",
        "project",
    );
    const _: () = __rt::check::field(
        &<Issue as __rt::Value>::FIELDS[4usize],
        "Issue::watchers",
        "Vec<Watcher>",
        "Watcher",
        false,
        0u32,
    );
    const _: () = {
        __rt::check::source(
            (
                __rt::Probe::<Member>::IS_MODEL || !__rt::Probe::<Member>::IS_KNOWN,
                __rt::Probe::<Member>::DENIES_UNKNOWN,
            ),
            "Issue::watchers",
            "Member",
        );
        __rt::check::id_key(
            __rt::Probe::<Member>::ID_IS_COMPARED,
            false,
            "Issue::watchers",
            "Member",
        )
    };
    const _: () = __rt::check::copied::<
        Member,
        { __rt::slot(__rt::Probe::<Member>::COPYABLE, "name") },
    >("Issue::watchers", "Member", "name", "", "watchers", 0u32);
    const _: () = {
        let _ = <<Member as __rt::Lookup>::Fields as __rt::Handles>::VALUE.name;
    };
    const _: () = __rt::check::tenant(
        __rt::Probe::<Member>::WALLED,
        "Issue::watchers",
        "refers to",
        "Member",
    );
    const _: () = __rt::check::version(
        __rt::ProbeSame::<i64, ::core::primitive::i64>::IS_SAME
            || __rt::ProbeSame::<i64, ::core::primitive::i32>::IS_SAME
            || !__rt::Probe::<i64>::IS_VALUE,
        "Issue::version",
        "i64",
    );
    const _: () = __rt::check::document(
        <Issue as __rt::Value>::FIELDS,
        &[
            (1usize, "Issue::title", "String"),
            (3usize, "Issue::project_name", "String"),
            (5usize, "Issue::version", "i64"),
        ],
        "Issue",
    );
};
