#[doc(hidden)]
#[allow(deprecated, private_interfaces, private_bounds, unused_qualifications)]
const _: () = {
    use ::mongo_model::__private as __rt;
    use __rt::{Fallback as _, codec::*};
    impl __rt::Projection for ProductName {
        const ROWS: &'static [__rt::ProjectionRow] = &[
            __rt::ProjectionRow {
                name: "_id",
                aliases: &[],
                inside: &[],
            },
            __rt::ProjectionRow {
                name: "name",
                aliases: &[],
                inside: &[],
            },
        ];
    }
    impl __rt::ProjectionOf<Product> for ProductName {}
    #[automatically_derived]
    impl __rt::Projected<Product> for ProductName {
        const ROWS: ::core::option::Option<&'static [__rt::ProjectionRow]> = ::core::option::Option::Some(
            <Self as __rt::Projection>::ROWS,
        );
        const READ: ::core::option::Option<__rt::Read<Self>> = ::core::option::Option::Some(
            <Self as __rt::Element>::read,
        );
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = __rt::Probe::<
            Product,
        >::SHAPE;
    }
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl __rt::Element for ProductName {
        #[inline]
        fn read(
            __kind: u8,
            __from: &mut __rt::Reader<'_>,
        ) -> ::core::result::Result<Self, __rt::Refused> {
            __CHECKED
                .reads(
                    || (&__rt::Ask::<Self>::NEW).ask(),
                    __rt::Form::Struct,
                    "ProductName",
                    &["_id", "name"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<Id<Product>>::new();
            let __1 = &mut __Slot::<String>::new();
            if !(true && __0.next(&mut __from, b"_id\0")
                && __1.next(&mut __from, b"name\0"))
            {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"_id\0" => __0.fill(__kind, &mut __rest),
                    b"name\0" => __1.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(ProductName {
                id: __0.take()?,
                name: __1.take()?,
            })
        }
    }
    const _: () = <<Product as __rt::Projectable>::Handles as __rt::Handles>::VALUE
        .id
        .__read_as::<Id<Product>>();
    const _: () = __rt::check::projected(
        __rt::Probe::<Product>::FIELDS,
        "id",
        "_id",
        &[],
        "ProductName::id",
        "Product",
    );
    const _: () = __rt::check::projected_with(
        __rt::Probe::<Product>::FIELDS,
        "id",
        false,
        "ProductName::id",
        "Product",
    );
    const _: () = <<Product as __rt::Projectable>::Handles as __rt::Handles>::VALUE
        .name
        .__read_as::<String>();
    const _: () = __rt::check::projected(
        __rt::Probe::<Product>::FIELDS,
        "name",
        "name",
        &[],
        "ProductName::name",
        "Product",
    );
    const _: () = __rt::check::projected_with(
        __rt::Probe::<Product>::FIELDS,
        "name",
        false,
        "ProductName::name",
        "Product",
    );
};
#[doc(hidden)]
#[allow(deprecated, private_interfaces, private_bounds, unused_qualifications)]
const _: () = {
    use ::mongo_model::__private as __rt;
    use __rt::{Fallback as _, codec::*};
    #[automatically_derived]
    impl __rt::Borrowed<LogMsg> for Line<'_> {
        type Of<'__d> = Line<'__d>;
        const ROWS: &'static [__rt::ProjectionRow] = &[
            __rt::ProjectionRow {
                name: "message",
                aliases: &[],
                inside: &[],
            },
        ];
        const SHAPE: ::core::option::Option<&'static __rt::Shape> = __rt::Probe::<
            LogMsg,
        >::SHAPE;
        fn read(
            __raw: &__rt::RawDocument,
        ) -> ::core::result::Result<Line<'_>, __rt::CodecError> {
            __rt::decode_part(
                __raw,
                ::core::option::Option::Some(<Line<'_> as __rt::Borrows<'_>>::read),
            )
        }
    }
    static __CHECKED: __rt::Checked = __rt::Checked::new();
    #[automatically_derived]
    impl<'a> __rt::Borrows<'a> for Line<'a> {
        #[inline]
        fn read(
            __kind: u8,
            __from: &mut __rt::Reader<'a>,
        ) -> ::core::result::Result<Self, __rt::Refused> {
            __CHECKED
                .reads(
                    || (&__rt::AskBorrowed::<'a, Self>::NEW).ask(),
                    __rt::Form::Struct,
                    "Line",
                    &["message"],
                )?;
            let mut __from = __from.document(__kind)?;
            let __0 = &mut __Slot::<&'a str, __rt::Lent<'a>>::new();
            if !(true && __0.next(&mut __from, b"message\0")) {
                return ::core::result::Result::Err(__rt::Refused);
            }
            let mut __rest = __from;
            while let ::core::option::Option::Some((__key, __kind)) = __rest.key()? {
                let __read = match __key {
                    b"message\0" => __0.fill(__kind, &mut __rest),
                    _ => __rest.skip(__kind).is_ok(),
                };
                if !__read {
                    return ::core::result::Result::Err(__rt::Refused);
                }
            }
            ::core::result::Result::Ok(Line { message: __0.take()? })
        }
    }
    const _: () = <<LogMsg as __rt::Projectable>::Handles as __rt::Handles>::VALUE
        .message
        .__read_as::<&'static str>();
    const _: () = __rt::check::projected(
        __rt::Probe::<LogMsg>::FIELDS,
        "message",
        "message",
        &[],
        "Line::message",
        "LogMsg",
    );
    const _: () = __rt::check::projected_with(
        __rt::Probe::<LogMsg>::FIELDS,
        "message",
        false,
        "Line::message",
        "LogMsg",
    );
};
