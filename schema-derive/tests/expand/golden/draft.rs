///A new `Draft`, without the fields that the library fills in: `Draft::from` makes the document.
#[allow(missing_debug_implementations)]
pub struct NewDraft {
    ///The `title` of the `Draft`.
    pub title: String,
    ///The `copies` of the `Draft`.
    pub copies: i32,
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
        pub enum copies {}
        pub enum stage {}
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
    impl __Segment for __field::copies {
        const NAME: __Str = "copies";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::stage {
        const NAME: __Str = "stage";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct DraftFields {
        pub id: __Field<
            __Top<Draft, __field::id>,
            Id<Draft>,
            __rt::Indexed,
            __rt::Key<Draft>,
        >,
        pub title: __Free<Draft, __field::title, String>,
        pub copies: __Free<Draft, __field::copies, i32>,
        pub stage: __Free<Draft, __field::stage, Stage>,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for DraftFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for DraftFields {}
    impl __rt::Handles for DraftFields {
        const VALUE: Self = DraftFields {
            id: __Field::NEW,
            title: __Field::NEW,
            copies: __Field::NEW,
            stage: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl DraftFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<Draft, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for Draft {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<Draft>>::STORED.row("id", "_id"),
            __rt::Probe::<String>::STORED.row("title", "title"),
            __rt::Probe::<i32>::STORED.row("copies", "copies"),
            __rt::Probe::<Stage>::STORED.row("stage", "stage"),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Draft",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for Draft {
        const NAMES: &'static [__Str] = &["id", "title", "copies", "stage"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Draft {
        type Fields = DraftFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "Draft"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for Draft {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for Draft {
        type Type = Id<Draft>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for Draft {
        type Type = String;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Draft {
        type Type = i32;
        type Codec = __Plain;
    }
    impl __HasField<3usize> for Draft {
        type Type = Stage;
        type Codec = __Plain;
    }
    impl __rt::HasField<{ __rt::ID }> for Draft {
        type Type = Id<Draft>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<Draft> for Id<Draft> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Draft {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.title).put(b"title\0", __to))
                && (__put(&self.copies).put(b"copies\0", __to))
                && (__put(&self.stage).put(b"stage\0", __to)))
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
                    "Draft",
                    &["_id", "title", "copies", "stage"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Draft>>::new();
            let __1 = &mut __Slot::<String>::new();
            let __2 = &mut __Slot::<i32>::new();
            let __3 = &mut __Slot::<Stage>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"title\0")
                && __2.next(&mut __from, b"copies\0")
                && __3.next(&mut __from, b"stage\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"title\0" => __1.fill(__kind, &mut __rest),
                    b"copies\0" => __2.fill(__kind, &mut __rest),
                    b"stage\0" => __3.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Draft {
                id: __0.take()?,
                title: __1.take()?,
                copies: __2.take()?,
                stage: __3.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "Draft",
            collection: "drafts",
            shape: &__rt::Shape {
                name: "Draft",
                fields: <Draft as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <Draft as __rt::Value>::SIZE,
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
    impl __rt::Model for Draft {
        type DocumentId = Id<Draft>;
        type FieldHandles = DraftFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<Draft> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < Draft > (__rt::decodes:: < Draft >)
    }
    #[allow(non_snake_case, unused_parens)]
    fn __default_copies() -> i32 {
        (3)
    }
    #[allow(non_snake_case, unused_parens)]
    fn __default_stage() -> Stage {
        (Stage::first())
    }
    #[allow(unused_variables)]
    #[automatically_derived]
    impl ::core::convert::From<NewDraft> for Draft {
        fn from(new: NewDraft) -> Self {
            use __rt::BlankFallback as _;
            Draft {
                id: __rt::Blank::<Id<Draft>>::NEW.value(),
                title: new.title,
                copies: new.copies,
                stage: __default_stage(),
            }
        }
    }
    #[allow(unused_variables)]
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for NewDraft {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let mut given = __rt::Given::read(
                deserializer,
                "NewDraft",
                &["title", "copies"],
                <Draft as __rt::Model>::model_meta().shape,
            )?;
            ::core::result::Result::Ok(NewDraft {
                title: given
                    .need::<__Plain, _, __D::Error>("title", given.row("title"))?,
                copies: match given
                    .take::<__Plain, _, __D::Error>("copies", given.row("copies"))?
                {
                    ::core::option::Option::Some(value) => value,
                    ::core::option::Option::None => __default_copies(),
                },
            })
        }
    }
    #[allow(unused_imports, unused_mut)]
    #[automatically_derived]
    impl __rt::ApiStruct for NewDraft {
        const NAME: &'static str = "NewDraft";
        fn describe() -> __rt::ApiFields {
            use __rt::{ApiByValue as _, ApiOpaque as _};
            let mut fields = __rt::ApiFields::of_model(
                <Draft as __rt::Model>::model_meta(),
                true,
            );
            fields.need("title", fields.row("title"));
            fields.take("copies", fields.row("copies"));
            fields
        }
    }
    __rt::impl_json_schema!(NewDraft);
    impl __rt::Unversioned for Draft {}
    impl __rt::Insertable for Draft {}
    impl __rt::Replaceable for Draft {}
    __rt::inventory::submit! {
        __rt::PersonalModel::of:: < Draft > ()
    }
    impl Draft {
        ///True if the error says that another `Draft` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<Draft as __rt::Value>::FIELDS[0usize],
        "Draft::id",
        "Id<Draft>",
        "Id<Draft>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(&<Draft as __rt::Value>::FIELDS[0usize], "Draft::id");
    const _: () = __rt::check::field(
        &<Draft as __rt::Value>::FIELDS[3usize],
        "Draft::stage",
        "Stage",
        "Stage",
        false,
        0u32,
    );
    const _: () = __rt::check::pulled(
        &<Draft as __rt::Value>::FIELDS[3usize],
        "Draft::stage",
    );
    const _: () = __rt::check::personal_inside(
        &<Draft as __rt::Value>::FIELDS[3usize],
        "Draft::stage",
        __rt::check::Holder {
            model: "Draft",
            fields: <Draft as __rt::Value>::FIELDS,
            fixed: "",
            recorded: false,
        },
    );
    const _: () = __rt::check::document(
        <Draft as __rt::Value>::FIELDS,
        &[(1usize, "Draft::title", "String"), (2usize, "Draft::copies", "i32")],
        "Draft",
    );
};
