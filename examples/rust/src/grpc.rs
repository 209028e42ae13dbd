//! Unary calls of the service in src/transports/grpc/battle.proto, and its stream of messages one way, by tonic. Its
//! message has bytes in field 1, as prost's BytesValue has, which is `Bytes`, so that no code is generated here.

use crate::contract::{Answers, Options};
use crate::measure::{Caller, Calls, Request as Place, Run};
use crate::{MAX_MESSAGE_BYTES, Outcome, Served, Transport, listen};
use bytes::Bytes;
use futures_util::stream;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::server::{ClientStreamingService, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

type Codec = ProstCodec<Bytes, Bytes>;

/// The server answers a stream with the number of its messages, which prost has as UInt64Value.
type ReceivedCodec = ProstCodec<u64, Bytes>;
type PostsCodec = ProstCodec<Bytes, u64>;

const SEND: &str = "/perfbattle.Battle/Send";
const EXCHANGE: &str = "/perfbattle.Battle/Exchange";
/// That of perf-battle's own pair.
const WINDOW_BYTES: u32 = 1 << 20;

pub struct Grpc;

impl Transport for Grpc {
    const LIBRARY: (&'static str, &'static str) = ("tonic", env!("VERSION_tonic"));
    type Client = Calls<GrpcCaller>;

    async fn serve(options: &Options, answers: Arc<Answers>) -> Outcome<Served> {
        let (listener, served) = listen(options).await?;
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(options.no_delay));
        let server = Server::builder()
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .serve_with_incoming(Battle(answers), incoming);
        tokio::spawn(server);
        Ok(served)
    }

    async fn connect(options: &Options) -> Outcome<Self::Client> {
        let channel = Endpoint::from_shared(format!("http://{}", options.server()?))?
            .tcp_nodelay(options.no_delay)
            .connect_timeout(options.timeout())
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .connect()
            .await?;
        let client = tonic::client::Grpc::new(channel);
        Ok(Calls(GrpcCaller(client.max_decoding_message_size(MAX_MESSAGE_BYTES))))
    }
}

#[derive(Clone)]
struct Battle(Arc<Answers>);

/// What tonic-build would generate.
impl Service<tonic::codegen::http::Request<Body>> for Battle {
    type Response = tonic::codegen::http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: tonic::codegen::http::Request<Body>) -> Self::Future {
        let battle = self.clone();
        Box::pin(async move {
            if request.uri().path() == SEND {
                let mut grpc =
                    tonic::server::Grpc::new(ReceivedCodec::default()).max_decoding_message_size(MAX_MESSAGE_BYTES);
                return Ok(grpc.client_streaming(battle, request).await);
            }
            if request.uri().path() != EXCHANGE {
                return Ok(Status::unimplemented("there are only Exchange and Send").into_http());
            }
            let mut grpc = tonic::server::Grpc::new(Codec::default()).max_decoding_message_size(MAX_MESSAGE_BYTES);
            Ok(grpc.unary(battle, request).await)
        })
    }
}

impl UnaryService<Bytes> for Battle {
    type Response = Bytes;
    type Future = Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        ready(Ok(Response::new(self.0.to(request.into_inner()).unwrap_or_default())))
    }
}

impl ClientStreamingService<Bytes> for Battle {
    type Response = u64;
    type Future = Pin<Box<dyn Future<Output = Result<Response<u64>, Status>> + Send>>;

    fn call(&mut self, request: Request<Streaming<Bytes>>) -> Self::Future {
        let answers = self.0.clone();
        Box::pin(async move {
            let mut messages = request.into_inner();
            let mut count = 0;
            while let Some(message) = messages.message().await? {
                answers.to(message);
                count += 1;
            }
            Ok(Response::new(count))
        })
    }
}

#[derive(Clone)]
pub struct GrpcCaller(tonic::client::Grpc<Channel>);

impl Caller for GrpcCaller {
    async fn call(&mut self, request: Bytes) -> Outcome<Bytes> {
        self.0.ready().await?;
        let path = PathAndQuery::from_static(EXCHANGE);
        let reply = self.0.unary(Request::new(request), path, Codec::default()).await?;
        Ok(reply.into_inner())
    }

    /// One stream, which takes the next message when it has room.
    async fn post_all(&mut self, run: &Arc<Run>, window: &mut [Place]) -> Outcome<()> {
        self.0.ready().await?;
        let (posting, mut place) = (run.clone(), window[0].clone());
        let messages = stream::iter(std::iter::from_fn(move || posting.next_post(&mut place)));
        let path = PathAndQuery::from_static(SEND);
        let reply = self.0.client_streaming(Request::new(messages), path, PostsCodec::default()).await?;
        window[0].end();
        let (handled, posted) = (reply.into_inner(), run.posted());
        if handled != posted {
            return Err(format!("the server handled {handled} of {posted} messages").into());
        }
        Ok(())
    }
}
