//! The store from outside: the contract on both backends, and the SQLite file under faults.

mod contract;
mod damage;
mod disk;
mod faults;
mod kill;
mod lifecycle;
mod power;
mod world;
