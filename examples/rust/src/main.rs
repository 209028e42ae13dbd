//! Servers and clients over five transports, each with the library that Rust's users take, for `perf-battle --external`.
//! README.md beside this folder shows how to build and run them, docs/adapter-contract.md what they read and write.
//!
//! `perf-battle-rust tcp|http|websocket|grpc|rabbitmq server|client`

mod contract;
mod grpc;
mod http;
mod measure;
mod one_way;
mod rabbitmq;
mod tcp;
mod websocket;

use bytes::Bytes;
use contract::{Answers, Options};
use std::future::Future;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};

pub type Failure = Box<dyn std::error::Error + Send + Sync>;
pub type Outcome<T> = Result<T, Failure>;

/// As much as perf-battle allows, and what encodings add.
pub const MAX_MESSAGE_BYTES: usize = 65 << 20;

/// Both ends of a transport.
pub trait Transport: 'static {
    /// The library and its version, as Cargo.lock has it.
    const LIBRARY: (&'static str, &'static str);
    type Client: measure::Client;
    fn serve(options: &Options, answers: Arc<Answers>) -> impl Future<Output = Outcome<Served>> + Send;
    fn connect(options: &Options) -> impl Future<Output = Outcome<Self::Client>> + Send;
}

/// What runs after `serve`.
pub struct Served {
    /// Where clients connect to; none: through a broker.
    pub address: Option<String>,
    /// A server that must tidy up has its connection here.
    pub close: Option<rabbitmq::Declared>,
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_server = match words.get(1).map(String::as_str) {
        Some("server") if words.len() == 2 => true,
        Some("client") if words.len() == 2 => false,
        _ => usage(),
    };
    match words[0].as_str() {
        "tcp" => contract::run::<tcp::Tcp>(is_server).await,
        "http" => contract::run::<http::Http>(is_server).await,
        "websocket" => contract::run::<websocket::WebSockets>(is_server).await,
        "grpc" => contract::run::<grpc::Grpc>(is_server).await,
        "rabbitmq" => contract::run::<rabbitmq::RabbitMq>(is_server).await,
        _ => usage(),
    }
}

fn usage() -> ! {
    eprintln!("Usage: perf-battle-rust tcp|http|websocket|grpc|rabbitmq server|client");
    std::process::exit(2)
}

pub async fn listen(options: &Options) -> Outcome<(TcpListener, Served)> {
    let port = options.server_port;
    let listener = match options.listen_address.as_deref() {
        Some(host) => TcpListener::bind((host, port)).await?,
        None => match TcpListener::bind(("::", port)).await {
            Ok(listener) => listener,
            // A host without IPv6.
            Err(_) => TcpListener::bind(("0.0.0.0", port)).await?,
        },
    };
    let address = Some(listener.local_addr()?.to_string());
    Ok((listener, Served { address, close: None }))
}

/// Serves each connection in a task of its own.
pub fn accept<Serving: Future<Output = ()> + Send + 'static>(
    listener: TcpListener,
    no_delay: bool,
    serve: impl Fn(TcpStream) -> Serving + Send + 'static,
) {
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if stream.set_nodelay(no_delay).is_ok() {
                tokio::spawn(serve(stream));
            }
        }
    });
}

pub async fn dial(options: &Options) -> Outcome<TcpStream> {
    let stream = TcpStream::connect(options.server()?).await?;
    stream.set_nodelay(options.no_delay)?;
    Ok(stream)
}

/// Bytes that nothing else refers to are changed in place.
pub fn changed(bytes: Bytes, change: impl FnOnce(&mut [u8])) -> Bytes {
    let mut own = bytes.try_into_mut().unwrap_or_else(|shared| shared[..].into());
    change(&mut own);
    own.freeze()
}
