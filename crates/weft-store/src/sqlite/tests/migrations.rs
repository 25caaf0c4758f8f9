//! Migrations in steps.

use rusqlite::Connection;

use crate::sqlite::migrate::{MIGRATIONS, Migration, MigrationError, migrate};

const STEPS: &[Migration] = &[
    Migration { version: 1, name: "0001_one", sql: "CREATE TABLE one (a)" },
    Migration { version: 2, name: "0002_two", sql: "CREATE TABLE two (a); INSERT INTO one VALUES (1)" },
];

fn memory() -> Connection {
    Connection::open_in_memory().expect("a database")
}

#[test]
fn each_step_is_applied_once() {
    let mut conn = memory();
    migrate(&mut conn, &STEPS[..1]).expect("one step");
    migrate(&mut conn, STEPS).expect("the second step");
    migrate(&mut conn, STEPS).expect("nothing left");
    let rows: i64 = conn.query_row("SELECT count(*) FROM one", [], |row| row.get(0)).expect("readable");
    assert_eq!(rows, 1);
}

#[test]
fn a_failing_step_leaves_nothing_behind() {
    let bad = Migration { version: 2, name: "0002_two", sql: "CREATE TABLE two (a); CREATE TABLE one (a)" };
    let mut conn = memory();
    migrate(&mut conn, &[STEPS[0], bad]).expect_err("the second step fails");
    migrate(&mut conn, STEPS).expect("the right second step");
}

#[test]
fn newer_changed_and_missing_steps_are_refused_by_name() {
    let mut conn = memory();
    migrate(&mut conn, STEPS).expect("migrated");
    let newer = migrate(&mut conn, &STEPS[..1]).expect_err("newer");
    assert!(matches!(&newer, MigrationError::Newer { found, known } if found == "0002_two" && known == "0001_one"));
    let changed = Migration { sql: "CREATE TABLE one (a, b)", ..STEPS[0] };
    let refused = migrate(&mut conn, &[changed, STEPS[1]]).expect_err("changed");
    assert!(matches!(&refused, MigrationError::Changed { name } if name == "0001_one"));
    conn.execute("DELETE FROM migrations WHERE version = 1", []).expect("forgotten");
    let refused = migrate(&mut conn, STEPS).expect_err("a gap");
    assert!(matches!(&refused, MigrationError::Missing { name } if name == "0001_one"));
}

#[test]
fn versions_count_from_one() {
    for (version, migration) in (1..).zip(MIGRATIONS) {
        assert_eq!(migration.version, version);
        assert!(migration.name.starts_with(&format!("{version:04}_")));
    }
}
