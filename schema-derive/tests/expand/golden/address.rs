///Changes inside one `Address`: `None` leaves a field as it is.
#[allow(missing_debug_implementations)]
pub struct AddressPatch {
    ///The `city` of the `Address`.
    pub city: ::core::option::Option<String>,
    ///The `spot` of the `Address`.
    pub spot: ::core::option::Option<::core::option::Option<SpotPatch>>,
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
        pub enum city {}
        pub enum spot {}
        pub enum secret {}
    }
    impl __Segment for __field::city {
        const NAME: __Str = "town";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::spot {
        const NAME: __Str = "spot";
        type Codec = __Plain;
        type Presence = __Optional;
    }
    impl __Segment for __field::secret {
        const NAME: __Str = "secret";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct AddressFields<__P: __rt::Path> {
        pub city: __Field<
            __rt::At<__P, __field::city>,
            String,
            __rt::NotIndexed<__field::city, __P>,
            __Own,
        >,
        pub spot: __Field<
            __rt::At<__P, __field::spot>,
            Option<Spot>,
            __rt::NotIndexed<__field::spot, __P>,
            __Own,
        >,
        secret: __Field<
            __rt::At<__P, __field::secret>,
            String,
            __rt::NotIndexed<__field::secret, __P>,
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
            city: __Field::NEW,
            spot: __Field::NEW,
            secret: __Field::NEW,
            __path: ::core::marker::PhantomData,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for Address {
        type Elem = Self;
        type Sub<__P: __rt::Path> = AddressFields<__P>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<String>::STORED.row("city", "town"),
            __rt::Probe::<Option<Spot>>::STORED.row("spot", "spot"),
            __rt::Probe::<String>::STORED.row("secret", "secret"),
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
        const NAMES: &'static [__Str] = &["city", "spot", "secret"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Address {
        type Fields = AddressFields<__rt::Nowhere>;
    }
    impl __rt::Projectable for Address {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __rt::HasSeg<0usize> for Address {
        type Seg = __field::city;
        type Value = String;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::city>,
            String,
            __rt::NotIndexed<__field::city, __P>,
            __Own,
        >;
    }
    impl __rt::HasSeg<1usize> for Address {
        type Seg = __field::spot;
        type Value = Option<Spot>;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::spot>,
            Option<Spot>,
            __rt::NotIndexed<__field::spot, __P>,
            __Own,
        >;
    }
    impl __rt::HasSeg<2usize> for Address {
        type Seg = __field::secret;
        type Value = String;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::secret>,
            String,
            __rt::NotIndexed<__field::secret, __P>,
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
        type Type = Option<Spot>;
        type Codec = __Plain;
    }
    impl __HasField<2usize> for Address {
        type Type = String;
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
            if !(true && (__put(&self.city).put(b"town\0", __to))
                && (__put(&self.spot).put(b"spot\0", __to))
                && (__put(&self.secret).put(b"secret\0", __to)))
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
                    &["town", "spot", "secret"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<String>::new();
            let __1 = &mut __Slot::<Option<Spot>>::new();
            let __2 = &mut __Slot::<String>::new();
            if !(true && __0.next(&mut __from, b"town\0")
                && __1.next(&mut __from, b"spot\0")
                && __2.next(&mut __from, b"secret\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"town\0" => __0.fill(__kind, &mut __rest),
                    b"spot\0" => __1.fill(__kind, &mut __rest),
                    b"secret\0" => __2.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Address {
                city: __0.take()?,
                spot: __1.take()?,
                secret: __2.take()?,
            })
        }
    }
    #[allow(unused_variables)]
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for AddressPatch {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let mut given = __rt::Given::read(
                deserializer,
                "AddressPatch",
                &["town", "spot"],
                const {
                    &__rt::Shape {
                        name: "Address",
                        fields: <Address as __rt::Value>::FIELDS,
                    }
                },
            )?;
            ::core::result::Result::Ok(AddressPatch {
                city: given.take::<__Plain, _, __D::Error>("town", given.row("town"))?,
                spot: given.part::<_, __D::Error>("spot")?,
            })
        }
    }
    #[automatically_derived]
    impl ::core::default::Default for AddressPatch {
        fn default() -> Self {
            AddressPatch {
                city: ::core::option::Option::None,
                spot: ::core::option::Option::None,
            }
        }
    }
    #[allow(unused_variables, unused_imports)]
    #[automatically_derived]
    impl __rt::EmbedPatch<Address> for AddressPatch {
        fn change(self, changes: &mut __rt::PartChanges<'_>) {
            use __rt::BlankFallback as _;
            changes.set_some::<__Plain, _>("town", self.city);
            changes.set_optional_part::<Spot>("spot", self.spot);
        }
    }
    #[allow(unused_imports, unused_mut)]
    #[automatically_derived]
    impl __rt::ApiStruct for AddressPatch {
        const NAME: &'static str = "AddressPatch";
        fn describe() -> __rt::ApiFields {
            use __rt::{ApiByValue as _, ApiOpaque as _};
            let mut fields = __rt::ApiFields::of_embedded(
                <Address as __rt::Value>::FIELDS,
            );
            fields.take("town", fields.row("town"));
            fields.part::<SpotPatch>("spot", true);
            fields
        }
    }
    __rt::impl_json_schema!(AddressPatch);
    const _: () = __rt::check::field(
        &<Address as __rt::Value>::FIELDS[1usize],
        "Address::spot",
        "Option<Spot>",
        "Spot",
        false,
        0u32,
    );
    const _: () = __rt::check::plain(
        <Address as __rt::Value>::FIELDS,
        &[(0usize, "Address::city", "String"), (2usize, "Address::secret", "String")],
    );
};
///Changes of one `House`: `None` leaves a field as it is, and `update(..).patch(..)` sets the others.
#[allow(missing_debug_implementations)]
pub struct HousePatch {
    ///The `address` of the `House`.
    pub address: ::core::option::Option<AddressPatch>,
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
        pub enum address {}
    }
    impl __Segment for __field::id {
        const NAME: __Str = "_id";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::address {
        const NAME: __Str = "address";
        type Codec = __Plain;
        type Presence = __Required;
    }
    pub struct HouseFields {
        pub id: __Field<
            __Top<House, __field::id>,
            Id<House>,
            __rt::Indexed,
            __rt::Key<House>,
        >,
        pub address: __Free<House, __field::address, Address>,
    }
    #[automatically_derived]
    impl ::core::clone::Clone for HouseFields {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl ::core::marker::Copy for HouseFields {}
    impl __rt::Handles for HouseFields {
        const VALUE: Self = HouseFields {
            id: __Field::NEW,
            address: __Field::NEW,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl HouseFields {
        ///Every document, for `scan`.
        pub fn all(self) -> ::mongo_model::Filter<House, __rt::Everything> {
            __rt::everything()
        }
    }
    impl __rt::Value for House {
        type Elem = Self;
        type Sub<__P: __rt::Path> = __rt::NoFields;
        const CARD: __rt::Cardinality = __rt::Cardinality::Standalone;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::Probe::<Id<House>>::STORED.row("id", "_id"),
            __rt::Probe::<Address>::STORED.row("address", "address"),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "House",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl __rt::Names for House {
        const NAMES: &'static [__Str] = &["id", "address"];
    }
    #[automatically_derived]
    impl __rt::Lookup for House {
        type Fields = HouseFields;
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = <Self as __rt::Names>::NAMES;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &["id"];
        const PLACE: &'static str = ::core::concat!(
            ::core::module_path!(), "::", "House"
        );
        const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(
            &[],
        );
        fn tables() -> &'static __rt::ModelMeta {
            __meta()
        }
    }
    impl __rt::Projectable for House {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __HasField<0usize> for House {
        type Type = Id<House>;
        type Codec = __Plain;
        const IS_ID: bool = true;
    }
    impl __HasField<1usize> for House {
        type Type = Address;
        type Codec = __Plain;
    }
    impl __rt::HasField<{ __rt::ID }> for House {
        type Type = Id<House>;
        type Codec = __Plain;
    }
    impl __rt::RefTo<House> for Id<House> {}
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for House {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.id).put(b"_id\0", __to))
                && (__put(&self.address).put(b"address\0", __to)))
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
                    "House",
                    &["_id", "address"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<House>>::new();
            let __1 = &mut __Slot::<Address>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"address\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"address\0" => __1.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(House {
                id: __0.take()?,
                address: __1.take()?,
            })
        }
    }
    fn __meta() -> &'static __rt::ModelMeta {
        static META: __rt::ModelMeta = __rt::ModelMeta {
            name: "House",
            collection: "houses",
            shape: &__rt::Shape {
                name: "House",
                fields: <House as __rt::Value>::FIELDS,
            },
            indexes: &[],
            size: <House as __rt::Value>::SIZE,
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
    impl __rt::Model for House {
        type DocumentId = Id<House>;
        type FieldHandles = HouseFields;
        type DatabaseHandle = __rt::Database;
        type TenantHandle = __rt::Database;
        const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(
            __rt::Codec::generated(&__CHECKED),
        );
        fn model_meta() -> &'static __rt::ModelMeta {
            __meta()
        }
        fn document_id(&self) -> &Id<House> {
            &self.id
        }
    }
    __rt::inventory::submit! {
        __rt::Registered::of:: < House > (__rt::decodes:: < House >)
    }
    #[allow(unused_variables)]
    #[automatically_derived]
    impl<'de> __rt::serde::Deserialize<'de> for HousePatch {
        fn deserialize<__D: __rt::serde::Deserializer<'de>>(
            deserializer: __D,
        ) -> ::core::result::Result<Self, __D::Error> {
            let mut given = __rt::Given::read(
                deserializer,
                "HousePatch",
                &["address"],
                <House as __rt::Model>::model_meta().shape,
            )?;
            ::core::result::Result::Ok(HousePatch {
                address: given.part::<_, __D::Error>("address")?,
            })
        }
    }
    #[automatically_derived]
    impl ::core::default::Default for HousePatch {
        fn default() -> Self {
            HousePatch {
                address: ::core::option::Option::None,
            }
        }
    }
    #[allow(unused_variables, unused_imports)]
    #[automatically_derived]
    impl __rt::Patch<House> for HousePatch {
        fn change(self, changes: &mut __rt::PatchChanges<'_, House>) {
            use __rt::BlankFallback as _;
            changes.set_part::<_, Address, _, _>(|model| model.address, self.address);
        }
    }
    #[allow(unused_imports, unused_mut)]
    #[automatically_derived]
    impl __rt::ApiStruct for HousePatch {
        const NAME: &'static str = "HousePatch";
        fn describe() -> __rt::ApiFields {
            use __rt::{ApiByValue as _, ApiOpaque as _};
            let mut fields = __rt::ApiFields::of_model(
                <House as __rt::Model>::model_meta(),
                true,
            );
            fields.part::<AddressPatch>("address", false);
            fields
        }
    }
    __rt::impl_json_schema!(HousePatch);
    impl __rt::Unversioned for House {}
    impl __rt::Insertable for House {}
    impl __rt::Replaceable for House {}
    __rt::inventory::submit! {
        __rt::PersonalModel::of:: < House > ()
    }
    impl House {
        ///True if the error says that another `House` has the same `id` already.
        #[must_use]
        pub fn is_duplicate_id(error: &::mongo_model::Error) -> ::core::primitive::bool {
            __rt::is_duplicate_of(__meta(), error, &["id"])
        }
    }
    const _: () = __rt::check::field(
        &<House as __rt::Value>::FIELDS[0usize],
        "House::id",
        "Id<House>",
        "Id<House>",
        false,
        0u32,
    );
    const _: () = __rt::check::id(&<House as __rt::Value>::FIELDS[0usize], "House::id");
    const _: () = __rt::check::field(
        &<House as __rt::Value>::FIELDS[1usize],
        "House::address",
        "Address",
        "Address",
        false,
        0u32,
    );
    const _: () = __rt::check::pulled(
        &<House as __rt::Value>::FIELDS[1usize],
        "House::address",
    );
    const _: () = __rt::check::personal_inside(
        &<House as __rt::Value>::FIELDS[1usize],
        "House::address",
        __rt::check::Holder {
            model: "House",
            fields: <House as __rt::Value>::FIELDS,
            fixed: "",
            recorded: false,
        },
    );
    const _: () = __rt::check::document(<House as __rt::Value>::FIELDS, &[], "House");
};
