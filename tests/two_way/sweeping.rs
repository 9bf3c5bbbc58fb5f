//! What a writer leaves behind that dies, and what finds it.
