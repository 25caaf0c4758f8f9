//! The definitions that the measures run.

use std::path::Path;

/// One node of a definition, as JSON.
pub(crate) fn node(id: &str, kind: &str, config: &str) -> String {
    format!(
        r#"{{"id":"{id}","typeId":"{kind}","name":"{id}","position":{{"x":0,"y":0}},"config":{config},"inputs":{{}}}}"#
    )
}

/// Writes a definition of nodes that follow each other into `folder`.
pub(crate) fn write(folder: &Path, id: &str, nodes: &[String]) -> anyhow::Result<()> {
    let ids: Vec<String> = nodes.iter().map(|node| node.split('"').nth(3).unwrap_or_default().to_owned()).collect();
    let edges: Vec<String> = ids
        .windows(2)
        .map(|pair| format!(r#"{{"id":"{0}-{1}","sourceNodeId":"{0}","targetNodeId":"{1}"}}"#, pair[0], pair[1]))
        .collect();
    let text = format!(
        r#"{{"id":"{id}","name":"{id}","version":"1","nodes":[{}],"edges":[{}],"triggers":[],"variables":[],"metadata":{{}},"settings":{{}}}}"#,
        nodes.join(","),
        edges.join(",")
    );
    std::fs::write(folder.join(format!("{id}.json")), text)?;
    Ok(())
}
