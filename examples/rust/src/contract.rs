//! The lines between the battle and this program.

use crate::measure::Measurer;
use crate::one_way::{Arrivals, is_closing_call};
use crate::{Failure, Outcome, Transport, changed};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A part of a measurement. What is not bounded is none.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    pub payload_bytes: usize,
    pub samples: Option<u64>,
    pub duration_ms: Option<f64>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct Broker {
    pub hostname: String,
    pub port: u16,
    pub username: String,
    pub password: String,
    pub vhost: Option<String>,
    pub protocol: Option<String>,
}

/// The battle leaves out what a role, a workload or a broker does not need.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    pub workload: String,
    pub payload_bytes: usize,
    pub samples: Option<u64>,
    pub duration_ms: Option<f64>,
    pub reply: String,
    pub seed: u64,
    pub client: u64,
    pub window: usize,
    pub verify: u64,
    pub timeout_ms: f64,
    pub no_delay: bool,
    pub listen_address: Option<String>,
    pub server_port: u16,
    pub servers: Vec<String>,
    pub warm_up: Vec<Part>,
    pub prefix: String,
    pub delivery_mode: u8,
    pub closing_call: bool,
    pub broker: Option<Broker>,
}

impl Options {
    pub fn measured(&self) -> Part {
        Part { payload_bytes: self.payload_bytes, samples: self.samples, duration_ms: self.duration_ms }
    }

    pub fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout_ms / 1000.0)
    }

    pub fn server(&self) -> Outcome<&String> {
        Ok(self.servers.first().ok_or("the battle named no server")?)
    }

    pub fn is_incremented(&self) -> bool {
        self.reply == "increment"
    }

    pub fn is_one_way(&self) -> bool {
        self.workload == "stream"
    }

    fn refuse(&self) -> Outcome<()> {
        if !["rtt", "pipeline", "stream"].contains(&self.workload.as_str()) {
            return Err(format!("this program measures rtt, pipeline and stream, not {}", self.workload).into());
        }
        if !["echo", "increment"].contains(&self.reply.as_str()) {
            return Err(format!(
                "this program replies with an echo, or with each byte plus one, not with {}",
                self.reply
            )
            .into());
        }
        Ok(())
    }
}

/// What all connections of a server share.
#[derive(Default)]
pub struct Answers {
    served: AtomicU64,
    is_incremented: AtomicBool,
    is_one_way: AtomicBool,
    arrivals: Mutex<Arrivals>,
}

impl Answers {
    fn configure(&self, options: &Options) {
        self.is_incremented.store(options.is_incremented(), Relaxed);
        self.is_one_way.store(options.is_one_way(), Relaxed);
        if options.is_one_way() {
            *self.arrivals.lock().expect("no holder panics") = Arrivals::new(options);
        }
    }

    /// Counts a request, and makes its reply. A message one way has none.
    pub fn to(&self, request: Bytes) -> Option<Bytes> {
        if self.is_one_way.load(Relaxed) && !is_closing_call(&request) {
            self.arrivals.lock().expect("no holder panics").add(&request);
            return None;
        }
        self.served.fetch_add(1, Relaxed);
        if !self.is_incremented.load(Relaxed) {
            return Some(request);
        }
        Some(changed(request, |bytes| bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1))))
    }

    fn mark(&self) -> Value {
        let served = self.served.swap(0, Relaxed);
        if !self.is_one_way.load(Relaxed) {
            return json!({"event": "progress", "phase": "mark", "served": served});
        }
        self.arrivals.lock().expect("no holder panics").mark()
    }

    fn count(&self) -> Value {
        let received = self.arrivals.lock().expect("no holder panics").messages;
        json!({"event": "progress", "phase": "count", "received": received})
    }
}

pub fn write(event: Value) {
    let mut output = std::io::stdout().lock();
    // The battle may be gone. Then the input ends, too.
    let _ = writeln!(output, "{event}").and_then(|()| output.flush());
}

pub fn fail(failure: impl std::fmt::Display) -> ! {
    write(json!({"event": "error", "message": failure.to_string()}));
    exit(1)
}

/// How long the battle may write nothing. It writes a line each second.
const SILENCE: Duration = Duration::from_secs(5);

/// Ends this program with its input, and when the battle is silent.
fn lines() -> UnboundedReceiver<Value> {
    let (read, given) = channel();
    let (forward, messages) = unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            let _ = read.send(line);
        }
    });
    std::thread::spawn(move || {
        loop {
            match given.recv_timeout(SILENCE) {
                Ok(line) => drop(serde_json::from_str(&line).map(|message| forward.send(message))),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => exit(0),
            }
        }
    });
    messages
}

pub async fn run<T: Transport>(is_server: bool) {
    let mut messages = lines();
    let ended = if is_server { serve::<T>(&mut messages).await } else { measure::<T>(&mut messages).await };
    match ended {
        Ok(()) => exit(0),
        Err(failure) => fail(failure),
    }
}

fn kind_of(message: &Value) -> &str {
    message["type"].as_str().unwrap_or("")
}

fn options_of(mut message: Value) -> Outcome<Options> {
    // The password is part of the options: what serde says of a mistake there is not shown.
    let options: Options = serde_json::from_value(message["options"].take())
        .map_err(|error| Failure::from(format!("the options cannot be read ({:?})", error.classify())))?;
    options.refuse()?;
    Ok(options)
}

fn ready<T: Transport>(options: &Options, mut event: Value) -> Value {
    event["event"] = "ready".into();
    let (library, version) = T::LIBRARY;
    event["details"] = json!({"rust": env!("VERSION_RUSTC"), library: version});
    if options.is_incremented() {
        event["reply"] = "increment".into();
    }
    event
}

async fn serve<T: Transport>(messages: &mut UnboundedReceiver<Value>) -> Outcome<()> {
    let answers = Arc::new(Answers::default());
    let mut served = None;
    while let Some(message) = messages.recv().await {
        match kind_of(&message) {
            "configure" => {
                let options = options_of(message)?;
                answers.configure(&options);
                if served.is_none() {
                    served = Some(T::serve(&options, answers.clone()).await?);
                }
                let address = served.as_ref().and_then(|one| one.address.clone());
                write(ready::<T>(&options, json!({"address": address})));
            }
            "mark" => write(answers.mark()),
            "count" => write(answers.count()),
            "stop" => break,
            _ => {}
        }
    }
    if let Some(declared) = served.and_then(|one| one.close) {
        declared.close().await;
    }
    Ok(())
}

/// Measures in tasks, so that lines are read meanwhile.
async fn measure<T: Transport>(messages: &mut UnboundedReceiver<Value>) -> Outcome<()> {
    let mut connected = None;
    while let Some(message) = messages.recv().await {
        match kind_of(&message) {
            "configure" => {
                let options = options_of(message)?;
                let measurer = match connected.take() {
                    Some(measurer) => measurer,
                    None => Arc::new(Measurer::new(T::connect(&options).await?, &options)),
                };
                let event = ready::<T>(&options, json!({}));
                measurer.configure(options).await?;
                connected = Some(measurer);
                write(event);
            }
            kind @ ("start" | "go") => {
                let Some(measurer) = connected.clone() else {
                    return Err("the battle did not configure this program".into());
                };
                let is_warm_up = kind == "start";
                tokio::spawn(async move {
                    let done = if is_warm_up { measurer.warm_up().await } else { measurer.measure().await };
                    done.unwrap_or_else(|failure| fail(failure));
                });
            }
            "stop" => break,
            _ => {}
        }
    }
    Ok(())
}
