use std::collections::HashSet;

use super::{Access, Method, OPERATIONS, OperationId};
use crate::capability::{Family, gate_family};

#[test]
fn every_operation_is_found_by_its_name_and_place() {
    let mut routes = HashSet::new();
    for row in OPERATIONS {
        assert_eq!(OperationId::parse(row.operation_id), Some(row.id));
        assert_eq!(row.id.row(), row);
        assert!(routes.insert((row.method, row.path)), "{} is routed twice", row.path);
    }
    assert_eq!(OperationId::parse("createrun"), None);
}

// R-ERR-09
#[test]
fn every_gate_names_a_family() {
    for row in OPERATIONS {
        if let Some(gate) = row.gate {
            assert!(Family::find(gate_family(gate)).is_some(), "{gate}");
        }
    }
}

// R-INT-13
#[test]
fn exactly_the_writing_methods_are_mutating() {
    for row in OPERATIONS {
        // Rendering a template posts a body and changes nothing.
        let renders = row.id == OperationId::RenderPromptTemplate;
        assert_eq!(row.mutating, row.method != Method::Get && !renders, "{}", row.operation_id);
    }
}

// R-AUTH-01
#[test]
fn a_public_operation_needs_no_scope() {
    for row in OPERATIONS {
        assert_eq!(row.authenticated(), row.access != Access::Public);
        assert!(row.authenticated() || row.scopes().is_empty());
    }
    assert!(!OperationId::ResolveInterruptByToken.row().authenticated());
    assert!(OperationId::CreateRun.row().authenticated());
}
