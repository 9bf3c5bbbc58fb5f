//! Ten models with the same fields and 21 constraints each, drawn by lot. Behind each constraint stands a value that meets it.

use std::collections::BTreeMap;
use std::iter::repeat_n;

use bson::Document;
use mongo_model::update::Update;
use mongo_model::{Database, MongoEmbed, MongoModel, Result};
use serde::{Deserialize, Serialize};

use super::values::{Op, Random};
use super::{Call, Sampled};

/// The writes of a whole document over the stored one.
macro_rules! replace {
    () => {
        async fn replace(self, db: &Database, _: u64) -> Result<()> {
            self.save(db).await.map(drop)
        }
    };
    (version) => {
        async fn replace(mut self, db: &Database, how: u64) -> Result<()> {
            let stored = Sample::get(db, self.id).required().await?;
            self.version = stored.version;
            match how % 3 {
                0 => self.save_if_unchanged(db).await.map(drop),
                1 => {
                    let saved = Sample::save_many_if_unchanged(db, [&mut self]).await?;
                    let mut unsaved = saved.unsaved.into_iter();
                    unsaved.next().map_or(Ok(()), |one| Err(one.error))
                }
                _ => {
                    let change = move |stored: &mut Sample| *stored = self.clone();
                    let changed = Sample::update_with(db, stored.id, change);
                    changed.await.map(drop)
                }
            }
        }
    };
}

