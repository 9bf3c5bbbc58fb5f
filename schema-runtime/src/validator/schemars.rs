//! `schemars::JsonSchema` of the structs of a web API.

use schemars::Schema;

use super::{ApiStruct, api_schema};

/// The schema of a struct of a web API.
#[doc(hidden)]
#[must_use]
pub fn schemars_schema<T: ApiStruct>() -> Schema {
    let schema = serde_json::to_value(api_schema::<T>());
    // A document without binary and special numbers is an object of JSON.
    schema
        .ok()
        .and_then(|schema| Schema::try_from(schema).ok())
        .unwrap_or_default()
}

/// Implements `schemars::JsonSchema` for a struct of a web API.
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_json_schema {
    ($name:ident) => {
        #[automatically_derived]
        impl $crate::__private::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed(<$name as $crate::__private::ApiStruct>::NAME)
            }

            fn schema_id() -> ::std::borrow::Cow<'static, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed(::core::concat!(
                    ::core::module_path!(),
                    "::",
                    ::core::stringify!($name)
                ))
            }

            fn json_schema(
                _: &mut $crate::__private::schemars::SchemaGenerator,
            ) -> $crate::__private::schemars::Schema {
                $crate::__private::schemars_schema::<$name>()
            }
        }
    };
}
