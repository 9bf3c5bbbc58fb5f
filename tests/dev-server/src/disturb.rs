//! Disturbances of a server, for tests of how its clients react.

use mongodb::{Client, bson::doc};

use crate::{
    DevServer, Error,
    launch::{admin, direct},
    mongod::Mongod,
};

fn failed(reason: String) -> Error {
    Error::Start {
        reason,
        log: String::new(),
    }
}

impl DevServer {
    /// How many servers were started here: none if the server was given.
    #[must_use]
    pub fn members(&self) -> usize {
        self.members.len()
    }

    /// Kills one of the [`members`](Self::members) with SIGKILL, whatever it is doing. It starts again on its data at once, and serves
    /// a moment later: a client that selects a server waits for that.
    ///
    /// # Errors
    ///
    /// If there is no such member, or its supervisor is gone.
    pub fn kill_and_restart(&self, member: usize) -> Result<(), Error> {
        let killed = self.member(member)?.kill_and_restart();
        killed.map_err(|error| failed(error.to_string()))
    }

    fn member(&self, member: usize) -> Result<&Mongod, Error> {
        let server = self.members.get(member);
        server.ok_or_else(|| failed(format!("no member {member} was started here")))
    }

    /// A client of one of the [`members`](Self::members) alone, whatever that is at the moment.
    ///
    /// # Errors
    ///
    /// If there is no such member.
    pub fn client_of(&self, member: usize) -> Result<Client, Error> {
        direct(self.member(member)?.port()).map_err(Error::Client)
    }

    /// The place of the member that takes writes now, if one does.
    pub async fn primary(&self) -> Option<usize> {
        for (place, member) in self.members.iter().enumerate() {
            let Ok(client) = direct(member.port()) else {
                continue;
            };
            let hello = admin(&client, doc! { "hello": 1 }).await;
            if hello.is_ok_and(|hello| hello.get_bool("isWritablePrimary").unwrap_or(false)) {
                return Some(place);
            }
        }
        None
    }

    /// Makes the primary of a replica set step down, whether or not another member is ready to take over. It does not stand for
    /// election for a second. Says whether there was a primary that did.
    pub async fn step_down(&self) -> bool {
        let Some(primary) = self.primary().await else {
            return false;
        };
        let Ok(client) = direct(self.members[primary].port()) else {
            return false;
        };
        let command = doc! { "replSetStepDown": 1, "secondaryCatchUpPeriodSecs": 0, "force": true };
        admin(&client, command).await.is_ok()
    }
}
