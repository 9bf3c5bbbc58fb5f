//! The protocol that keeps copies, two-way references, counts and lists of the last N right, and those of sagas and queues, as models
//! that are searched exhaustively: every interleaving of the single-document steps of a few programs, each of which may die between
//! any two.
//! No server is needed, and nothing here depends on mongo-model itself.
//!
//! # What is proven
//!
//! In every reachable state of the configurations named below
//!
//! * whatever is wrong is flagged, on its source or on its target ([`run::FLAGGED`]),
//! * nothing is wrong once no program runs and no flag is left ([`run::SETTLED`]), and
//! * for the smaller ones, there is still a way to get there ([`run::can_always_settle`]).
//!
//! Every rule the protocol has is a switch of a `Config`. `Config::sound` keeps them all; a test turns off one and asserts that the
//! search then finds the property it breaks. So a rule that looks superfluous has a counterexample here, and a model that could not
//! fail would be noticed.
//!
//! | module | programs of the largest quick configuration | states | of one behind `--ignored` |
//! |---|---|---|---|
//! | [`copies`] | 2 updates, insert, resumer | 60,083 | 253,550 |
//! | [`durability`] | update, insert, resumer, 2 kills of the server | 39,124 | 2,013,164 |
//! | [`confirm`] | 2 inserts, finisher, 2 kills of the server | 71,723 | |
//! | [`repoint`] | 2 renames, there and back, resumer | 114,496 | 611,756 |
//! | [`bulk`] | `update_many`, single update, late send, resumer | 102,358 | 1,065,899 |
//! | [`checked`] | 2 deletes, insert, re-pointing, resumer | 127,743 | 2,262,533 |
//! | [`delete`] | delete, update, insert, resumer | 25,307 | 672,768 |
//! | [`erase`] | 2 erases, 2 stores of new values, resumer | 17,752 | |
//! | [`follow`] | rename, replacement, own update, follower, repair, 2 losses of the oplog | 135,352 | |
//! | [`parents`] | foreign move, own delete, follower, repair, resumer | | |
//! | [`two_way`] | there and back, resumer | 351,977 | 5,532,724 |
//! | [`counter`] | 2 moves across, resumer | 165,359 | 1,330,789 |
//! | [`begin`] | stored, deleted and stored again, insert, late send, resumer | 234,370 | 3,573,619 |
//! | [`bucket`] | 4 pushes, two of the same item, removal, late send | 143,415 | 325,396 |
//! | [`overflow`] | 4 pushes, two of the same item, removal, reader, late send | 418,106 | 21,780,053 |
//! | [`saga`] | start, 2 resumers, a lost message | 63,413 | 520,751 |
//! | [`events`] | 2 events, 2 finishers, reader | 4,002 | |
//! | [`history`] | 2 updates, finisher, 2 deletes | 15,112 | |
//! | [`page`] | delete of two documents, 2 finishers | | |
//! | [`queue`] | 3 workers, 2 lost messages | 12,872 | |
//! | [`recent`] | 3 inserts, late send, resumer | 16,512 | 668,584 |
//! | [`shards`] | update, 2 resumers, 3 moves | | |
//! | [`tree`] | 2 moves, one after the other, insert | 66,911 | |
//! | [`refill`] | delete from a full list, resumer | 1,182 | 15,540,235 |
//!
//! [`returns`] puts deletes, counts and marks together, for a parent that is stored again under its id, and takes for granted what the
//! others prove of each.
//!
//! # How to run
//!
//! ```text
//! cargo test -p mongo-model-protocol                                 # some seconds
//! cargo test -p mongo-model-protocol --release -- --ignored          # the big ones: minutes, and some GB of memory
//! cargo test -p mongo-model-protocol --release bulk:: -- --ignored
//! ```
//!
//! # How to read the models
//!
//! The variants of every `Action` have the names of the protocol's steps: W1 changes and flags a source, W2 writes its copies, W3
//! clears the flag; I1 inserts a copy with a mark, I2 reads its source, I3 fixes the copy and takes the mark off; D1 puts a tombstone,
//! D2 deals with the copies, D3 deletes. One action is one document read or written; an `updateMany` is one action per document, in
//! any order, and a document that appears behind it is missed. A *resumer* does what the sweeper does, with no delay. A program that
//! is slow is one that steps late, so it needs no action of its own; a send whose answer is lost and that arrives after it was sent
//! again is an *echo*.
//!
//! The rules have short names in the docs of the switches:
//!
//! * M1 copies carry the revision of their source, and W2 writes only to older ones,
//! * M2 the flag is set by the write that changes the source,
//! * M3 W2 writes all copied fields, not the changed ones,
//! * M4 a copy is never skipped because its value is right already,
//! * M5 W3 clears only at the revision that was written to the copies,
//! * M6 W1 and W2 are durable before the next step,
//! * M7 a field the source misses is taken from the copies,
//! * M9 a read that leads to a write of another document returns only what is durable,
//! * M10 a new or re-pointed copy starts without a revision, and I3 always gives it one,
//! * M11 what is sent again carries a new token.
//!
//! M8 is about the index W2 walks along; it has no model. Numbers and letters such as 3.4, B4 or C5 are sections of the protocol's
//! design.
//!
//! # What is left out
//!
//! Transactions, chains of copies, cascades of more than one level, reads that insist on fresh copies, and operations of
//! many children under one token.

pub mod begin;
pub mod bucket;
pub mod bulk;
pub mod checked;
pub mod confirm;
pub mod copies;
pub mod counter;
pub mod delete;
pub mod durability;
pub mod erase;
pub mod events;
pub mod follow;
pub mod group;
pub mod history;
pub mod overflow;
pub mod page;
pub mod parents;
pub mod places;
pub mod queue;
pub mod recent;
pub mod refill;
pub mod repoint;
pub mod reserve;
pub mod returns;
pub mod run;
pub mod saga;
pub mod shards;
pub mod tree;
pub mod two_way;
