//! A program of a rolling deploy. It is the one-line program of its models; and `write URI DATABASE` writes to their collections beside the
//! other program, and prints which documents of that one it could read.

use std::collections::BTreeMap;
use std::process::ExitCode;

use bson::doc;
use mongo_model::{Database, Insertable, MongoModel, Replaceable, Unversioned};
use mongodb::Client;
use mongodb::options::ClientOptions;

/// The number of documents that each program inserts into each collection before it reads.
const FIRST: i32 = 10;
/// The number of writes to each collection after that.
pub(crate) const WRITES: i32 = 90;

/// A model of both programs, in which one fact differs.
pub(crate) trait Rolling:
    MongoModel<Id = i32, Db = Database> + Insertable + Replaceable + Unversioned
{
    /// A document of the program `by`.
    fn make(id: i32, by: &str) -> Self;
    /// The program that has stored the document last, for the program that stores it now.
    fn stored_by(&mut self) -> &mut String;
    /// An update of a field that both programs have.
    async fn touch(db: &Database, id: i32) -> mongo_model::Result<()>;
}

/// Declares a model: its collection, the fields that the other program has otherwise, and their values.
macro_rules! rolling {
    ($name:ident $collection:tt { $($(#[$meta:meta])* $field:ident: $ty:ty = |$n:ident| $value:expr,)* }) => {
        #[derive(Debug, serde::Serialize, serde::Deserialize, mongo_model::MongoModel)]
        #[model(collection = $collection)]
        struct $name {
            #[serde(rename = "_id")]
            id: i32,
            born: String,
            by: String,
            touched: i32,
            $($(#[$meta])* $field: $ty,)*
        }

        impl crate::rolling::Rolling for $name {
            fn make(id: i32, by: &str) -> Self {
                $name { id, born: by.to_owned(), by: by.to_owned(), touched: 0, $($field: { let $n = id; $value },)* }
            }

            fn stored_by(&mut self) -> &mut String {
                &mut self.by
            }

            async fn touch(db: &mongo_model::Database, id: i32) -> mongo_model::Result<()> {
                <$name as mongo_model::MongoModel>::update(db, id).inc(|m| m.touched, 1).await.map(drop)
            }
        }
    };
}

/// The numbers of the other program's documents that this one could read, and that it refused.
#[derive(Debug, Default)]
struct Seen {
    read: u32,
    refused: u32,
}

/// A program, as it writes.
pub(crate) struct Program {
    db: Database,
    name: &'static str,
    /// The `_id` of its first document: those of one program are even, those of the other are odd.
    first: i32,
    seen: BTreeMap<&'static str, Seen>,
}

impl Program {
    /// Inserts the first documents of a model, and waits for those of the other program.
    pub(crate) async fn insert_first<M: Rolling>(&mut self) {
        for n in 0..FIRST {
            self.insert::<M>(n).await;
        }
        let documents = self.db.collection::<bson::Document>(M::meta().collection);
        let is_by_other = doc! { "born": { "$ne": self.name } };
        while documents
            .count_documents(is_by_other.clone())
            .await
            .expect("counted")
            < FIRST as u64
        {
            tokio::task::yield_now().await;
        }
    }

    async fn insert<M: Rolling>(&self, n: i32) {
        let document = M::make(self.first + 2 * n, self.name);
        M::insert(&self.db, &document).await.expect("inserted");
    }

    /// The `n`th write to the collection of a model: an insert, an update, or a save of what was read.
    pub(crate) async fn write<M: Rolling>(&mut self, n: i32) {
        if n % 4 == 0 {
            return self.insert::<M>(FIRST + n / 4).await;
        }
        // Documents of both programs that are there for certain.
        let id = n * 7 % (2 * FIRST);
        if n % 4 == 1 {
            // An update does not read the rest of the document.
            return M::touch(&self.db, id).await.expect("updated");
        }
        let seen = self.seen.entry(M::meta().collection).or_default();
        match M::get(&self.db, id).await {
            Ok(document) => {
                let mut document = document.expect("it is there");
                let by = std::mem::replace(document.stored_by(), self.name.to_owned());
                seen.read += u32::from(by != self.name);
                document.save(&self.db).await.expect("saved");
            }
            Err(mongo_model::Error::Decode { .. }) => seen.refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Writes to the collections of all models.
macro_rules! write_all {
    ($program:ident, $($name:ident)*) => {{
        $($program.insert_first::<$name>().await;)*
        for n in 0..crate::rolling::WRITES {
            $($program.write::<$name>(n).await;)*
        }
    }};
}
pub(crate) use {rolling, write_all};

/// The main function of a program.
pub(crate) fn main(
    name: &'static str,
    first: i32,
    write: impl AsyncFnOnce(&mut Program),
) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, uri, database] = &arguments[..] else {
        return mongo_model_tool::main();
    };
    if command != "write" {
        return mongo_model_tool::main();
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let options = ClientOptions::parse(uri)
            .await
            .expect("a connection string");
        let client = Client::with_options(options).expect("a client");
        let mut program = Program {
            db: client.database(database),
            name,
            first,
            seen: BTreeMap::new(),
        };
        write(&mut program).await;
        for (collection, Seen { read, refused }) in &program.seen {
            println!("{collection} {read} {refused}");
        }
    });
    ExitCode::SUCCESS
}