macro_rules! samples {
    ($(
        $name:ident $collection:literal $([$version:ident])? check($($comparison:tt)*) {
            a($($a:tt)*) = $ra:expr,
            b($($b:tt)*) = $rb:expr,
            c($($c:tt)*) = $rc:expr,
            d($($d:tt)*) = $rd:expr,
            e($($e:tt)*) = $re:expr,
            f($($f:tt)*) = $rf:expr,
            g($($g:tt)*) = $rg:expr,
            h($($h:tt)*) = $rh:expr,
            i($($i:tt)*) = $ri:expr,
            k($($k:tt)*) = $rk:expr,
            tags($($tags:tt)*) = $rtag:expr; $ntags:expr,
            nums($($nums:tt)*) = $rnum:expr; $nnums:expr,
            map($($map:tt)*) = $rkey:expr; $rvalue:expr,
            x($($x:tt)*) = $rx:expr,
            y($($y:tt)*) = $ry:expr,
        }
    )*) => {$(
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
            pub(super) struct Inner {
                #[check($($x)*)]
                x: i32,
                #[check($($y)*)]
                y: String,
                #[check(range = 0..=5)]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                z: Option<i32>,
            }

            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
            #[model(
                collection = $collection,
                schema_version = 2,
                migrate = same,
                unversioned = 1,
                patch(SamplePatch, only(b, c, e, g, h, i, tags, map, inner, maybe, items)),
                check($($comparison)*)
            )]
            pub(super) struct Sample {
                #[serde(rename = "_id")]
                id: i32,
                #[index(unique)]
                key: i32,
                #[check($($a)*)]
                a: i32,
                #[check($($b)*)]
                b: i64,
                #[check($($c)*)]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                c: Option<i64>,
                #[check($($d)*)]
                d: u16,
                #[check($($e)*)]
                e: f64,
                #[check($($f)*)]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                f: Option<f64>,
                #[check($($g)*)]
                g: i64,
                #[check($($h)*)]
                h: String,
                #[check($($i)*)]
                i: Option<String>,
                #[check($($k)*)]
                k: String,
                #[check($($tags)*)]
                #[embed(max = 20)]
                tags: Vec<String>,
                #[check($($nums)*)]
                #[embed(max = 20)]
                nums: Vec<i64>,
                #[check($($map)*)]
                #[embed(max = 20)]
                map: BTreeMap<String, i64>,
                inner: Inner,
                #[serde(default, skip_serializing_if = "Option::is_none")]
                maybe: Option<Inner>,
                #[embed(max = 3)]
                items: Vec<Inner>,
                lo: i64,
                #[serde(default, skip_serializing_if = "Option::is_none")]
                hi: Option<i64>,
                w: f64,
                n: i32,
                $(#[version] $version: i64,)?
            }

            fn same(old: Document, _version: i32) -> Document {
                old
            }

            fn inner(op: &Op) -> Inner {
                Inner { x: op.int, y: op.text.clone(), z: None }
            }

            /// The update with one more operator.
            fn apply<'a, K>(update: Update<'a, Sample, K>, op: &Op) -> Update<'a, Sample, K> {
                let (int, long, float, text) = (op.int, op.long(), op.float, op.text.as_str());
                match op.n {
                    0 => update.set(|s| s.a, int),
                    1 => update.inc(|s| s.a, int),
                    2 => update.mul(|s| s.a, int % 3),
                    3 => update.min(|s| s.a, int),
                    4 => update.max(|s| s.b, long),
                    5 => update.set(|s| s.b, long),
                    6 => update.inc(|s| s.b, long),
                    7 => update.mul(|s| s.b, long),
                    8 => update.set(|s| s.c, Some(long)),
                    9 => update.inc(|s| s.c, long),
                    10 => update.set(|s| s.c, None),
                    11 => update.min(|s| s.c, Some(long)),
                    12 => update.inc(|s| s.d, op.small()),
                    13 => update.set(|s| s.d, op.small()),
                    14 => update.set(|s| s.e, float),
                    15 => update.inc(|s| s.e, float),
                    16 => update.mul(|s| s.e, float),
                    17 => update.set(|s| s.f, Some(float)),
                    18 => update.inc(|s| s.f, float),
                    19 => update.max(|s| s.e, float),
                    20 => update.set(|s| s.g, long),
                    21 => update.inc(|s| s.g, long),
                    22 => update.set(|s| s.h, text),
                    23 => update.set(|s| s.i, Some(text.to_owned())),
                    24 => update.set(|s| s.i, None),
                    25 => update.set(|s| s.k, text),
                    26 => update.push(|s| s.tags, text),
                    27 => update.add_to_set(|s| s.tags, text),
                    28 => update.set(|s| s.tags, op.texts.clone()),
                    29 => update.pull(|s| s.tags, text),
                    30 => update.pop_last(|s| s.tags),
                    31 => update.push(|s| s.nums, long),
                    32 => update.set(|s| s.nums, op.longs()),
                    33 => update.push_all(|s| s.nums, op.longs()),
                    34 => update.set(|s| s.map, op.map.clone()),
                    35 => update.set(|s| s.inner.x, int),
                    36 => update.inc(|s| s.inner.x, int),
                    37 => update.set(|s| s.inner.y, text),
                    38 => update.set(|s| s.inner, inner(op)),
                    39 => update.set(|s| s.maybe, Some(inner(op))),
                    40 => update.set(|s| s.maybe.x, int),
                    41 => update.inc(|s| s.maybe.x, int),
                    42 => update.set(|s| s.maybe, None),
                    43 => update.push(|s| s.items, inner(op)),
                    44 => update.set_where(|s| s.items, |i| i.x.gt(-50), |i| i.x, int),
                    45 => update.inc_where(|s| s.items, |i| i.x.gt(-50), |i| i.x, int),
                    46 => update.set(|s| s.items, vec![inner(op)]),
                    47 => update.set(|s| s.lo, long),
                    48 => update.inc(|s| s.lo, long),
                    49 => update.set(|s| s.hi, Some(long)),
                    50 => update.unset(|s| s.hi),
                    51 => update.set(|s| s.w, float),
                    52 => update.mul(|s| s.w, float),
                    53 => update.inc(|s| s.n, int),
                    54 => update.max(|s| s.lo, long),
                    55 => update.min(|s| s.hi, Some(long)),
                    56 => update.set(|s| s.n, int),
                    57 => update.patch(SamplePatch {
                        b: Some(long),
                        h: Some(text.to_owned()),
                        ..SamplePatch::default()
                    }),
                    58 => update.patch(SamplePatch {
                        c: Some(Some(long)),
                        e: Some(float),
                        tags: Some(op.texts.clone()),
                        ..SamplePatch::default()
                    }),
                    59 => update.patch(SamplePatch {
                        g: Some(long),
                        i: Some(Some(text.to_owned())),
                        inner: Some(inner(op)),
                        ..SamplePatch::default()
                    }),
                    61 => update.add_all_to_set(|s| s.nums, op.longs()),
                    62 => update.pop_first(|s| s.tags),
                    63 => update.pull_where(|s| s.items, |i| i.x.gt(int)),
                    64 => update.set_where(|s| s.items, |i| i.x.gt(-50), |i| i.z, Some(int)),
                    65 => update.unset_where(|s| s.items, |i| i.x.gt(-50), |i| i.z),
                    66 => update.set(|s| s.maybe.z, Some(int)),
                    _ => update.patch(SamplePatch {
                        map: Some(op.map.clone()),
                        maybe: Some(Some(inner(op))),
                        items: Some(vec![inner(op)]),
                        ..SamplePatch::default()
                    }),
                }
            }

            impl Sampled for Sample {
                fn right(id: i32) -> Self {
                    let inner = Inner { x: $rx, y: $ry.to_owned(), z: Some(0) };
                    let (tag, num): (&str, i64) = ($rtag, $rnum);
                    Sample {
                        id,
                        key: 10 * id,
                        a: $ra,
                        b: $rb,
                        c: Some($rc),
                        d: $rd,
                        e: $re,
                        f: Some($rf),
                        g: $rg,
                        h: $rh.to_owned(),
                        i: Some($ri.to_owned()),
                        k: $rk.to_owned(),
                        tags: repeat_n(tag.to_owned(), $ntags).collect(),
                        nums: repeat_n(num, $nnums).collect(),
                        map: BTreeMap::from([($rkey.to_owned(), $rvalue)]),
                        inner: inner.clone(),
                        maybe: Some(inner.clone()),
                        items: vec![inner],
                        lo: 0,
                        hi: Some(5),
                        w: 0.5,
                        n: 1,
                        $($version: 0,)?
                    }
                }

                fn random(id: i32, random: &mut Random) -> Self {
                    let mut one = Self::right(id);
                    for _ in 0..=random.below(2) {
                        let op = random.op();
                        match random.below(20) {
                            0 => one.a = op.int,
                            1 => one.b = op.long(),
                            2 => one.c = Some(op.long()),
                            3 => one.d = op.small(),
                            4 => one.e = op.float,
                            5 => one.f = Some(op.float),
                            6 => one.g = op.long(),
                            7 => one.h = op.text,
                            8 => one.i = Some(op.text),
                            9 => one.k = op.text,
                            10 => one.tags = op.texts,
                            11 => one.nums = op.longs(),
                            12 => one.map = op.map,
                            13 => one.inner = inner(&op),
                            14 => one.maybe = Some(inner(&op)).filter(|_| op.int > -2),
                            15 => one.items = vec![one.inner.clone(), inner(&op)],
                            16 => one.lo = op.long(),
                            17 => one.hi = Some(op.long()),
                            18 => one.w = op.float,
                            _ => one.n = op.int,
                        }
                    }
                    one
                }

                async fn store(self, db: &Database, how: u64) -> Result<()> {
                    match how % 4 {
                        0 => Sample::insert(db, &self).await.map(drop),
                        1 => Sample::insert_many(db, [&self]).await.map(drop),
                        2 => Sample::insert(db, &self).returning().await.map(drop),
                        _ => Sample::upsert(db, &self).await.map(drop),
                    }
                }

                replace!($($version)?);

                async fn change(db: &Database, id: i32, ops: &[Op], call: Call) -> Result<u64> {
                    fn all<'a, K>(update: Update<'a, Sample, K>, ops: &[Op]) -> Update<'a, Sample, K> {
                        ops.iter().fold(update, apply)
                    }
                    let right = Self::right(id);
                    match call {
                        Call::One => all(Sample::update(db, id), ops).await.map(|done| done.matched),
                        Call::If => {
                            let update = Sample::update(db, id).only_if(|s| s.key.gt(-1));
                            all(update, ops).await.map(|_| 1)
                        }
                        Call::Returning => {
                            let update = all(Sample::update(db, id), ops).returning();
                            update.await.map(|_| 1)
                        }
                        Call::Many => {
                            let update = Sample::update_many(db, |s| s.id.eq(id));
                            all(update, ops).await.map(|done| done.matched)
                        }
                        Call::Upsert => {
                            let update = Sample::upsert(db, &right);
                            all(update, ops).await.map(|done| done.matched)
                        }
                        Call::OnKey => {
                            let update = Sample::upsert(db, &right).on_key(|s| s.key);
                            all(update, ops).await.map(|done| done.matched)
                        }
                    }
                }
            }
        }
    )*

    /// Tries the calls of each model.
    pub(super) async fn try_all(bench: &crate::common::Bench) -> super::Seen {
        let mut seen = super::Seen::default();
        $(Box::pin(super::try_model::<$name::Sample>(bench, &mut seen)).await;)*
        seen
    }
    };
}

