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
        pub enum last_four {}
    }
    impl __Segment for __field::last_four {
        const NAME: __Str = "last_four";
        type Codec = __Plain;
        type Presence = __Required;
        const HOLDERS: ::core::option::Option<(__Str, &'static [__Str])> = ::core::option::Option::Some((
            "type",
            &["card"],
        ));
    }
    pub struct PaymentFields<__P: __rt::Path> {
        pub last_four: __Field<
            __rt::At<__P, __field::last_four>,
            String,
            __rt::NotIndexed<__field::last_four, __P>,
            __Own,
        >,
        __path: ::core::marker::PhantomData<fn() -> __P>,
    }
    #[automatically_derived]
    impl<__P: __rt::Path> ::core::clone::Clone for PaymentFields<__P> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path> ::core::marker::Copy for PaymentFields<__P> {}
    impl<__P: __rt::Path> __rt::Handles for PaymentFields<__P> {
        const VALUE: Self = PaymentFields {
            last_four: __Field::NEW,
            __path: ::core::marker::PhantomData,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl __rt::Value for Payment {
        type Elem = Self;
        type Sub<__P: __rt::Path> = PaymentFields<__P>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::row_unknown("type", "type", __rt::Kind::String)
                .tag(&["card", "transfer", "cash"]),
            __rt::Probe::<String>::STORED.row("last_four", "last_four"),
            __rt::Probe::<Transfer>::STORED.row("value", ""),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Payment",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(<Self as __rt::Value>::FIELDS, 0, 1usize)
            .or(
                __rt::Size::of(<Self as __rt::Value>::FIELDS, 1usize, 2usize)
                    .tagged(&<Self as __rt::Value>::FIELDS[0]),
            )
            .or(
                __rt::Size::of(<Self as __rt::Value>::FIELDS, 2usize, 3usize)
                    .tagged(&<Self as __rt::Value>::FIELDS[0]),
            );
    }
    impl __rt::Names for Payment {
        const NAMES: &'static [__Str] = &["last_four"];
    }
    #[automatically_derived]
    impl __rt::Lookup for Payment {
        type Fields = PaymentFields<__rt::Nowhere>;
    }
    impl __rt::Projectable for Payment {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl __rt::HasSeg<0usize> for Payment {
        type Seg = __field::last_four;
        type Value = String;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::last_four>,
            String,
            __rt::NotIndexed<__field::last_four, __P>,
            __Own,
        >;
    }
    impl __rt::HasSeg<{ __rt::MISSING }> for Payment {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for Payment {
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
                        Payment::Card { last_four: __0, .. } => {
                            let __open = __to.tagged(__key, b"type\0", "card")?;
                            if !(true && (__put(__0).put(b"last_four\0", __to))) {
                                return ::core::result::Result::Err(__rt::Refused);
                            }
                            __to.close(__open)
                        }
                        Payment::Transfer { 0: __0 } => {
                            __rt::done(
                                (&__put(__0)).under(__key, b"type\0", "transfer", __to),
                            )
                        }
                        Payment::Cash { .. } => {
                            let __open = __to.tagged(__key, b"type\0", "cash")?;
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
                    || (&__rt::Ask::<Self>::NEW).ask_tagged("type"),
                    __rt::Form::Tagged,
                    "Payment",
                    &["card", "transfer", "cash"],
                )?;
            let mut __beside = __rt::Beside::new();
            let (__tag, mut __from) = __from.tagged(__kind, b"type\0", &mut __beside)?;
            match __tag {
                "card" => {
                    let __0 = &mut __Slot::<String>::new();
                    if !(true && __0.next(&mut __from, b"last_four\0")) {
                        return ::core::result::Result::Err(__rt::Refused);
                    }
                    let mut __rest = __from;
                    while let ::core::option::Option::Some((__key, __kind)) = __rest
                        .key()?
                    {
                        let __read = match __key {
                            b"last_four\0" => __0.fill(__kind, &mut __rest),
                            _ => __rest.skip(__kind).is_ok(),
                        };
                        if !__read {
                            return ::core::result::Result::Err(__rt::Refused);
                        }
                    }
                    ::core::result::Result::Ok(Payment::Card {
                        last_four: __0.take()?,
                    })
                }
                "transfer" => {
                    let mut __value = __Slot::<Transfer>::new();
                    __rt::done((&mut __value).rest(__from))?;
                    ::core::result::Result::Ok(Payment::Transfer {
                        0: __value.present()?,
                    })
                }
                "cash" => {
                    __from.skip_all()?;
                    ::core::result::Result::Ok(Payment::Cash {})
                }
                _ => ::core::result::Result::Err(__rt::Refused),
            }
        }
    }
    const _: () = __rt::check::field(
        &<Payment as __rt::Value>::FIELDS[2usize],
        "Payment::Transfer",
        "Transfer",
        "Transfer",
        false,
        0u32,
    );
    const _: () = __rt::check::embedded_variant(
        __rt::check::Variant {
            name: "Payment::Transfer",
            fields: __rt::check::fields_inside(
                &<Payment as __rt::Value>::FIELDS[2usize],
            ),
            references: __rt::Probe::<Transfer>::REFERENCES,
        },
        &[],
        __rt::check::Variant {
            name: "Payment",
            fields: <Payment as __rt::Value>::FIELDS,
            references: ::core::option::Option::None,
        },
    );
    const _: () = __rt::check::plain(
        <Payment as __rt::Value>::FIELDS,
        &[(1usize, "Payment::Card::last_four", "String")],
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
        pub enum from {}
        pub enum to {}
    }
    impl __Segment for __field::from {
        const NAME: __Str = "from";
        type Codec = __Plain;
        type Presence = __Required;
    }
    impl __Segment for __field::to {
        const NAME: __Str = "to";
        type Codec = __Plain;
        type Presence = __Optional;
    }
    pub struct RangeFields<__P: __rt::Path, T: __rt::Value + 'static> {
        pub from: __Field<
            __rt::At<__P, __field::from>,
            T,
            __rt::NotIndexed<__field::from, __P>,
            __Own,
        >,
        pub to: __Field<
            __rt::At<__P, __field::to>,
            Option<T>,
            __rt::NotIndexed<__field::to, __P>,
            __Own,
        >,
        __path: ::core::marker::PhantomData<fn() -> __P>,
    }
    #[automatically_derived]
    impl<__P: __rt::Path, T: __rt::Value + 'static> ::core::clone::Clone
    for RangeFields<__P, T> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<__P: __rt::Path, T: __rt::Value + 'static> ::core::marker::Copy
    for RangeFields<__P, T> {}
    impl<__P: __rt::Path, T: __rt::Value + 'static> __rt::Handles
    for RangeFields<__P, T> {
        const VALUE: Self = RangeFields {
            from: __Field::NEW,
            to: __Field::NEW,
            __path: ::core::marker::PhantomData,
        };
        const REF: &'static Self = &<Self as __rt::Handles>::VALUE;
    }
    impl<T: __rt::Value + 'static> __rt::Value for Range<T> {
        type Elem = Self;
        type Sub<__P: __rt::Path> = RangeFields<__P, T>;
        const KIND: __rt::Kind = __rt::Kind::Document;
        const FIELDS: &'static [__rt::FieldRow] = &[
            __rt::row::<T>("from", "from"),
            __rt::row::<Option<T>>("to", "to").absent(),
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = ::core::option::Option::Some(
            &__rt::Shape {
                name: "Range",
                fields: <Self as __rt::Value>::FIELDS,
            },
        );
        const SIZE: __rt::Size = __rt::Size::of(
            <Self as __rt::Value>::FIELDS,
            0,
            <Self as __rt::Value>::FIELDS.len(),
        );
    }
    impl<T: __rt::Value + 'static> __rt::Names for Range<T> {
        const NAMES: &'static [__Str] = &["from", "to"];
    }
    #[automatically_derived]
    impl<T: __rt::Value + 'static> __rt::Lookup for Range<T> {
        type Fields = RangeFields<__rt::Nowhere, T>;
    }
    impl<T: __rt::Value + 'static> __rt::Projectable for Range<T> {
        type Handles = <Self as __rt::Lookup>::Fields;
    }
    impl<T: __rt::Value + 'static> __rt::HasSeg<0usize> for Range<T> {
        type Seg = __field::from;
        type Value = T;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::from>,
            T,
            __rt::NotIndexed<__field::from, __P>,
            __Own,
        >;
    }
    impl<T: __rt::Value + 'static> __rt::HasSeg<1usize> for Range<T> {
        type Seg = __field::to;
        type Value = Option<T>;
        type Handle<__P: __rt::Path> = __rt::Field<
            __rt::At<__P, __field::to>,
            Option<T>,
            __rt::NotIndexed<__field::to, __P>,
            __Own,
        >;
    }
    impl<T: __rt::Value + 'static> __rt::HasSeg<{ __rt::MISSING }> for Range<T> {
        type Seg = __rt::Missing;
        type Value = __rt::Missing;
        type Handle<__P: __rt::Path> = __rt::NoField;
    }
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl<T: __rt::Value + 'static> __rt::Element for Range<T>
    where
        T: __rt::serde::Serialize + __rt::serde::de::DeserializeOwned + __rt::Element,
        T: __rt::Element,
        Option<T>: __rt::Element,
    {
        fn write(
            &self,
            __key: &[u8],
            __to: &mut __rt::Writer,
        ) -> ::core::result::Result<(), __rt::Refused> {
            let __open = __CHECKED.document(__key, __to)?;
            if !(true && (__put(&self.from).put(b"from\0", __to))
                && (__put(&self.to).put(b"to\0", __to)))
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
                    "Range",
                    &["from", "to"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<T>::new();
            let __1 = &mut __Slot::<Option<T>>::new();
            if !(true && __0.next(&mut __from, b"from\0")
                && __1.next(&mut __from, b"to\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"from\0" => __0.fill(__kind, &mut __rest),
                    b"to\0" => __1.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Range {
                from: __0.take()?,
                to: __1.or(|| ::core::default::Default::default()),
            })
        }
    }
};
