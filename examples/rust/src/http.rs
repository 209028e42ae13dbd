//! HTTP/1.1 by hyper: the payload is the body of a POST, and of its response.

use crate::contract::{Answers, Options};
use crate::measure::{Caller, Calls};
use crate::{Outcome, Served, Transport, accept, listen};
use bytes::Bytes;
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
                    let mut response = Response::new(Full::new(answers.to(body)));
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
        let post = Request::post(self.uri.clone()).header(CONTENT_TYPE, OCTETS).body(Full::new(request))?;
        let response = self.client.request(post).await?;
        if response.status() != StatusCode::OK {
            return Err(format!("the HTTP server answered {}", response.status()).into());
        }
        Ok(response.into_body().collect().await?.to_bytes())
    }
}
