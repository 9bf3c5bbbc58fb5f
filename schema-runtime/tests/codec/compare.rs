//! One document read and written both ways. Also the body of the fuzz target: `schema-runtime/fuzz`.

use bson::RawDocument;
use mongo_model::__private::{MongoModel, decode_document, encode_document};

use super::types::*;

/// Decodes both ways, and encodes the decoded value both ways. True if there was a value.
pub(crate) fn same<M: MongoModel + std::fmt::Debug>(bytes: &[u8]) -> bool {
    let serde = bson::deserialize_from_slice::<M>(bytes);
    let Ok(raw) = RawDocument::from_bytes(bytes) else {
        assert!(serde.is_err());
        return false;
    };
    let ours = decode_document::<M>(raw);
    let (serde, ours) = match (serde, ours) {
        (Ok(serde), Ok(ours)) => (serde, ours),
        (Err(_), Err(error)) => {
            // It can be said.
            assert!(!error.to_string().is_empty());
            return false;
        }
        // Serde has no bound, and ends the stack instead.
        (Ok(_), Err(error)) if error.to_string().contains("nested deeper than") => return false,
        // Serde takes text for an ObjectId, which no filter finds.
        (Ok(_), Err(error)) if error.expected() == Some("an ObjectId") => return false,
        (serde, ours) => panic!("serde: {serde:?}\nours: {ours:?}\nof {raw:?}"),
    };
    assert_eq!(format!("{serde:?}"), format!("{ours:?}"), "of {raw:?}");
    match (bson::serialize_to_vec(&ours), encode_document(&ours)) {
        (Ok(serde_bytes), Ok(our_bytes)) => {
            assert_eq!(serde_bytes, our_bytes.as_bytes(), "of {ours:?}");
            // Not equal as values where a NaN is inside, but equal as bytes.
            assert_eq!(
                serde_bytes,
                bson::serialize_to_vec(&serde).expect("the same")
            );
        }
        (Err(_), Err(_)) => {}
        (serde, ours) => panic!("serde: {serde:?}\nours: {ours:?}"),
    }
    true
}

/// The models that bytes from outside are read as.
macro_rules! models {
    ($($model:ty),*) => {
        /// How many there are.
        pub(crate) const MODELS: usize = [$(stringify!($model)),*].len();

        /// The sample of each.
        pub(crate) fn samples() -> Vec<(&'static str, Vec<u8>)> {
            vec![$((stringify!($model), bson::serialize_to_vec(&<$model>::sample()).expect("a document"))),*]
        }

        /// Reads a document as one of them, both ways.
        pub(crate) fn same_as(model: usize, bytes: &[u8]) -> bool {
            let all: [fn(&[u8]) -> bool; MODELS] = [$(same::<$model>),*];
            all[model % MODELS](bytes)
        }

        /// Reads a document as one of them our way. True if there was a value.
        #[allow(dead_code, reason = "for the test of memory")]
        pub(crate) fn decode_as(model: usize, bytes: &[u8]) -> bool {
            fn decode<M: MongoModel>(bytes: &[u8]) -> bool {
                let raw = RawDocument::from_bytes(bytes);
                raw.is_ok_and(|raw| decode_document::<M>(raw).is_ok())
            }
            let all: [fn(&[u8]) -> bool; MODELS] = [$(decode::<$model>),*];
            all[model % MODELS](bytes)
        }
    };
}

models!(
    Numbers, Values, Others, Attributes, Functions, Defaults, Strict, Nested, Many, Flat, Renamed,
    ByHand, Source, Holder, Documents, Events, Oddities, Kinds
);

/// The first byte says which model, the others are the document.
pub(crate) fn fuzz(input: &[u8]) {
    if let Some((model, bytes)) = input.split_first() {
        same_as(usize::from(*model), bytes);
    }
}
