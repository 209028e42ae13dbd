//! Raw TCP by tokio: a frame is a length of four bytes, the highest first, and the payload.

use crate::contract::{Answers, Options};
use crate::measure::{Pipe, Receiver, Sender};
use crate::{MAX_MESSAGE_BYTES, Outcome, Served, Transport, accept, dial, listen};
use bytes::{Buf, Bytes, BytesMut};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

const READ_BYTES: usize = 64 << 10;

pub struct Tcp;

impl Transport for Tcp {
    const LIBRARY: (&'static str, &'static str) = ("tokio", env!("VERSION_tokio"));
    type Client = Pipe<FrameSender, FrameReceiver>;

    async fn serve(options: &Options, answers: Arc<Answers>) -> Outcome<Served> {
        let (listener, served) = listen(options).await?;
        accept(listener, options.no_delay, move |stream| {
            let answers = answers.clone();
            async move {
                let Pipe(mut sender, mut receiver) = frames(stream);
                while let Ok(request) = receiver.receive().await {
                    let Some(reply) = answers.to(request) else { continue };
                    if sender.send(reply).await.is_err() {
                        break;
                    }
                }
            }
        });
        Ok(served)
    }

    async fn connect(options: &Options) -> Outcome<Self::Client> {
        Ok(frames(dial(options).await?))
    }
}

fn frames(stream: TcpStream) -> Pipe<FrameSender, FrameReceiver> {
    let (reading, writing) = stream.into_split();
    let reader = BufReader::with_capacity(READ_BYTES, reading);
    Pipe(FrameSender(writing), FrameReceiver { reader, payload: BytesMut::new() })
}

pub struct FrameSender(OwnedWriteHalf);

impl Sender for FrameSender {
    /// Writes both parts by one system call.
    async fn send(&mut self, payload: Bytes) -> Outcome<()> {
        let head = (payload.len() as u32).to_be_bytes();
        self.0.write_all_buf(&mut Buf::chain(&head[..], payload)).await?;
        Ok(())
    }
}

pub struct FrameReceiver {
    reader: BufReader<OwnedReadHalf>,
    /// Its memory is used again when the payload before is dropped.
    payload: BytesMut,
}

impl Receiver for FrameReceiver {
    async fn receive(&mut self) -> Outcome<Bytes> {
        let size = self.reader.read_u32().await? as usize;
        if size > MAX_MESSAGE_BYTES {
            return Err(format!("a frame declares {size} bytes").into());
        }
        self.payload.reserve(size);
        while self.payload.len() < size {
            let left = (size - self.payload.len()) as u64;
            if (&mut self.reader).take(left).read_buf(&mut self.payload).await? == 0 {
                return Err("the connection ended within a frame".into());
            }
        }
        Ok(self.payload.split().freeze())
    }
}
