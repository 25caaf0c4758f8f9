//! Definitions on one line: `a noop; b call timeout=50; a>b all_complete; var x number`.
//!
//! A statement is a node (`id type [{config}] [disabled] [retry={…}] [timeout=ms] [in.port=…]`),
//! an edge (`source>target [rule] [out=…] [in=…]`), a variable (`var name type [required]
//! [default=…]`) or a setting (`set name=…`). A port is `lit:json`, `var:name` or `node.output`;
//! a `?` at its end makes it optional. JSON is written without blanks.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Types;
use crate::workflow::{Fault, Workflow};

/// The definition a line stands for.
pub(crate) fn definition(line: &str) -> Value {
    let mut flow = json!({
        "id": "flow", "name": "Flow", "version": "1", "nodes": [], "edges": [], "triggers": [], "variables": [],
        "metadata": {}, "settings": {},
    });
    for statement in line.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        let mut words = statement.split_whitespace();
        let first = words.next().unwrap();
        let rest: Vec<&str> = words.collect();
        if first == "var" {
            push(&mut flow, "variables", variable(&rest));
        } else if first == "set" {
            let (name, value) = rest[0].split_once('=').unwrap();
            flow["settings"][name] = parse(value);
        } else if let Some((source, target)) = first.split_once('>') {
            let number = flow["edges"].as_array().unwrap().len();
            push(&mut flow, "edges", edge(number, source, target, &rest));
        } else {
            push(&mut flow, "nodes", node(first, &rest));
        }
    }
    flow
}

/// The compiled workflow a line stands for.
pub(crate) fn compile(line: &str) -> Result<Arc<Workflow>, Vec<Fault>> {
    Workflow::compile(definition(line).to_string().as_bytes(), &Types::new()).map(Arc::new)
}

fn push(flow: &mut Value, list: &str, value: Value) {
    flow[list].as_array_mut().unwrap().push(value);
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn variable(words: &[&str]) -> Value {
    let mut variable = json!({"name": words[0], "type": words[1]});
    for word in &words[2..] {
        match word.split_once('=') {
            Some(("default", value)) => variable["defaultValue"] = parse(value),
            _ => variable[*word] = true.into(),
        }
    }
    variable
}

fn edge(number: usize, source: &str, target: &str, words: &[&str]) -> Value {
    let mut edge = json!({"id": format!("e{number}"), "sourceNodeId": source, "targetNodeId": target});
    for word in words {
        match word.split_once('=') {
            Some(("out", name)) => edge["sourceOutput"] = name.into(),
            Some(("in", name)) => edge["targetInput"] = name.into(),
            _ => edge["triggerRule"] = (*word).into(),
        }
    }
    edge
}

fn node(id: &str, words: &[&str]) -> Value {
    let type_id = if words[0].contains('.') { words[0].to_owned() } else { format!("test.{}", words[0]) };
    let mut node =
        json!({"id": id, "typeId": type_id, "name": id, "position": {"x": 0, "y": 0}, "config": {}, "inputs": {}});
    for word in &words[1..] {
        if word.starts_with('{') {
            node["config"] = parse(word);
        } else if let Some(value) = word.strip_prefix("retry=") {
            node["settings"]["retry"] = parse(value);
        } else if let Some(value) = word.strip_prefix("timeout=") {
            node["settings"]["timeoutMs"] = parse(value);
        } else if let Some((port, source)) = word.strip_prefix("in.").and_then(|word| word.split_once('=')) {
            node["inputs"][port] = port_value(source);
        } else {
            node[*word] = true.into();
        }
    }
    node
}

fn port_value(source: &str) -> Value {
    if let Some(value) = source.strip_prefix("lit:") {
        return json!({"type": "static", "value": parse(value)});
    }
    let (source, optional) = source.strip_suffix('?').map_or((source, false), |source| (source, true));
    match source.strip_prefix("var:") {
        Some(name) => json!({"type": "variable", "variableName": name, "optional": optional}),
        None => {
            let (node, output) = source.split_once('.').unwrap();
            json!({"type": "connection", "nodeId": node, "outputKey": output, "optional": optional})
        }
    }
}
