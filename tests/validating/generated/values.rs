//! Values near the ends of the constraints, and the operators that store them.

use std::collections::BTreeMap;

use bson::{Bson, Decimal128, Document, doc};

/// A repeatable source of values.
pub(super) struct Random(pub(super) u64);

/// One operator of an update, and the values that it may take.
#[derive(Debug)]
pub(super) struct Op {
    pub(super) n: u64,
    pub(super) int: i32,
    pub(super) float: f64,
    pub(super) decimal: &'static str,
    pub(super) text: String,
    pub(super) texts: Vec<String>,
    pub(super) ints: Vec<i32>,
    pub(super) map: BTreeMap<String, i64>,
}

/// How many operators there are.
pub(super) const OPERATORS: u64 = 74;

const INTS: &[i32] = &[
    -101, -100, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8,
    9, 10, 11, 12, 13, 20, 34, 40, 100,
];

const FLOATS: &[f64] = &[
    -2.0,
    -1.5,
    -1.0,
    -0.1,
    -0.0,
    0.0,
    0.1,
    0.2,
    0.25,
    0.3,
    0.5,
    0.7,
    0.999,
    1.0,
    2.5,
    3.0,
    5.0,
    9.9,
    10.0,
    1e300,
    f64::MAX,
    f64::MIN,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::EPSILON,
];

const DECIMALS: &[&str] = &[
    "-2.5",
    "-1.00",
    "-1",
    "-0.1",
    "-1E-6176",
    "-0",
    "0.00",
    "1E-6176",
    "1E-33",
    "0.01",
    "0.010",
    "0.1",
    "0.1000000000000000000000000000000001",
    "0.2999999999999999999999999999999999",
    "0.3",
    "0.5",
    "0.99",
    "1",
    "1.000000000000000000000000000000001",
    "2",
    "2.499999999999999999999999999999999",
    "2.5",
    "99.98999999999999999999999999999999",
    "99.99",
    "99.99000000000000000000000000000001",
    "1000",
    "1E+3",
    "1000.1",
    "1E+40",
    "NaN",
    "Infinity",
    "-Infinity",
];

const TEXTS: &[&str] = &[
    "",
    " ",
    "\u{a0}",
    "\u{2003}\n",
    "a",
    "ä",
    "a-",
    "ab12",
    "abä.33",
    "a\n-",
    "a-\n",
    "ab1",
    "new",
    "\u{10348}\u{10348}\u{10348}",
    "abcd",
    "\u{85}",
    "x y",
    "٣",
    "a٣٣",
    "zz",
    "abcdefgh-",
    "aaa",
    "aaaa",
    "ann@example.com",
    "ann@",
    "ann@x..y",
    "ann@x.y\n",
    "http://x",
    "https://x.org:80/a?b#c",
    "http://",
    "http://x y",
    "http://ann@x",
    "http://x/a\n",
    "http://x\u{a0}",
];

const KEYS: &[&str] = &[
    "a", "ab", "zz", "7", "ä", "a-", "abcd", "x y", "\u{a0}", "a\n",
];

pub(super) fn decimal(text: &str) -> Decimal128 {
    text.parse().expect("a decimal")
}

impl Random {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        let n = self.below(values.len() as u64);
        values[usize::try_from(n).expect("an index")]
    }

    pub(super) fn op(&mut self) -> Op {
        let few = self.below(4);
        let map = (0..self.below(3)).map(|_| (self.of(KEYS).to_owned(), self.of(INTS).into()));
        Op {
            map: map.collect(),
            n: self.below(OPERATORS),
            int: self.of(INTS),
            float: self.of(FLOATS),
            decimal: self.of(DECIMALS),
            text: self.of(TEXTS).to_owned(),
            texts: (0..few).map(|_| self.of(TEXTS).to_owned()).collect(),
            ints: (0..few).map(|_| self.of(INTS)).collect(),
        }
    }
}

impl Op {
    pub(super) fn long(&self) -> i64 {
        self.int.into()
    }

    pub(super) fn longs(&self) -> Vec<i64> {
        self.ints.iter().copied().map(i64::from).collect()
    }

    pub(super) fn small(&self) -> u16 {
        u16::try_from(self.int.unsigned_abs()).expect("small")
    }

