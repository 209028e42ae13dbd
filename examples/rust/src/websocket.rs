//! Binary WebSocket messages over one connection, by tokio-tungstenite, which has no compression.

use crate::contract::{Answers, Options};
use crate::measure::{Pipe, Receiver, Sender};
use crate::{MAX_MESSAGE_BYTES, Outcome, Served, Transport, accept, dial, listen};
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, accept_async_with_config, client_async_with_config};

type Connection = WebSocketStream<TcpStream>;

pub struct WebSockets;

impl Transport for WebSockets {
    const LIBRARY: (&'static str, &'static str) = ("tokio-tungstenite", env!("VERSION_tokio-tungstenite"));
    type Client = Pipe<SplitSink<Connection, Message>, SplitStream<Connection>>;

    async fn serve(options: &Options, answers: Arc<Answers>) -> Outcome<Served> {
        let (listener, served) = listen(options).await?;
        accept(listener, options.no_delay, move |stream| {
            let answers = answers.clone();
            async move {
                let Ok(mut both) = accept_async_with_config(stream, limits()).await else { return };
                while let Ok(request) = both.receive().await {
                    let Some(reply) = answers.to(request) else { continue };
                    if both.send(Message::Binary(reply)).await.is_err() {
                        break;
                    }
                }
            }
        });
        Ok(served)
    }

    async fn connect(options: &Options) -> Outcome<Self::Client> {
        let stream = dial(options).await?;
        let url = format!("ws://{}/", options.server()?);
        let (connection, _) = client_async_with_config(url, stream, limits()).await?;
        let (sender, receiver) = connection.split();
        Ok(Pipe(sender, receiver))
    }
}

fn limits() -> Option<WebSocketConfig> {
    Some(WebSocketConfig::default().max_frame_size(Some(MAX_MESSAGE_BYTES)).max_message_size(Some(MAX_MESSAGE_BYTES)))
}

impl Sender for SplitSink<Connection, Message> {
    async fn send(&mut self, payload: Bytes) -> Outcome<()> {
        SinkExt::send(self, Message::Binary(payload)).await?;
        Ok(())
    }
}

impl<S: StreamExt<Item = Result<Message, tokio_tungstenite::tungstenite::Error>> + Unpin + Send + 'static> Receiver
    for S
{
    async fn receive(&mut self) -> Outcome<Bytes> {
        loop {
            match self.next().await {
                Some(message) => match message? {
                    Message::Binary(payload) => return Ok(payload),
                    Message::Ping(_) | Message::Pong(_) => {}
                    _ => return Err("the connection was closed".into()),
                },
                None => return Err("the connection ended".into()),
            }
        }
    }
}
