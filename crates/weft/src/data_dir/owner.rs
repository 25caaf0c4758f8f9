//! The owner's socket: one JSON request per connection, one JSON reply.
//!
//! The socket is mode 0600 inside a folder of mode 0700: whoever may open it may open the
//! database as well, so it asks for no further credential.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::DataDir;

/// A request or reply larger than this is refused.
const MESSAGE_MAX_BYTES: u64 = 1024 * 1024;
/// A peer that has not spoken by then is dropped.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections served at once; further ones wait in the listen queue.
const CONNECTIONS_MAX: usize = 16;

/// Why a call to the owner failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OwnerError {
    /// Nobody listens: there is no owner, or it is just starting or ending.
    #[error("no host answers on this data folder")]
    Absent,
    /// The owner went away or answered something unreadable.
    #[error("the host on this data folder gave no usable answer")]
    Broken(#[source] std::io::Error),
}

/// Serves requests on the owner's socket until `stop` is cancelled, then removes the socket.
///
/// # Errors
/// The socket cannot be bound.
pub(crate) async fn listen<Request, Reply, Answer>(
    folder: &DataDir,
    stop: CancellationToken,
    answer: Arc<dyn Fn(Request) -> Answer + Send + Sync>,
) -> std::io::Result<tokio::task::JoinHandle<()>>
where
    Request: DeserializeOwned + Send + 'static,
    Reply: Serialize + Send + Sync + 'static,
    Answer: Future<Output = Reply> + Send + 'static,
{
    let path = folder.owner_socket();
    // The caller holds the folder's lock, so a socket that is still there is a dead owner's.
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path).map_err(|error| explained(error, &path))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    Ok(tokio::spawn(async move {
        let mut open = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = open.join_next(), if !open.is_empty() => {}
                accepted = listener.accept(), if open.len() < CONNECTIONS_MAX => match accepted {
                    Ok((stream, _)) => {
                        let answer = Arc::clone(&answer);
                        open.spawn(async move {
                            let exchange = serve_one(stream, answer);
                            if !matches!(tokio::time::timeout(EXCHANGE_TIMEOUT, exchange).await, Ok(Ok(()))) {
                                tracing::debug!("an exchange on the owner's socket ended early");
                            }
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the owner's socket refused a connection");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                }
            }
        }
        open.shutdown().await;
        let _ = std::fs::remove_file(path);
    }))
}

/// The system says only that a constant of its own was exceeded; people need to know what to do.
fn explained(error: std::io::Error, path: &Path) -> std::io::Error {
    if error.kind() != std::io::ErrorKind::InvalidInput {
        return error;
    }
    let length = path.as_os_str().len();
    let words = format!("its path has {length} bytes, and a socket's may have about 100: pass a shorter --data");
    std::io::Error::new(std::io::ErrorKind::InvalidInput, words)
}

async fn serve_one<Request, Reply, Answer>(
    mut stream: UnixStream,
    answer: Arc<dyn Fn(Request) -> Answer + Send + Sync>,
) -> std::io::Result<()>
where
    Request: DeserializeOwned,
    Reply: Serialize,
    Answer: Future<Output = Reply>,
{
    let request = read_message(&mut stream).await?;
    let reply = answer(request).await;
    write_message(&mut stream, &reply).await
}

/// Sends one request to the owner of `folder` and waits for its reply.
///
/// # Errors
/// [`OwnerError::Absent`] when nobody listens, [`OwnerError::Broken`] when the exchange fails.
pub(crate) async fn call<Request: Serialize, Reply: DeserializeOwned>(
    folder: &DataDir,
    request: &Request,
) -> Result<Reply, OwnerError> {
    let mut stream = UnixStream::connect(folder.owner_socket()).await.map_err(|_| OwnerError::Absent)?;
    let exchange = async {
        write_message(&mut stream, request).await?;
        read_message(&mut stream).await
    };
    match tokio::time::timeout(EXCHANGE_TIMEOUT, exchange).await {
        Ok(result) => result.map_err(OwnerError::Broken),
        Err(_) => Err(OwnerError::Broken(std::io::ErrorKind::TimedOut.into())),
    }
}

async fn write_message<T: Serialize>(stream: &mut UnixStream, message: &T) -> std::io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    stream.write_all(&bytes).await?;
    stream.shutdown().await
}

async fn read_message<T: DeserializeOwned>(stream: &mut UnixStream) -> std::io::Result<T> {
    let mut bytes = Vec::new();
    stream.take(MESSAGE_MAX_BYTES + 1).read_to_end(&mut bytes).await?;
    if bytes.len() as u64 > MESSAGE_MAX_BYTES {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "message too large"));
    }
    Ok(serde_json::from_slice(&bytes)?)
}
