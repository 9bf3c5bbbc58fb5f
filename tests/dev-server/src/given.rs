//! The server that `$MONGODB_URI` names.

use mongodb::{
    Client,
    bson::{Document, doc},
};

use crate::{Error, Topology};

/// The decision about a given server.
pub(crate) enum Given {
    /// Use it.
    Suits,
    /// Pass it over, for this reason.
    Differs(String),
}

/// Asks the server what it is.
pub(crate) async fn examine(uri: &str, topology: Topology) -> Result<Given, Error> {
    let client = Client::with_uri_str(uri).await.map_err(Error::Uri)?;
    let hello = client
        .database("admin")
        .run_command(doc! { "hello": 1 })
        .await
        .map_err(Error::Uri)?;
    Ok(compare(&hello, topology))
}

fn compare(hello: &Document, topology: Topology) -> Given {
    let is_set = hello.contains_key("setName");
    let is_router = hello.get_str("msg").is_ok_and(|said| said == "isdbgrid");
    match topology {
        Topology::Any => Given::Suits,
        Topology::Standalone if is_set => Given::Differs("it is a replica set".to_owned()),
        Topology::Standalone if is_router => Given::Differs("it is a sharded cluster".to_owned()),
        Topology::Standalone => Given::Suits,
        Topology::ReplicaSet(_) if !is_set => Given::Differs("it is no replica set".to_owned()),
        Topology::ReplicaSet(members) => {
            // Arbiters, which hold no data, are in neither list.
            let data: usize = ["hosts", "passives"]
                .into_iter()
                .filter_map(|list| hello.get_array(list).ok())
                .map(Vec::len)
                .sum();
            if data < usize::from(members) {
                Given::Differs(format!("its replica set has {data} data-bearing members"))
            } else if !hello.get_bool("isWritablePrimary").unwrap_or(false) {
                Given::Differs("it leads to a member that takes no writes".to_owned())
            } else {
                Given::Suits
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mongodb::bson::{Document, doc};

    use super::{Given, compare};
    use crate::Topology::{self, Any, ReplicaSet, Standalone};

    fn suits(hello: &Document, topology: Topology) -> bool {
        matches!(compare(hello, topology), Given::Suits)
    }

    #[test]
    fn a_given_server_serves_only_what_it_is() {
        let alone = doc! { "isWritablePrimary": true };
        let router = doc! { "isWritablePrimary": true, "msg": "isdbgrid" };
        let one = doc! { "isWritablePrimary": true, "setName": "a", "hosts": ["h:1"] };
        let three = doc! {
            "isWritablePrimary": true,
            "setName": "a",
            "hosts": ["h:1", "h:2"],
            "passives": ["h:3"],
            "arbiters": ["h:4"],
        };
        let secondary = doc! { "isWritablePrimary": false, "setName": "a", "hosts": ["h:1"] };
        for (hello, any, standalone, set_of_one, set_of_three) in [
            (&alone, true, true, false, false),
            (&router, true, false, false, false),
            (&one, true, false, true, false),
            (&three, true, false, true, true),
            (&secondary, true, false, false, false),
        ] {
            assert_eq!(suits(hello, Any), any, "{hello}");
            assert_eq!(suits(hello, Standalone), standalone, "{hello}");
            assert_eq!(suits(hello, ReplicaSet(1)), set_of_one, "{hello}");
            assert_eq!(suits(hello, ReplicaSet(3)), set_of_three, "{hello}");
        }
    }
}
