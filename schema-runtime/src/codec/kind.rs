//! The type bytes of BSON elements.

pub(crate) const DOUBLE: u8 = 0x01;
pub(crate) const STRING: u8 = 0x02;
pub(crate) const DOCUMENT: u8 = 0x03;
pub(crate) const ARRAY: u8 = 0x04;
pub(crate) const BINARY: u8 = 0x05;
pub(crate) const UNDEFINED: u8 = 0x06;
pub(crate) const OBJECT_ID: u8 = 0x07;
pub(crate) const BOOL: u8 = 0x08;
pub(crate) const DATE: u8 = 0x09;
pub(crate) const NULL: u8 = 0x0A;
pub(crate) const CODE: u8 = 0x0D;
pub(crate) const SYMBOL: u8 = 0x0E;
pub(crate) const INT32: u8 = 0x10;
pub(crate) const TIMESTAMP: u8 = 0x11;
pub(crate) const INT64: u8 = 0x12;
pub(crate) const DECIMAL: u8 = 0x13;
pub(crate) const MAX_KEY: u8 = 0x7F;
pub(crate) const MIN_KEY: u8 = 0xFF;
