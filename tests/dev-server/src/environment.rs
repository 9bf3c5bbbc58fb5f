//! The variables that decide which server is used.

use std::{
    env::{self, consts::EXE_SUFFIX},
    ffi::OsString,
    fmt,
    path::PathBuf,
};

/// The environment that the search for a server reads.
///
/// A value of its own, so that a search can be tried under other variables without changing those
/// of the process, which every other thread would see.
#[derive(Clone, Default)]
pub struct Environment {
    /// `$MONGODB_URI`: a running server.
    pub mongodb_uri: Option<String>,
    /// `$MONGOD`: the path of a mongod.
    pub mongod: Option<PathBuf>,
    /// `$PATH`: where mongod, python and pip are looked for.
    pub path: Option<OsString>,
    /// The folder of a fetched mongod.
    pub cache: Option<PathBuf>,
    /// Additional arguments for each mongod that is started: `--setParameter`, `enableTestCommands=1`.
    pub arguments: Vec<String>,
}

impl Environment {
    /// The variables of this process; one that is set to nothing counts as unset.
    ///
    /// The cache is `$MONGO_MODEL_CACHE`, else `mongo-model` in `$XDG_CACHE_HOME`, else
    /// `.cache/mongo-model` in `$HOME`.
    #[must_use]
    pub fn from_process() -> Self {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let folder = |name| set(name).map(PathBuf::from);
        Self {
            // A uri that is no unicode must be refused by the driver rather than passed over here.
            mongodb_uri: set("MONGODB_URI").map(|uri| uri.to_string_lossy().into_owned()),
            mongod: folder("MONGOD"),
            path: set("PATH"),
            cache: folder("MONGO_MODEL_CACHE")
                .or_else(|| folder("XDG_CACHE_HOME").map(|cache| cache.join("mongo-model")))
                .or_else(|| folder("HOME").map(|home| home.join(".cache").join("mongo-model"))),
            arguments: Vec::new(),
        }
    }

    /// The first file of this name on the path.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        let file = format!("{program}{EXE_SUFFIX}");
        env::split_paths(self.path.as_ref()?)
            .map(|folder| folder.join(&file))
            .find(|candidate| candidate.is_file())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            // A uri may hold a password.
            .field("mongodb_uri", &self.mongodb_uri.as_ref().map(|_| ".."))
            .field("mongod", &self.mongod)
            .field("path", &self.path)
            .field("cache", &self.cache)
            .field("arguments", &self.arguments)
            .finish()
    }
}
