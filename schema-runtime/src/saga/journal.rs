//! The journal: what a saga is to do, how far it has decided, and who runs it.
//!
//! `{_id, name, state, owner, token, lease, until, step, steps: [{mark, model, collection, version, wide, asked}]}`. What is asked of a step is
//! kept as bytes: operators are no field names.

use std::time::Duration;

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, Document, RawDocumentBuf, doc};

use crate::Database;
use crate::crud::driver::{self, Lasting, UpdateArgs};
use crate::error::{Error, Result};
use crate::queue::{after, one_more};
use crate::version::Version;

/// How often an answer that was lost is asked for again.
const RETRIES: usize = 2;

/// One step, as data.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// What its document is marked with while it is made and may be undone.
    pub(super) mark: ObjectId,
    pub(super) model: &'static str,
    pub(super) collection: String,
    pub(super) version: Version,
    pub(super) id: Bson,
    pub(super) filter: Document,
    pub(super) change: Document,
    pub(super) undo: Document,
}

/// What has been decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Steps are being made.
    Doing,
    /// The step of this number could not be made: those before it are being undone, and itself if it comes late.
    Undoing(usize),
    /// All are made: the marks go.
    Done,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Doing => "doing",
            State::Undoing(_) => "undoing",
            State::Done => "done",
        }
    }
}

#[derive(Debug)]
pub(super) struct Journal {
    collection: String,
    pub(super) id: ObjectId,
    /// Who runs it: whoever resumes it is another.
    owner: ObjectId,
    /// The number of those who have run it.
    token: i64,
    lease: Duration,
    pub(super) state: State,
    name: String,
}

impl Journal {
    /// Writes everything down.
    pub(super) async fn begin(
        db: &Database,
        collection: &str,
        name: &str,
        lease: Duration,
        steps: &[Step],
    ) -> Result<Journal> {
        let journal = Journal {
            collection: collection.to_owned(),
            id: ObjectId::new(),
            owner: ObjectId::new(),
            token: 1,
            lease,
            state: State::Doing,
            name: name.to_owned(),
        };
        let steps = steps.iter().map(written).collect::<Result<Vec<Bson>>>()?;
        let millis = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        let begun = doc! {
            "_id": journal.id,
            "name": name,
            "state": State::Doing.name(),
            "owner": journal.owner,
            "token": journal.token,
            "lease": millis,
            "steps": steps,
        };
        let whole = doc! { "$mergeObjects": [{ "$literal": begun }, { "until": after(lease) }] };
        let pipeline = vec![doc! { "$replaceWith": whole }];
        let filter = doc! { "_id": journal.id };
        journal.write(db, filter, pipeline, true).await?;
        Ok(journal)
    }

    /// Takes over one that nobody has run for as long as its lease.
    pub(super) async fn left(
        db: &Database,
        collection: &str,
    ) -> Result<Option<(Journal, Result<Vec<Step>>)>> {
        let owner = ObjectId::new();
        let millis = doc! { "$ifNull": ["$lease", 0_i64] };
        let longer =
            doc! { "$dateAdd": { "startDate": "$$NOW", "unit": "millisecond", "amount": millis } };
        let args = UpdateArgs {
            filter: doc! { "$expr": { "$lte": ["$until", "$$NOW"] } },
            changes: vec![
                doc! { "$set": { "owner": owner, "token": one_more("$token"), "until": longer } },
            ]
            .into(),
            many: false,
            upsert: false,
            lasting: Lasting::Durable,
            strings: driver::Strings::Exactly,
        };
        let found = driver::update_and_read(db, collection, args, doc! {}, None).await?;
        let Some(found) = found else { return Ok(None) };
        let unreadable = || Error::Unsupported {
            what: format!("a journal in `{collection}` that this library has not written: {found}"),
        };
        let id = found.get_object_id("_id").map_err(|_| unreadable())?;
        let step = crate::denorm::flags::integer(found.get("step")).unwrap_or(0);
        let state = match found.get_str("state") {
            Ok("undoing") => State::Undoing(usize::try_from(step).unwrap_or(0)),
            Ok("done") => State::Done,
            _ => State::Doing,
        };
        let lease = crate::denorm::flags::integer(found.get("lease")).unwrap_or(0);
        let journal = Journal {
            collection: collection.to_owned(),
            id,
            owner,
            token: crate::denorm::flags::integer(found.get("token")).unwrap_or(0),
            lease: Duration::from_millis(u64::try_from(lease).unwrap_or(0)),
            state,
            name: found.get_str("name").unwrap_or_default().to_owned(),
        };
        let steps = found.get_array("steps").into_iter().flatten();
        let steps = steps
            .map(|step| read(step).ok_or_else(unreadable))
            .collect();
        Ok(Some((journal, steps)))
    }

