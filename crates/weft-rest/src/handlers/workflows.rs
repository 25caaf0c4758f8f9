//! `getWorkflow`.

use http::{Response, request};
use weft_ops::{OpResult, workflows};

use super::ids;
use crate::body::RestBody;
use crate::door::Door;
use crate::respond;

pub(crate) async fn get(door: &Door, head: &request::Parts, workflow: &str) -> OpResult<Response<RestBody>> {
    let workflow = ids::workflow(workflow)?;
    let caller = door.caller(&head.headers).await?;
    let definition = workflows::get(&door.host, &caller, &workflow)?;
    Ok(respond::json(&head.headers, definition))
}
