//! Interesting inputs that the fuzzer found, and mutations of them: its body without the fuzzer, which needs a nightly compiler.

use std::path::PathBuf;

use proptest::prelude::*;

use super::compare::{fuzz, samples};

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/decode")
}

fn corpus() -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(directory()).expect("the corpus");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).expect("readable"))
        .collect()
}

#[test]
fn the_corpus_reads_the_same() {
    let corpus = corpus();
    assert!(corpus.len() >= samples().len(), "a sample of each model");
    for input in corpus {
        fuzz(&input);
    }
}

/// Run it after a change of a sample: `cargo test --test codec -- --ignored seeds`.
#[test]
#[ignore = "writes the fuzzer's first inputs"]
fn seeds() {
    for (n, (name, bytes)) in samples().into_iter().enumerate() {
        let mut input = vec![u8::try_from(n).expect("few")];
        input.extend(bytes);
        std::fs::write(directory().join(name.to_lowercase()), input).expect("writable");
    }
}

/// A change that a fuzzer makes to an input.
#[derive(Debug, Clone)]
enum Mutation {
    Cut(usize),
    Set(usize, u8),
    /// Overwrites four bytes, the size of a BSON length.
    Length(usize, i32),
    Insert(usize, Vec<u8>),
    /// From, to, how many.
    Copy(usize, usize, usize),
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let length = prop_oneof![
        prop::sample::select(vec![
            i32::MIN,
            -1,
            0,
            1,
            4,
            5,
            1 << 24,
            i32::MAX - 4,
            i32::MAX
        ]),
        0..300_i32,
    ];
    let one = prop_oneof![
        any::<usize>().prop_map(Mutation::Cut),
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (any::<usize>(), length).prop_map(|(at, length)| Mutation::Length(at, length)),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..9))
            .prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        (any::<usize>(), any::<usize>(), 1..40_usize)
            .prop_map(|(from, to, len)| Mutation::Copy(from, to, len)),
    ];
    prop::collection::vec(one, 1..4)
}

fn mutated(mut bytes: Vec<u8>, mutations: Vec<Mutation>) -> Vec<u8> {
    for mutation in mutations {
        let place = |at: usize| at % (bytes.len() + 1);
        match mutation {
            Mutation::Cut(at) => bytes.truncate(place(at)),
            Mutation::Set(at, byte) => {
                let place = place(at);
                if let Some(old) = bytes.get_mut(place) {
                    *old = byte;
                }
            }
            Mutation::Length(at, length) => {
                let place = place(at);
                if let Some(old) = bytes.get_mut(place..).and_then(<[u8]>::first_chunk_mut) {
                    *old = length.to_le_bytes();
                }
            }
            Mutation::Insert(at, new) => {
                let place = place(at);
                bytes.splice(place..place, new);
            }
            Mutation::Copy(from, to, len) => {
                let (from, to) = (place(from), place(to));
                let new: Vec<u8> = bytes[from..].iter().take(len).copied().collect();
                bytes.splice(to..to, new);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_corpus_reads_the_same(
        input in prop::sample::select(corpus()),
        mutations in mutations(),
        whole in any::<bool>(),
    ) {
        let mut input = mutated(input, mutations);
        // The outer length and end are right in every second case, so that the inside is reached.
        if whole && input.len() > 5 {
            input.push(0);
            let len = i32::try_from(input.len() - 1).expect("small");
            input[1..5].copy_from_slice(&len.to_le_bytes());
        }
        fuzz(&input);
    }
}
