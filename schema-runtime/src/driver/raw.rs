//! Finds whose filters are encoded already.

use bson::{Document, RawDocument, RawDocumentBuf, cstr};
use futures::FutureExt;
use mongodb::options::RunCursorCommandOptions;
use mongodb::raw_batch_cursor::RawBatchCursor;
use mongodb::{ClientSession, Database};

use super::cursor::FindArgs;
use super::killed::may_be_sent_again;
use super::{Rows, open};
use crate::error::Result;

/// The size of a filter in bytes from which on the command is sent as it is: the driver's `find` would need the filter as a [`Document`],
/// and take longer to encode that again than to read the documents. A thousand object ids are 17 kB.
const LARGE: usize = 16 << 10;

/// As [`open`], with an encoded filter, which need not become a [`Document`] if it is large.
pub(crate) async fn open_raw<'a>(
    db: &Database,
    collection: &str,
    filter: &RawDocument,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    // In a session the driver adds more to a `find` of its own than to a command of the library.
    if session.is_none() && filter.as_bytes().len() >= LARGE {
        let sent = send(db, collection, filter, args.clone()).await;
        match sent {
            // The driver tries a `find` again, but no command of ours: the second try is a `find` of the driver's. Whether a
            // client wants no second try (`retryReads=false`) cannot be found out; a read can be sent twice.
            Err(error) if may_be_sent_again(&error) => {}
            sent => return Ok(Rows::without_session(sent?, collection)),
        }
    }
    let filter = Document::try_from(filter).map_err(mongodb::error::Error::from)?;
    open(db, collection, filter, args, session).await
}

/// The command of the driver's `find`, sent as it is: with the database's read preference and read concern, which the driver leaves
/// out of commands that are not its own.
async fn send(
    db: &Database,
    collection: &str,
    filter: &RawDocument,
    args: FindArgs,
) -> mongodb::error::Result<RawBatchCursor> {
    traced!(command(db, collection));
    let options = args.options(collection, false);
    let batch_size = options.batch_size;
    let asks = options.selection_criteria.clone();
    let mut command = RawDocumentBuf::new();
    command.append(cstr!("find"), collection);
    for option in &bson::serialize_to_raw_document_buf(&options)? {
        let (name, value) = option?;
        command.append(name, value);
    }
    command.append(cstr!("filter"), filter);
    if let Some(concern) = db.read_concern() {
        let concern = bson::serialize_to_raw_document_buf(concern)?;
        command.append(cstr!("readConcern"), concern);
    }
    let options = RunCursorCommandOptions::builder()
        .selection_criteria(asks.or_else(|| db.selection_criteria().cloned()))
        .batch_size(batch_size)
        .build();
    let find = db.run_raw_cursor_command(command).with_options(options);
    find.batch().boxed().await
}
