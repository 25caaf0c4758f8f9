//! Where connections come from: a TCP listener, with or without TLS in front of HTTP.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Connections that wait to be accepted. The kernel cuts it down to its own limit.
const BACKLOG: u32 = 4096;

/// A bound listener.
pub struct Listener {
    pub(super) tcp: TcpListener,
    pub(super) tls: Option<TlsAcceptor>,
}

impl Listener {
    /// A listener whose connections begin with a TLS handshake. The acceptor brings certificate,
    /// versions and the protocols it offers.
    pub fn with_tls(tcp: TcpListener, acceptor: TlsAcceptor) -> Listener {
        Listener { tcp, tls: Some(acceptor) }
    }

    pub(super) async fn accept(&self) -> io::Result<TcpStream> {
        self.tcp.accept().await.map(|(stream, _)| stream)
    }
}

impl From<TcpListener> for Listener {
    fn from(tcp: TcpListener) -> Listener {
        Listener { tcp, tls: None }
    }
}

/// Binds a listener with a backlog that a burst of clients fits in.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