    /// Says that it is alive. What was read before this is known to have been read while it was this one's to decide.
    pub(super) async fn alive(&self, db: &Database) -> Result<()> {
        self.set(db, doc! {}).await
    }

    /// Writes down what has been decided, which nothing changes afterwards.
    pub(super) async fn decide(&mut self, db: &Database, state: State) -> Result<()> {
        let mut set = doc! { "state": state.name() };
        if let State::Undoing(step) = state {
            set.insert("step", i64::try_from(step).unwrap_or(i64::MAX));
        }
        self.set(db, set).await?;
        self.state = state;
        Ok(())
    }

    async fn set(&self, db: &Database, mut set: Document) -> Result<()> {
        set.insert("until", after(self.lease));
        let filter = doc! { "_id": self.id, "owner": self.owner };
        let pipeline = vec![doc! { "$set": set }];
        match self.write(db, filter, pipeline, false).await? {
            true => Ok(()),
            false => Err(Error::LeaseLost {
                of: format!("the saga `{}` {}", self.name, self.id),
                token: self.token,
            }),
        }
    }

    /// Whether there was a journal to write to.
    async fn write(
        &self,
        db: &Database,
        filter: Document,
        pipeline: Vec<Document>,
        upsert: bool,
    ) -> Result<bool> {
        let mut tries = 0;
        loop {
            let args = UpdateArgs {
                filter: filter.clone(),
                changes: pipeline.clone().into(),
                many: false,
                upsert,
                lasting: Lasting::Durable,
                strings: driver::Strings::Exactly,
            };
            let fields = doc! { "_id": 1 };
            match driver::update_and_read(db, &self.collection, args, fields, None).await {
                Err(error) if tries < RETRIES && driver::lost(&error) => tries += 1,
                done => return Ok(done?.is_some()),
            }
        }
    }

    /// Everything has been seen to.
    pub(super) async fn end(self, db: &Database) -> Result<()> {
        let filter = doc! { "_id": self.id, "owner": self.owner };
        driver::delete_many(
            db,
            &self.collection,
            filter,
            Lasting::Durable,
            driver::Strings::Exactly,
            None,
        )
        .await?;
        Ok(())
    }
}

fn written(step: &Step) -> Result<Bson> {
    let asked = doc! {
        "id": &step.id, "filter": &step.filter, "change": &step.change, "undo": &step.undo,
    };
    let asked = RawDocumentBuf::try_from(&asked).map_err(|source| Error::Encode {
        model: "Saga",
        field: "steps".to_owned(),
        source: Box::new(source.into()),
    })?;
    let (version, wide) = step.version.stored();
    let bytes = asked.into_bytes();
    Ok(Bson::Document(doc! {
        "mark": step.mark,
        "model": step.model,
        "collection": &step.collection,
        "version": version,
        "wide": wide,
        "asked": Binary { subtype: BinarySubtype::Generic, bytes },
    }))
}

fn read(step: &Bson) -> Option<Step> {
    let step = step.as_document()?;
    let text = |name: &str| step.get_str(name).ok().map(str::to_owned);
    let asked = step.get_binary_generic("asked").ok()?;
    let asked = RawDocumentBuf::from_bytes(asked.clone()).ok()?;
    let mut asked = Document::try_from(asked.as_ref()).ok()?;
    let mut part = |name: &str| match asked.remove(name) {
        Some(Bson::Document(part)) => Some(part),
        _ => None,
    };
    let (filter, change, undo) = (part("filter")?, part("change")?, part("undo")?);
    let collection = text("collection")?;
    let models = crate::registry::models();
    let model = models.iter().find(|model| model.collection == collection);
    Some(Step {
        mark: step.get_object_id("mark").ok()?,
        model: model.map_or("document", |model| model.name),
        collection,
        version: Version::read(text("version")?, step.get_bool("wide").ok()?),
        id: asked.remove("id")?,
        filter,
        change,
        undo,
    })
}
