//! Counts of children: the properties that hold, and those that break without each rule.

use mongo_model_protocol::counter::Role::{Amount, Delete, Echo, Insert, Move, Prune, Resume};
use mongo_model_protocol::counter::{Config, Counter, Guard, Missing, Role};
use mongo_model_protocol::run::{
    SETTLED, can_always_settle, can_get_stuck, proves, proves_big, refutes, spares,
};

use crate::breaks_both;

const INSERT: &[Role] = &[Insert(0, 0), Resume];

/// Two that pass each other.
const ACROSS: &[Role] = &[Move(0, 1), Move(1, 0), Resume];

fn sound(children: &[usize], roles: &[Role]) -> Config {
    Config::sound(children, roles)
}

/// No program dies.
fn calm(config: Config) -> Config {
    Config {
        crashes: false,
        ..config
    }
}

fn breaks(config: Config) {
    breaks_both(Counter(config));
}

#[test]
fn every_operation_counts_once() {
    proves(Counter(sound(
        &[],
        &[Insert(0, 0), Insert(1, 0), Echo, Resume],
    )));
    proves(Counter(sound(&[0], &[Move(0, 1), Delete(0), Echo, Resume])));
    proves(Counter(sound(&[0], &[Move(0, 1), Resume, Resume])));
    proves(Counter(sound(&[0], &[Insert(1, 0), Delete(0), Resume])));
    proves(Counter(sound(&[0, 1], ACROSS)));
    can_always_settle(&Counter(sound(&[], &[Insert(0, 0), Insert(1, 0), Resume])));
    can_always_settle(&Counter(sound(&[0], &[Move(0, 1), Resume])));
}

/// A child adds another amount than before, beside what else changes the same numbers.
#[test]
fn a_sum_follows_the_amounts() {
    proves(Counter(sound(
        &[0],
        &[Amount(0, 3), Move(0, 1), Echo, Resume],
    )));
    proves(Counter(sound(
        &[0],
        &[Amount(0, 3), Delete(0), Echo, Resume],
    )));
    proves(Counter(sound(
        &[0],
        &[Amount(0, 3), Amount(0, 2), Echo, Resume],
    )));
    can_always_settle(&Counter(sound(&[0], &[Amount(0, 3), Amount(0, 2), Resume])));
}

#[test]
fn d3_by_an_amount_that_was_read_before_a_sum_is_wrong() {
    breaks(Config {
        replaced: false,
        ..calm(sound(&[0], &[Amount(0, 3), Amount(0, 2)]))
    });
}

/// Hosts that are stored with their first child.
fn periods(roles: &[Role]) -> Config {
    Config {
        stored: false,
        ..sound(&[], roles)
    }
}

#[test]
fn the_first_child_of_a_period_stores_its_document() {
    proves(Counter(periods(&[Insert(0, 0), Insert(1, 0), Resume])));
    proves(Counter(periods(&[Insert(0, 0), Move(0, 1), Resume])));
    proves(Counter(periods(&[Insert(0, 0), Echo, Resume])));
    let pruned = &[Insert(0, 0), Move(0, 1), Echo, Prune, Resume];
    proves(Counter(calm(periods(pruned))));
    can_always_settle(&Counter(periods(&[Insert(0, 0), Insert(1, 0), Resume])));
}

#[test]
fn a_period_without_a_document_loses_its_children() {
    breaks(Config {
        missing: Missing::Skip,
        ..calm(periods(&[Insert(0, 0)]))
    });
}

/// Where C2 stores the document itself, one that arrives late stores it again after it was deleted, and counts twice.
#[test]
fn an_upsert_in_no_epoch_counts_twice() {
    breaks(Config {
        missing: Missing::Upsert,
        ..calm(periods(&[Insert(0, 0), Delete(0), Echo, Prune, Resume]))
    });
    proves(Counter(Config {
        missing: Missing::Upsert,
        ..periods(&[Insert(0, 0), Insert(1, 0), Resume])
    }));
}

#[test]
fn a_token_alone_counts_twice_at_a_period() {
    breaks(Config {
        guard: Guard::Token,
        ..calm(periods(&[Insert(0, 0), Echo, Resume]))
    });
}

/// The flags of a child are independent of each other: with one at most it is no different.
#[test]
fn one_flag_at_a_time_counts_once_as_well() {
    let single = |children, roles| Config {
        flags: 1,
        ..sound(children, roles)
    };
    proves(Counter(single(&[0], &[Move(0, 1), Delete(0), Resume])));
    proves(Counter(single(&[0], &[Move(0, 1), Move(0, 0), Resume])));
    proves(Counter(sound(&[0], &[Move(0, 1), Move(0, 0), Resume])));
    proves(Counter(sound(
        &[],
        &[Insert(0, 0), Move(0, 1), Delete(0), Resume],
    )));
}

#[test]
fn a_host_without_room_makes_others_wait() {
    let narrow = |roles| Config {
        room: 1,
        ..sound(&[0, 1], roles)
    };
    proves(Counter(narrow(ACROSS)));
    can_always_settle(&Counter(calm(narrow(ACROSS))));
}

#[test]
fn d3_in_any_other_order_two_moves_wait_for_each_other() {
    let crossed = Config {
        room: 1,
        ascending: false,
        ..sound(&[0, 1], ACROSS)
    };
    can_get_stuck(&Counter(calm(crossed)));
}

#[test]
fn a_plain_inc_counts_twice() {
    refutes(
        Counter(Config {
            guard: Guard::Nothing,
            ..sound(&[], INSERT)
        }),
        SETTLED,
    );
    let late = sound(&[], &[Insert(0, 0), Echo]);
    breaks(Config {
        guard: Guard::Nothing,
        ..calm(late)
    });
}

#[test]
fn a_plain_inc_without_a_flag_is_lost_in_a_crash() {
    let config = |roles| Config {
        guard: Guard::Nothing,
        flag: false,
        ..sound(&[], roles)
    };
    breaks(config(&[Insert(0, 0)]));
    spares(Counter(calm(config(&[Insert(0, 0)]))), SETTLED);
}

#[test]
fn a_bounded_memory_of_tokens_forgets_the_one_that_comes_late() {
    let config = |roles, some| Config {
        guard: Guard::Last(some),
        ..calm(sound(&[], roles))
    };
    breaks(config(&[Insert(0, 0), Insert(1, 0), Echo], 1));
    breaks(config(&[Insert(0, 0), Insert(1, 0), Insert(2, 0), Echo], 2));
    proves(Counter(config(&[Insert(0, 0), Insert(1, 0), Echo], 2)));
}

#[test]
fn d3_a_removed_token_needs_a_new_epoch() {
    let config = sound(&[], &[Insert(0, 0), Echo, Resume]);
    breaks(Config {
        guard: Guard::Token,
        ..calm(config)
    });
}

#[test]
fn d3_the_child_is_read_after_the_epoch() {
    breaks(Config {
        child_after_epoch: false,
        ..calm(sound(&[], INSERT))
    });
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    proves_big(Counter(sound(
        &[0, 1],
        &[Move(0, 1), Move(1, 0), Echo, Resume],
    )));
    let twice = &[Insert(0, 0), Insert(1, 0), Resume, Resume];
    proves_big(Counter(Config {
        room: 1,
        ..sound(&[], twice)
    }));
}
