//! Messages of the wire protocol: OP_MSG, and the OP_QUERY by which a driver says hello.

use std::io;

use bson::{Bson, Document};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const OP_REPLY: i32 = 1;
const OP_QUERY: i32 = 2004;
const OP_MSG: i32 = 2013;
const CHECKSUM: u32 = 1;
const MORE_TO_COME: u32 = 2;
/// The longest message that a server takes.
const MAX_MESSAGE: usize = 48_000_000;

/// A command, or the reply to one.
pub(crate) struct Message {
    request: i32,
    is_query: bool,
    /// False if the sender waits for no reply.
    pub(crate) awaits_reply: bool,
    pub(crate) body: Document,
}

fn malformed(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.to_owned())
}

/// The next `N` bytes.
fn split<'a, const N: usize>(bytes: &mut &'a [u8]) -> io::Result<&'a [u8; N]> {
    let (head, rest) = bytes
        .split_first_chunk()
        .ok_or_else(|| malformed("a message ends early"))?;
    *bytes = rest;
    Ok(head)
}

fn split_i32(bytes: &mut &[u8]) -> io::Result<i32> {
    Ok(i32::from_le_bytes(*split(bytes)?))
}

fn split_text<'a>(bytes: &mut &'a [u8]) -> io::Result<&'a str> {
    let end = bytes.iter().position(|byte| *byte == 0);
    let end = end.ok_or_else(|| malformed("a text has no end"))?;
    let (text, rest) = bytes.split_at(end);
    *bytes = &rest[1..];
    str::from_utf8(text).map_err(|_| malformed("a text is no utf-8"))
}

fn split_document(bytes: &mut &[u8]) -> io::Result<Document> {
    Document::from_reader(bytes).map_err(io::Error::other)
}

/// Reads the next message; none when the peer has closed the connection.
pub(crate) async fn read(stream: &mut TcpStream) -> io::Result<Option<Message>> {
    let mut header = [0; 16];
    match stream.read_exact(&mut header).await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        outcome => outcome?,
    };
    let mut fields = &header[..];
    let length = usize::try_from(split_i32(&mut fields)?).unwrap_or(0);
    let request = split_i32(&mut fields)?;
    let _response_to = split_i32(&mut fields)?;
    let code = split_i32(&mut fields)?;
    if !(16..=MAX_MESSAGE).contains(&length) {
        return Err(malformed("the length of a message is out of range"));
    }
    let mut bytes = vec![0; length - 16];
    stream.read_exact(&mut bytes).await?;
    let mut bytes = &bytes[..];
    match code {
        OP_MSG => {
            let flags = u32::from_le_bytes(*split(&mut bytes)?);
            if flags & CHECKSUM != 0 {
                bytes = &bytes[..bytes.len().saturating_sub(4)];
            }
            Ok(Some(Message {
                request,
                is_query: false,
                awaits_reply: flags & MORE_TO_COME == 0,
                body: read_sections(bytes)?,
            }))
        }
        OP_QUERY => {
            let _flags = split_i32(&mut bytes)?;
            let namespace = split_text(&mut bytes)?;
            let database = namespace.split('.').next().unwrap_or_default().to_owned();
            let _skip_and_limit: &[u8; 8] = split(&mut bytes)?;
            let mut body = split_document(&mut bytes)?;
            body.insert("$db", database);
            Ok(Some(Message {
                request,
                is_query: true,
                awaits_reply: true,
                body,
            }))
        }
        _ => Err(malformed("the router reads OP_MSG and OP_QUERY only")),
    }
}

/// The command of an OP_MSG: the body, and the sequences as arrays of it.
fn read_sections(mut bytes: &[u8]) -> io::Result<Document> {
    let mut body = Document::new();
    let mut sequences = Document::new();
    while let Some((kind, rest)) = bytes.split_first() {
        bytes = rest;
        if *kind == 0 {
            body = split_document(&mut bytes)?;
            continue;
        }
        let length = usize::try_from(split_i32(&mut bytes)?).unwrap_or(0);
        let section = length
            .checked_sub(4)
            .and_then(|n| bytes.split_at_checked(n));
        let (mut section, rest) = section.ok_or_else(|| malformed("a section ends early"))?;
        bytes = rest;
        let name = split_text(&mut section)?.to_owned();
        let mut documents = Vec::new();
        while !section.is_empty() {
            documents.push(Bson::Document(split_document(&mut section)?));
        }
        sequences.insert(name, documents);
    }
    body.extend(sequences);
    Ok(body)
}

fn frame(code: i32, request: i32, response_to: i32, payload: &[&[u8]]) -> io::Result<Vec<u8>> {
    let length = 16 + payload.iter().map(|part| part.len()).sum::<usize>();
    let length = i32::try_from(length).map_err(|_| malformed("a message is too long"))?;
    let mut bytes = Vec::new();
    for number in [length, request, response_to, code] {
        bytes.extend(number.to_le_bytes());
    }
    payload.iter().for_each(|part| bytes.extend(*part));
    Ok(bytes)
}

/// Writes the reply to a message.
pub(crate) async fn reply(
    stream: &mut TcpStream,
    message: &Message,
    reply: &Document,
) -> io::Result<()> {
    let body = reply.to_vec().map_err(io::Error::other)?;
    let bytes = if message.is_query {
        let mut head = [0; 20];
        // The flag of a server that can wait for data; a cursor of 0 that starts at 0; one document.
        head[0] = 8;
        head[16] = 1;
        frame(OP_REPLY, 0, message.request, &[&head, &body])?
    } else {
        frame(OP_MSG, 0, message.request, &[&[0; 5], &body])?
    };
    stream.write_all(&bytes).await
}

/// Sends a command and reads its reply.
pub(crate) async fn call(stream: &mut TcpStream, command: &Document) -> io::Result<Document> {
    let body = command.to_vec().map_err(io::Error::other)?;
    let bytes = frame(OP_MSG, 1, 0, &[&[0; 5], &body])?;
    stream.write_all(&bytes).await?;
    let reply = read(stream).await?;
    Ok(reply
        .ok_or_else(|| malformed("the server has closed the connection"))?
        .body)
}