    /// The same as the driver sends it.
    pub(super) fn sent(&self) -> Document {
        let (int, long, float, text) = (self.int, self.long(), self.float, &self.text);
        let small = i32::from(self.small());
        let (longs, map) = (self.longs(), bson::serialize_to_bson(&self.map));
        let (map, inner) = (map.expect("encoded"), doc! { "x": int, "y": text });
        match self.n {
            0 => doc! { "$set": { "a": int } },
            1 => doc! { "$inc": { "a": int } },
            2 => doc! { "$mul": { "a": int % 3 } },
            3 => doc! { "$min": { "a": int } },
            4 => doc! { "$max": { "b": long } },
            5 => doc! { "$set": { "b": long } },
            6 => doc! { "$inc": { "b": long } },
            7 => doc! { "$mul": { "b": long } },
            8 => doc! { "$set": { "c": long } },
            9 => doc! { "$inc": { "c": long } },
            10 => doc! { "$unset": { "c": "" } },
            11 => doc! { "$min": { "c": long } },
            12 => doc! { "$inc": { "d": small } },
            13 => doc! { "$set": { "d": small } },
            14 => doc! { "$set": { "e": float } },
            15 => doc! { "$inc": { "e": float } },
            16 => doc! { "$mul": { "e": float } },
            17 => doc! { "$set": { "f": float } },
            18 => doc! { "$inc": { "f": float } },
            19 => doc! { "$max": { "e": float } },
            20 => doc! { "$set": { "g": long } },
            21 => doc! { "$inc": { "g": long } },
            22 => doc! { "$set": { "h": text } },
            23 => doc! { "$set": { "i": text } },
            24 => doc! { "$set": { "i": null } },
            25 => doc! { "$set": { "k": text } },
            26 => doc! { "$push": { "tags": text } },
            27 => doc! { "$addToSet": { "tags": text } },
            28 => doc! { "$set": { "tags": &self.texts } },
            29 => doc! { "$pull": { "tags": text } },
            30 => doc! { "$pop": { "tags": 1 } },
            31 => doc! { "$push": { "nums": long } },
            32 => doc! { "$set": { "nums": longs } },
            33 => doc! { "$push": { "nums": { "$each": longs } } },
            34 => doc! { "$set": { "map": map } },
            35 => doc! { "$set": { "inner.x": int } },
            36 => doc! { "$inc": { "inner.x": int } },
            37 => doc! { "$set": { "inner.y": text } },
            38 => doc! { "$set": { "inner": inner } },
            39 => doc! { "$set": { "maybe": inner } },
            40 => doc! { "$set": { "maybe.x": int } },
            41 => doc! { "$inc": { "maybe.x": int } },
            42 => doc! { "$unset": { "maybe": "" } },
            43 => doc! { "$push": { "items": inner } },
            44 => doc! { "$set": { "items.$[e].x": int } },
            45 => doc! { "$inc": { "items.$[e].x": int } },
            46 => doc! { "$set": { "items": [inner] } },
            47 => doc! { "$set": { "lo": long } },
            48 => doc! { "$inc": { "lo": long } },
            49 => doc! { "$set": { "hi": long } },
            50 => doc! { "$unset": { "hi": "" } },
            51 => doc! { "$set": { "w": float } },
            52 => doc! { "$mul": { "w": float } },
            53 => doc! { "$inc": { "n": int } },
            54 => doc! { "$max": { "lo": long } },
            55 => doc! { "$min": { "hi": long } },
            56 => doc! { "$set": { "n": int } },
            57 => doc! { "$set": { "b": long, "h": text } },
            58 => doc! { "$set": { "c": long, "e": float, "tags": &self.texts } },
            59 => doc! { "$set": { "g": long, "i": text, "inner": inner } },
            61 => doc! { "$addToSet": { "nums": { "$each": longs } } },
            62 => doc! { "$pop": { "tags": -1 } },
            63 => doc! { "$pull": { "items": { "x": { "$gt": int } } } },
            64 => doc! { "$set": { "items.$[e].z": int } },
            65 => doc! { "$unset": { "items.$[e].z": "" } },
            66 => doc! { "$set": { "maybe.z": int } },
            67 => doc! { "$set": { "m": decimal(self.decimal) } },
            68 => doc! { "$inc": { "m": decimal(self.decimal) } },
            69 => doc! { "$mul": { "m": decimal(self.decimal) } },
            70 => doc! { "$max": { "m": decimal(self.decimal) } },
            71 => doc! { "$min": { "m": decimal(self.decimal) } },
            72 => doc! { "$set": { "o": decimal(self.decimal) } },
            73 => doc! { "$inc": { "o": decimal(self.decimal) } },
            _ => doc! { "$set": { "map": map, "maybe": inner.clone(), "items": [inner] } },
        }
    }

    /// True if the library may refuse what the server takes: a value that is no less or no greater, or that no element gets, and arithmetic
    /// whose result may be infinite.
    pub(super) fn may_be_refused_alone(&self) -> bool {
        match self.n {
            3 | 4 | 11 | 19 | 44 | 64 | 70 | 71 => true,
            15 | 16 | 18 => self.float.abs() >= 1e300,
            68 | 69 => self.decimal.ends_with("Infinity"),
            _ => false,
        }
    }

    /// The fields that it changes.
    pub(super) fn fields(&self) -> Vec<String> {
        let sent = self.sent();
        let paths = sent.values().filter_map(Bson::as_document);
        let paths = paths.flat_map(Document::keys);
        let first = paths.map(|path| path.split('.').next().unwrap_or(path).to_owned());
        first.collect()
    }
}
