//! Without the `driver` feature there is no server to talk to, but the derives expand to the same code. These types cannot
//! be made, so nothing that takes one can be called.

/// The driver's database handle, in a build without the driver.
#[derive(Debug, Clone)]
pub enum Database {}

/// The driver's session, in a build without the driver.
#[derive(Debug)]
pub enum ClientSession {}
