//! The SQLite backend from inside: a disk that fails, and migrations one after the other.

mod flush;
mod migrations;
mod pool;
