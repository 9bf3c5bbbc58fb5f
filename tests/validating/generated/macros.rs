//! The model of each sample, and every call that writes one.

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
            m($($m:tt)*) = $rm:expr,
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
                #[check($($m)*)]
                m: Decimal128,
                #[serde(default, skip_serializing_if = "Option::is_none")]
                o: Option<Decimal128>,
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
                    67 => update.set(|s| s.m, decimal(op.decimal)),
                    68 => update.inc(|s| s.m, decimal(op.decimal)),
                    69 => update.mul(|s| s.m, decimal(op.decimal)),
                    70 => update.max(|s| s.m, decimal(op.decimal)),
                    71 => update.min(|s| s.m, decimal(op.decimal)),
                    72 => update.set(|s| s.o, Some(decimal(op.decimal))),
                    73 => update.inc(|s| s.o, decimal(op.decimal)),
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
                        m: decimal($rm),
                        o: Some(decimal("1000")),
                        $($version: 0,)?
                    }
                }

                fn random(id: i32, random: &mut Random) -> Self {
                    let mut one = Self::right(id);
                    for _ in 0..=random.below(2) {
                        let op = random.op();
                        match random.below(22) {
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
                            19 => one.m = decimal(op.decimal),
                            20 => one.o = Some(decimal(op.decimal)),
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
