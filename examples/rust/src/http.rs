//! HTTP/1.1 by hyper: the payload is the body of a POST, and of its response. A message one way gets a response without
//! content.

use crate::contract::{Answers, Options};
use crate::measure::{Caller, Calls, Request as Place, Run};
use crate::{Outcome, Served, Transport, accept, listen};
use bytes::Bytes;
use futures_util::future::try_join_all;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::sync::Arc;

const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

pub struct Http;

impl Transport for Http {
    const LIBRARY: (&'static str, &'static str) = ("hyper", env!("VERSION_hyper"));
    type Client = Calls<HttpCaller>;

    async fn serve(options: &Options, answers: Arc<Answers>) -> Outcome<Served> {
        let (listener, served) = listen(options).await?;
        accept(listener, options.no_delay, move |stream| {
            let answers = answers.clone();
            let answer = service_fn(move |request: Request<Incoming>| {
                let answers = answers.clone();
                async move {
                    let body = request.into_body().collect().await?.to_bytes();
                    let Some(reply) = answers.to(body) else {
                        let mut response = Response::new(Full::default());
                        *response.status_mut() = StatusCode::NO_CONTENT;
                        return Ok(response);
                    };
                    let mut response = Response::new(Full::new(reply));
                    response.headers_mut().insert(CONTENT_TYPE, OCTETS);
                    hyper::Result::Ok(response)
                }
            });
            let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
            async move { drop(serving.await) }
        });
        Ok(served)
    }

    async fn connect(options: &Options) -> Outcome<Self::Client> {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(options.no_delay);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        let uri = format!("http://{}/", options.server()?).parse()?;
        Ok(Calls(HttpCaller { client, uri }))
    }
}

/// Its clones share a pool of connections.
#[derive(Clone)]
pub struct HttpCaller {
    client: Client<HttpConnector, Full<Bytes>>,
    uri: Uri,
}

impl Caller for HttpCaller {
    async fn call(&mut self, request: Bytes) -> Outcome<Bytes> {
        self.exchange(request, StatusCode::OK).await
    }

    /// As many tasks as the window has places, each of which waits for its response.
    async fn post_all(&mut self, run: &Arc<Run>, window: &mut [Place]) -> Outcome<()> {
        let post = |caller: HttpCaller, run: Arc<Run>, mut one: Place| async move {
            while let Some(message) = run.next_post(&mut one) {
                caller.exchange(message, StatusCode::NO_CONTENT).await?;
            }
            one.end();
            Outcome::Ok(())
        };
        let tasks = window.iter().map(|one| tokio::spawn(post(self.clone(), run.clone(), one.clone())));
        try_join_all(tasks).await?.into_iter().collect()
    }
}

impl HttpCaller {
    async fn exchange(&self, request: Bytes, status: StatusCode) -> Outcome<Bytes> {
        let post = Request::post(self.uri.clone()).header(CONTENT_TYPE, OCTETS).body(Full::new(request))?;
        let response = self.client.request(post).await?;
        if response.status() != status {
            return Err(format!("the HTTP server answered {}", response.status()).into());
        }
        Ok(response.into_body().collect().await?.to_bytes())
    }
}