samples! {
    first "generated_1" check(hi >= 2 * lo, lo * n <= 4, 2 * w <= hi) {
        a(range = 2..) = 2,
        b(range = ..=-2) = -2,
        c(range = -9..1) = -6,
        d(range = 8..=34) = 28,
        e(range = 0.7..=9.9) = 9.9,
        f(finite, range = 0.1..2.5) = 0.1,
        g(one_of(0)) = 0,
        h(not_empty) = "x y",
        i(pattern = r"^\w{1,4}$") = "new",
        k(one_of("new", "ä", "x y", "ab1")) = "new",
        tags(len = 4, each(len = 2..=4)) = "aa"; 4,
        nums(len = ..=3, each(range = ..=-7)) = -8; 0,
        map(keys(not_empty), values(one_of(7, 5, -100, 0))) = "a"; 7,
        x(range = 4..) = 7,
        y(len = 1..) = "a",
    }
    second "generated_2" check(lo <= hi, lo * n <= 12, 2 * w <= hi) {
        a(range = -4..=12) = 11,
        b(range = -9..=-9) = -9,
        c(range = -2..=-2) = -2,
        d(range = 6..36) = 15,
        e(range = -1.0..0.0) = -1.0,
        f(range = 1.0..3.0) = 1.0,
        g(one_of(0, 2)) = 0,
        h(len = ..=4) = "a",
        i(pattern = "^.{1,3}$") = "a",
        k(one_of("zz", "new")) = "zz",
        tags(len = 3, each(pattern = r"^\S+ \S+$")) = "x y"; 3,
        nums(len = ..=1, each(range = -9..)) = 3; 0,
        map(keys(len = 2), values(one_of(5, -1))) = "zz"; 5,
        x(range = -5..) = -4,
        y(len = 2..=2) = "aa",
    }
    third "generated_3" check(lo != hi, lo == lo * n, w < hi) {
        a(range = -12..) = -8,
        b(range = -7..=-4) = -6,
        c(range = -7..) = 0,
        d(range = 16..28) = 20,
        e(range = -2.0..10.0) = -2.0,
        f(finite, range = 0.5..=9.9) = 9.9,
        g(one_of(1, -7, 5)) = 1,
        h(not_empty, len = ..=3) = "a",
        i(email) = "ann@localhost",
        k(one_of("zz", "a", "", "new")) = "zz",
        tags(len = 0..=3, each(len = 2..=3)) = "aa"; 0,
        nums(len = ..=4, each(range = ..=8)) = 7; 0,
        map(keys(len = 2), values(range = ..=3)) = "zz"; 2,
        x(range = ..=5) = 5,
        y(len = 2.., pattern = "^[^ ]*$") = "ab12",
    }
    fourth "generated_4" check(lo < hi, lo * n <= 12, 2 * w <= hi) {
        a(range = -1..=5) = 0,
        b(range = -5..7) = -1,
        c(range = -7..=-6) = -6,
        d(range = ..=28) = 28,
        e(range = -0.1..=0.7) = -0.1,
        f(finite, range = -2.0..-0.1) = -2.0,
        g(one_of(-1, 5, -7)) = -1,
        h(len = 1..=4) = "a",
        i(url) = "http://x",
        k(one_of("ab1")) = "ab1",
        tags(len = 2..=4, each(pattern = "-$")) = "a-"; 2,
        nums(len = ..=4, each(range = -10..2)) = 1; 0,
        map(keys(not_empty), values(one_of(-1, -7))) = "a"; -1,
        x(range = ..=9) = 7,
        y(pattern = "^[a-z]*[0-9]?") = "a",
    }
    fifth "generated_5" check(hi > lo, n != 8, n * w <= 9.5) {
        a(range = -10..11) = 8,
        b(range = 5..=5) = 5,
        c(range = 7..=11) = 8,
        d(range = 25..=25) = 25,
        e(range = 0.7..=1.0) = 1.0,
        f(finite) = 0.3,
        g(one_of(7, -100, 100)) = 7,
        h(not_empty) = "x y",
        i(pattern = r"\d") = "ab1",
        k(one_of("ab1", "x y", "zz")) = "ab1",
        tags(len = 1.., each(len = 1..=2)) = "a"; 1,
        nums(len = ..=3, each(range = ..=8)) = 1; 0,
        map(keys(not_empty), values(one_of(0, 1, -100, -1))) = "a"; 0,
        x(range = 0..) = 5,
        y(len = 3) = "aaa",
    }
    sixth "generated_6" check(hi > lo, lo * n <= 7, w >= -7) {
        a(range = ..=0) = -1,
        b(range = ..=4) = -5,
        c(range = ..=3) = -3,
        d(range = 4..) = 9,
        e(range = 0.3..=0.5) = 0.3,
        f(finite) = 0.5,
        g(one_of(1, 2, 5)) = 1,
        h(not_empty, pattern = r"^\S*$") = "a",
        i(pattern = "^.{1,3}$") = "a",
        k(one_of("zz", "a", "x y")) = "zz",
        tags(len = 0.., each(not_empty)) = "x y"; 0,
        nums(len = ..=1, each(range = -9..)) = 1; 0,
        map(keys(len = ..=3, pattern = "^[^-]*$"), values(one_of(-1))) = "a"; -1,
        x(range = -1..5) = 4,
        y(pattern = r"^\w{1,4}$") = "new",
    }
    seventh "generated_7" check(lo < hi, n * n < 7, n * w <= 9.5) {
        a(range = -10..=-9) = -10,
        b(range = 3..=4) = 4,
        c(range = ..=12) = 1,
        d(range = 2..=2) = 2,
        e(range = -0.1..=0.3) = 0.3,
        f(finite, range = -1.5..=10.0) = -1.5,
        g(one_of(1)) = 1,
        h(not_empty, len = ..=3) = "a",
        i(email) = "ann@localhost",
        k(one_of("ä", "x y", "")) = "ä",
        tags(len = 2, each(pattern = "^[a-z]*[0-9]?")) = "a"; 2,
        nums(len = ..=4, each(range = -6..=2)) = 2; 0,
        map(keys(len = ..=3, pattern = "^[^-]*$"), values(one_of(7))) = "a"; 7,
        x(range = -2..8) = 5,
        y(not_empty, len = ..=3) = "a",
    }
    eighth "generated_8" [version] check(hi > lo, n * n < 4, w != n) {
        a(range = ..=2) = 2,
        b(range = -11..3) = 2,
        c(range = ..=4) = 0,
        d(range = 23..) = 29,
        e(range = -1.5..=0.5) = 0.5,
        f(range = -2.0..=-1.5) = -1.5,
        g(one_of(-100)) = -100,
        h(len = ..=3) = "a",
        i(pattern = "^[^\n]*$") = "a",
        k(one_of("new", "zz", "a", "x y")) = "new",
        tags(len = 2..=4, each(not_empty)) = "x y"; 2,
        nums(len = ..=3, each(range = -5..=-5)) = -5; 0,
        map(keys(len = 2), values(range = -5..=7)) = "zz"; -3,
        x(range = -6..1) = -6,
        y(pattern = "^[^\n]*$") = "a",
    }
    ninth "generated_9" [version] check(lo != hi, n != 6, n * w <= 9.5) {
        a(range = 10..11) = 10,
        b(range = -3..=4) = 2,
        c(range = -9..) = -5,
        d(range = 14..=37) = 14,
        e(range = ..=-1.0) = -2.0,
        f(range = -2.0..=10.0) = 10.0,
        g(one_of(1)) = 1,
        h(len = ..=5) = "a",
        i(email) = "ann@localhost",
        k(one_of("new", "a", "ä")) = "new",
        tags(len = 2.., each(len = ..=4)) = "a"; 2,
        nums(len = ..=3, each(range = -6..=-6)) = -6; 0,
        map(keys(not_empty), values(range = -6..6)) = "a"; 1,
        x(range = -4..) = -3,
        y(pattern = r"^[a-zä]+.?(?:\d{2}|-)$") = "a-",
    }
    tenth "generated_10" [version] check(hi >= 2 * lo, lo + 3 * n <= 12, w != n) {
        a(range = -10..=-2) = -7,
        b(range = -5..8) = -5,
        c(range = ..=11) = -3,
        d(range = 1..) = 2,
        e(range = -1.5..=0.5) = 0.5,
        f(range = -1.0..0.3) = -1.0,
        g(one_of(5, -7)) = 5,
        h(pattern = "a", len = ..=4) = "a-",
        i(url) = "http://x",
        k(one_of("a", "ä", "new", "ab1")) = "a",
        tags(len = 4, each(len = ..=5)) = "a"; 4,
        nums(len = ..=2, each(range = -4..10)) = 8; 0,
        map(keys(len = ..=3, pattern = "^[^-]*$"), values(range = -1..=-1)) = "a"; -1,
        x(range = -12..) = -10,
        y(not_empty, len = ..=3) = "a",
    }
}
