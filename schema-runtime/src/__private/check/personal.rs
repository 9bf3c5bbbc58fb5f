//! Rules for fields that are about a person.

use crate::__private::text::Text;
use crate::schema::lookup::HasField;
use crate::schema::person::Person;

/// The reference of a personal field leads to a person.
pub const fn person<M: Person>() {}

/// A copy that does not certainly follow its source is no copy of a personal field, at any number of steps. `way` says what the copy is.
#[track_caller]
pub const fn follows_person<M: HasField<N>, const N: usize>(
    owner: &'static str,
    source: &'static str,
    field: &'static str,
    way: &'static str,
) {
    let steps = [M::ORIGIN_1, M::ORIGIN_2, M::ORIGIN_3, M::ORIGIN_4];
    let (mut is_personal, mut n) = (M::PERSONAL, 0);
    while n < steps.len() {
        if let Some(origin) = steps[n] {
            is_personal |= origin.personal;
        }
        n += 1;
    }
    if !is_personal {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` copies `")
        .push_str(source)
        .push_str("::")
        .push_str(field)
        .push_str("`, which is personal, and ")
        .push_str(way)
        .push_str(" [PERSONAL_COPY]\nhelp: a copy that follows: remove the option\nhelp: a copy that stays, in a field of its own beside the reference: `#[personal(of = .., keep_for = \"7y\", reason = \"tax\")]`\nnote: an erase changes the source, and only copies that follow it change with it");
    panic!("{}", text.as_str());
}
