//! RPC through RabbitMQ by lapin, with the exchanges and queues of perf-battle's own pair: a direct exchange and a durable
//! queue for requests, and the same for the replies of each client. Consumers acknowledge automatically, and nothing is
//! confirmed. lapin sets TCP_NODELAY itself.

use crate::contract::{Answers, Options, fail};
use crate::measure::{Pipe, Receiver, Sender};
use crate::{Outcome, Served, Transport};
use bytes::Bytes;
use futures_util::StreamExt;
use lapin::options::{
    BasicConsumeOptions, BasicPublishOptions, ExchangeDeclareOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::uri::{AMQPAuthority, AMQPUri, AMQPUserInfo};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties, Consumer, ExchangeKind};
use std::sync::Arc;
use tokio::task::JoinHandle;

const REQUEST_KEY: &str = "request";
const QUEUE_EXPIRES_MS: i32 = 60_000;
const HEARTBEAT_S: u16 = 10;

pub struct RabbitMq;

impl Transport for RabbitMq {
    const LIBRARY: (&'static str, &'static str) = ("lapin", env!("VERSION_lapin"));
    type Client = Pipe<Requests, Replies>;

    async fn serve(options: &Options, answers: Arc<Answers>) -> Outcome<Served> {
        let (connection, channel) = open(options).await?;
        let (requests, replies) = names(options);
        for exchange in [&requests, &replies] {
            let how = ExchangeDeclareOptions { durable: true, auto_delete: true, ..Default::default() };
            channel
                .exchange_declare(exchange.as_str().into(), ExchangeKind::Direct, how, FieldTable::default())
                .await?;
        }
        declare_queue(&channel, &requests, false).await?;
        // An exchange ends with its last binding: the second one keeps that of the replies.
        for (exchange, key) in [(&requests, REQUEST_KEY), (&replies, &requests)] {
            bind(&channel, &requests, exchange, key).await?;
        }
        let mut consumer = consume(&channel, &requests).await?;
        let replying = channel.clone();
        let answering = tokio::spawn(async move {
            while let Some(Ok(request)) = consumer.next().await {
                let properties = &request.properties;
                let Some(body) = answers.to(request.data.into()) else { continue };
                let (Some(to), Some(id)) = (properties.reply_to(), properties.correlation_id()) else { continue };
                let mode = properties.delivery_mode().unwrap_or(1);
                let how = BasicProperties::default().with_correlation_id(id.clone()).with_delivery_mode(mode);
                let (to, exchange) = (to.clone(), replies.as_str().into());
                if replying.basic_publish(exchange, to, BasicPublishOptions::default(), &body, how).await.is_err() {
                    break;
                }
            }
            fail("the connection to the broker was lost");
        });
        let declared = Declared { connection, channel, queue: requests, answering: answering };
        Ok(Served { address: None, close: Some(declared) })
    }

    async fn connect(options: &Options) -> Outcome<Self::Client> {
        let (connection, channel) = open(options).await?;
        let (requests, replies) = names(options);
        let reply_to = format!("{replies}-{}-{}", options.client, std::process::id());
        declare_queue(&channel, &reply_to, true).await?;
        bind(&channel, &reply_to, &replies, &reply_to).await?;
        let consumer = consume(&channel, &reply_to).await?;
        let mode = options.delivery_mode;
        Ok(Pipe(
            Requests { connection, channel, exchange: requests, reply_to, mode, sent: 0 },
            Replies { consumer, received: 0 },
        ))
    }
}

/// Of the exchanges of requests and replies. The queue of the requests has the name of theirs.
fn names(options: &Options) -> (String, String) {
    (format!("{}-requests", options.prefix), format!("{}-replies", options.prefix))
}

async fn open(options: &Options) -> Outcome<(Connection, Channel)> {
    let broker = match &options.broker {
        Some(broker) if broker.protocol.as_deref() == Some("amqp") => broker,
        _ => return Err("this program needs RabbitMQ over amqp: --broker-kind rabbitmq".into()),
    };
    let userinfo = AMQPUserInfo { username: broker.username.clone(), password: broker.password.clone() };
    let authority = AMQPAuthority { userinfo, host: broker.hostname.clone(), port: broker.port };
    let vhost = broker.vhost.clone().unwrap_or_else(|| "/".into());
    let mut uri = AMQPUri { authority, vhost, ..AMQPUri::default() };
    uri.query.heartbeat = Some(HEARTBEAT_S);
    let connection = Connection::connect_uri(uri, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    Ok((connection, channel))
}

async fn declare_queue(channel: &Channel, name: &str, auto_delete: bool) -> Outcome<()> {
    let mut arguments = FieldTable::default();
    arguments.insert("x-expires".into(), AMQPValue::LongInt(QUEUE_EXPIRES_MS));
    arguments.insert("x-queue-type".into(), AMQPValue::LongString("classic".into()));
    let how = QueueDeclareOptions { durable: true, auto_delete, ..Default::default() };
    channel.queue_declare(name.into(), how, arguments).await?;
    Ok(())
}

async fn bind(channel: &Channel, queue: &str, exchange: &str, key: &str) -> Outcome<()> {
    channel.queue_bind(queue.into(), exchange.into(), key.into(), Default::default(), FieldTable::default()).await?;
    Ok(())
}

async fn consume(channel: &Channel, queue: &str) -> Outcome<Consumer> {
    let how = BasicConsumeOptions { no_ack: true, ..Default::default() };
    Ok(channel.basic_consume(queue.into(), "".into(), how, FieldTable::default()).await?)
}

/// What a server deletes at its end.
pub struct Declared {
    connection: Connection,
    channel: Channel,
    queue: String,
    answering: JoinHandle<()>,
}

impl Declared {
    /// What cannot be deleted expires.
    pub async fn close(self) {
        self.answering.abort();
        let _ = self.channel.queue_delete(self.queue.as_str().into(), QueueDeleteOptions::default()).await;
        let _ = self.connection.close(200, "".into()).await;
    }
}

pub struct Requests {
    #[allow(dead_code, reason = "the connection ends with it")]
    connection: Connection,
    channel: Channel,
    exchange: String,
    reply_to: String,
    mode: u8,
    sent: u64,
}

impl Sender for Requests {
    async fn send(&mut self, request: Bytes) -> Outcome<()> {
        self.sent += 1;
        let how = BasicProperties::default()
            .with_correlation_id(self.sent.to_string().into())
            .with_reply_to(self.reply_to.as_str().into());
        self.publish(request, how).await
    }

    async fn post(&mut self, message: Bytes) -> Outcome<()> {
        self.publish(message, BasicProperties::default()).await
    }
}

impl Requests {
    async fn publish(&mut self, request: Bytes, how: BasicProperties) -> Outcome<()> {
        let how = how.with_delivery_mode(self.mode);
        let (exchange, key) = (self.exchange.as_str().into(), REQUEST_KEY.into());
        let options = BasicPublishOptions { mandatory: true, ..Default::default() };
        self.channel.basic_publish(exchange, key, options, &request, how).await?;
        Ok(())
    }
}

/// Replies come in the order of the requests.
pub struct Replies {
    consumer: Consumer,
    received: u64,
}

impl Receiver for Replies {
    async fn receive(&mut self) -> Outcome<Bytes> {
        self.received += 1;
        let reply = self.consumer.next().await.ok_or("the connection to the broker was lost")??;
        let id = reply.properties.correlation_id().as_ref().map_or("none", |id| id.as_str());
        if id != self.received.to_string() {
            return Err(format!("the reply to request {id} came in place of that to request {}", self.received).into());
        }
        Ok(reply.data.into())
    }
}
