//! No document makes the codec ask for much more memory than it has itself.

#[allow(dead_code, reason = "shared with the other tests")]
#[path = "codec/compare.rs"]
mod compare;
#[allow(dead_code, unused_imports, reason = "shared with the other tests")]
#[path = "codec/types.rs"]
mod types;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bson::{Bson, bson, doc};
use proptest::prelude::*;

use compare::{MODELS, decode_as, samples};

/// Counts what one thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    MOST.set(MOST.get().max(held));
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The new place is there before the old one is given back.
        count(size.cast_signed());
        count(-layout.size().cast_signed());
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most that reading a document took.
fn taken(model: usize, bytes: &[u8]) -> usize {
    let before = HELD.get();
    MOST.set(before);
    decode_as(model, bytes);
    (MOST.get() - before).cast_unsigned()
}

/// A value in memory against its bytes: three for a null in an array, over a hundred for a `Bson` that holds it, and as much
/// again while a list grows. The rest is for messages.
fn allowed(len: usize) -> usize {
    400 * len + 20_000
}

fn check(model: usize, bytes: &[u8]) {
    let taken = taken(model, bytes);
    assert!(
        taken <= allowed(bytes.len()),
        "{taken} bytes for {} as model {model}",
        bytes.len()
    );
}

#[test]
fn it_counts() {
    let (name, bytes) = &samples()[0];
    assert_eq!(*name, "Numbers");
    // Only numbers, and one call of serde.
    taken(0, bytes);
    assert_eq!(taken(0, bytes), 0);
    let before = HELD.get();
    MOST.set(before);
    drop(vec![0_u8; 1_000]);
    assert_eq!(MOST.get() - before, 1_000);
}

#[test]
fn a_length_is_no_promise() {
    for (model, (_, bytes)) in samples().iter().enumerate() {
        for at in 0..bytes.len() - 4 {
            for len in [i32::MIN, -1, 0, 5, 1 << 24, i32::MAX] {
                let mut bytes = bytes.clone();
                bytes[at..at + 4].copy_from_slice(&len.to_le_bytes());
                check(model, &bytes);
            }
        }
    }
}

/// Many small elements under every key that a sample has.
#[test]
fn many_small_elements_stay_small() {
    let nulls = Bson::Array(vec![Bson::Null; 2_000]);
    let empty = Bson::Array(vec![bson!([]); 2_000]);
    let texts = Bson::Array(vec![Bson::String(String::new()); 2_000]);
    for (model, (_, bytes)) in samples().iter().enumerate() {
        let sample: bson::Document = bson::deserialize_from_slice(bytes).expect("a document");
        for key in sample.keys() {
            for value in [&nulls, &empty, &texts] {
                let mut changed = sample.clone();
                changed.insert(key, value.clone());
                changed.insert("unknown", doc! { "a": value.clone() });
                check(
                    model,
                    &bson::serialize_to_vec(&changed).expect("a document"),
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_corrupted_document_takes_no_more(
        model in 0..MODELS,
        changes in prop::collection::vec((any::<usize>(), prop_oneof![any::<u8>(), 0..20_u8, Just(0xff)]), 1..6),
    ) {
        let (_, mut bytes) = samples().swap_remove(model);
        let inside = 4..bytes.len() - 1;
        for (at, byte) in changes {
            bytes[inside.start + at % inside.len()] = byte;
        }
        check(model, &bytes);
    }
}
