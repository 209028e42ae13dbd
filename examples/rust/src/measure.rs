//! What the client measures: only sending a request and receiving its reply is timed.

use crate::contract::{Options, Part, fail, write};
use crate::one_way::closing_call;
use crate::{Outcome, changed};
use bytes::Bytes;
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::future::Future;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::unbounded_channel;

/// Sends requests.
pub trait Sender: Send + 'static {
    fn send(&mut self, request: Bytes) -> impl Future<Output = Outcome<()>> + Send;

    /// Sends a message one way.
    fn post(&mut self, message: Bytes) -> impl Future<Output = Outcome<()>> + Send {
        self.send(message)
    }
}

/// Receives replies, in the order of the requests.
pub trait Receiver: Send + 'static {
    fn receive(&mut self) -> impl Future<Output = Outcome<Bytes>> + Send;
}

/// Makes calls. Clones of a caller make calls at the same time.
pub trait Caller: Clone + Send + 'static {
    fn call(&mut self, request: Bytes) -> impl Future<Output = Outcome<Bytes>> + Send;
    /// Sends messages one way until the run takes no more, and none lacks an answer.
    fn post_all(&mut self, run: &Arc<Run>, window: &mut [Request]) -> impl Future<Output = Outcome<()>> + Send;
}

/// Either `Pipe` or `Calls`.
pub trait Client: Send + 'static {
    fn exchange(&mut self, run: &Arc<Run>, window: &mut [Request]) -> impl Future<Output = Outcome<()>> + Send;
    fn post_all(&mut self, run: &Arc<Run>, window: &mut [Request]) -> impl Future<Output = Outcome<()>> + Send;
    fn call(&mut self, request: Bytes) -> impl Future<Output = Outcome<Bytes>> + Send;
}

pub struct Pipe<S, R>(pub S, pub R);

pub struct Calls<C>(pub C);

static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

pub fn now() -> i64 {
    ORIGIN.elapsed().as_nanos() as i64
}

pub const NUMBER_BYTES: usize = 8;

/// Requests so far: each has a number of its own.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A place of the window. Its bytes are random; the number of the request is in the first eight.
#[derive(Clone)]
pub struct Request {
    bytes: Bytes,
    /// When it was sent, in ns; 0 while it is not in flight.
    since: Arc<AtomicI64>,
}

impl Request {
    fn prepare(&mut self, number: u64) {
        let number = number.to_be_bytes();
        self.bytes = changed(std::mem::take(&mut self.bytes), |bytes| {
            let size = bytes.len().min(NUMBER_BYTES);
            bytes[..size].copy_from_slice(&number[NUMBER_BYTES - size..]);
        });
    }

    fn begin(&mut self) -> Bytes {
        self.begin_as(NUMBER.fetch_add(1, Relaxed) + 1)
    }

    fn begin_as(&mut self, number: u64) -> Bytes {
        self.prepare(number);
        self.since.store(now(), Relaxed);
        self.bytes.clone()
    }

    pub fn end(&self) -> i64 {
        let lasted = now() - self.since.load(Relaxed);
        self.since.store(0, Relaxed);
        lasted
    }
}

#[derive(Default)]
struct Found {
    samples_ns: Vec<i64>,
    verified: u64,
    corrupted: u64,
    mismatch: Option<String>,
}

/// A part of a measurement, and what was found in it.
pub struct Run {
    left: AtomicI64,
    until_ns: i64,
    is_incremented: bool,
    verify: u64,
    /// In the highest two bytes of the number of a message one way.
    client: u64,
    posted: AtomicU64,
    found: Mutex<Found>,
}

impl Run {
    fn new(options: &Options, part: &Part) -> Self {
        let samples_ns = Vec::with_capacity(1 << 18);
        Run {
            left: AtomicI64::new(part.samples.map_or(i64::MAX, |samples| samples as i64)),
            until_ns: part.duration_ms.map_or(i64::MAX, |ms| now() + (ms * 1e6) as i64),
            is_incremented: options.is_incremented(),
            verify: if options.workload == "rtt" { 1 } else { options.verify.max(1) },
            client: options.client,
            posted: AtomicU64::new(0),
            found: Mutex::new(Found { samples_ns, ..Found::default() }),
        }
    }

    fn takes(&self) -> bool {
        now() < self.until_ns && self.left.fetch_sub(1, Relaxed) > 0
    }

    /// The next message one way.
    pub fn next_post(&self, place: &mut Request) -> Option<Bytes> {
        self.takes().then(|| place.begin_as(self.client << 48 | self.posted.fetch_add(1, Relaxed)))
    }

    pub fn posted(&self) -> u64 {
        self.posted.load(Relaxed)
    }

    /// Compares each byte of one in `verify` replies; of the others, the length and the number.
    fn note(&self, sample_ns: i64, request: &[u8], reply: &[u8]) {
        let mut found = self.found.lock().expect("no holder panics");
        let is_whole = found.samples_ns.len() as u64 % self.verify == 0;
        found.samples_ns.push(sample_ns);
        // Other calls need not wait for it.
        drop(found);
        let bound = if is_whole { request.len() } else { request.len().min(NUMBER_BYTES) };
        let is_right = reply.len() == request.len() && self.is_equal(&request[..bound], &reply[..bound]);
        if !is_whole && is_right {
            return;
        }
        let mut found = self.found.lock().expect("no holder panics");
        found.verified += u64::from(is_whole);
        if !is_right {
            found.corrupted += 1;
            let mismatch =
                || format!("a reply of {} bytes is not that to its request of {}", reply.len(), request.len());
            found.mismatch.get_or_insert_with(mismatch);
        }
    }

    fn is_equal(&self, request: &[u8], reply: &[u8]) -> bool {
        if !self.is_incremented {
            return request == reply;
        }
        request.iter().zip(reply).all(|(one, other)| one.wrapping_add(1) == *other)
    }
}

impl<S: Sender, R: Receiver> Client for Pipe<S, R> {
    /// Sends and receives at the same time, because a server may not read while its replies are not read. A request begins
    /// when its place is free, and replies come in the order of the places.
    async fn exchange(&mut self, run: &Arc<Run>, window: &mut [Request]) -> Outcome<()> {
        let Pipe(sender, receiver) = self;
        if let [one] = window {
            while run.takes() {
                sender.send(one.begin()).await?;
                let reply = receiver.receive().await?;
                run.note(one.end(), &one.bytes, &reply);
            }
            return Ok(());
        }
        let (begin, mut begun) = unbounded_channel();
        let sending = async {
            while let Some(request) = begun.recv().await {
                sender.send(request).await?;
            }
            Ok(())
        };
        let receiving = async move {
            let mut in_flight = 0;
            for one in window.iter_mut() {
                if run.takes() {
                    begin.send(one.begin())?;
                    in_flight += 1;
                }
            }
            for next in (0..window.len()).cycle() {
                if in_flight == 0 {
                    break;
                }
                let one = &mut window[next];
                let reply = receiver.receive().await?;
                run.note(one.end(), &one.bytes, &reply);
                if run.takes() {
                    begin.send(one.begin())?;
                } else {
                    in_flight -= 1;
                }
            }
            Ok(())
        };
        tokio::try_join!(sending, receiving).map(|_| ())
    }

    async fn post_all(&mut self, run: &Arc<Run>, window: &mut [Request]) -> Outcome<()> {
        let one = &mut window[0];
        while let Some(message) = run.next_post(one) {
            self.0.post(message).await?;
        }
        one.end();
        Ok(())
    }

    async fn call(&mut self, request: Bytes) -> Outcome<Bytes> {
        self.0.send(request).await?;
        self.1.receive().await
    }
}

impl<C: Caller> Client for Calls<C> {
    /// As many tasks as there are requests in flight.
    async fn exchange(&mut self, run: &Arc<Run>, window: &mut [Request]) -> Outcome<()> {
        let call_all = |mut caller: C, run: Arc<Run>, mut one: Request| async move {
            while run.takes() {
                let reply = caller.call(one.begin()).await?;
                run.note(one.end(), &one.bytes, &reply);
            }
            Outcome::Ok(())
        };
        if let [one] = window {
            return call_all(self.0.clone(), run.clone(), one.clone()).await;
        }
        let tasks = window.iter().map(|one| tokio::spawn(call_all(self.0.clone(), run.clone(), one.clone())));
        try_join_all(tasks).await?.into_iter().collect()
    }

    async fn post_all(&mut self, run: &Arc<Run>, window: &mut [Request]) -> Outcome<()> {
        self.0.post_all(run, window).await
    }

    async fn call(&mut self, request: Bytes) -> Outcome<Bytes> {
        self.0.call(request).await
    }
}

pub struct Measurer<C> {
    state: tokio::sync::Mutex<State<C>>,
}

struct State<C> {
    client: C,
    options: Options,
    window: Vec<Request>,
    discarded: usize,
}

impl<C: Client> Measurer<C> {
    pub fn new(client: C, options: &Options) -> Self {
        let place = || Request { bytes: Bytes::new(), since: Arc::default() };
        let window: Vec<Request> = std::iter::repeat_with(place).take(options.window).collect();
        watch(window.clone(), options.timeout());
        Measurer { state: tokio::sync::Mutex::new(State { client, options: options.clone(), window, discarded: 0 }) }
    }

    pub async fn configure(&self, options: Options) -> Outcome<()> {
        let mut state = self.state.lock().await;
        if options.window != state.window.len() {
            return Err(format!("this program keeps its window of {} requests", state.window.len()).into());
        }
        state.options = options;
        Ok(())
    }

    pub async fn warm_up(&self) -> Outcome<()> {
        let mut state = self.state.lock().await;
        state.discarded = 0;
        if state.options.is_one_way() {
            for part in state.options.warm_up.clone() {
                state.discarded += state.post(&part).await? as usize;
            }
            write(json!({"event": "progress", "phase": "warm", "sent": state.discarded}));
            return Ok(());
        }
        for part in state.options.warm_up.clone() {
            let (found, _) = state.exchange(&part).await?;
            state.discarded += found.samples_ns.len();
        }
        write(json!({"event": "progress", "phase": "warm"}));
        Ok(())
    }

    pub async fn measure(&self) -> Outcome<()> {
        let mut state = self.state.lock().await;
        let part = state.options.measured();
        if state.options.is_one_way() {
            return state.measure_one_way(&part).await;
        }
        let (found, duration_ns) = state.exchange(&part).await?;
        write(json!({"event": "progress", "phase": "measured"}));
        let received = found.samples_ns.len();
        let mut result = json!({"event": "result", "received": received, "verified": found.verified,
            "corrupted": found.corrupted, "discarded": state.discarded, "durationMs": duration_ns as f64 / 1e6});
        result["samplesNs"] = Value::from(found.samples_ns);
        if let Some(mismatch) = found.mismatch {
            result["mismatch"] = mismatch.into();
        }
        write(result);
        Ok(())
    }
}

impl<C: Client> State<C> {
    async fn exchange(&mut self, part: &Part) -> Outcome<(Found, i64)> {
        let mut random = Random::new(self.options.seed ^ (self.options.client << 48));
        for one in &mut self.window {
            one.bytes = random.bytes(part.payload_bytes);
        }
        let run = Arc::new(Run::new(&self.options, part));
        let begun = now();
        self.client.exchange(&run, &mut self.window).await?;
        let duration_ns = now() - begun;
        let found = std::mem::take(&mut *run.found.lock().expect("no holder panics"));
        Ok((found, duration_ns))
    }

    async fn measure_one_way(&mut self, part: &Part) -> Outcome<()> {
        let begun = now();
        let sent = self.post(part).await?;
        if self.options.closing_call {
            let one = &mut self.window[0];
            one.since.store(now(), Relaxed);
            self.client.call(closing_call()).await?;
            one.end();
        }
        let duration_ms = (now() - begun) as f64 / 1e6;
        write(json!({"event": "progress", "phase": "measured", "sent": sent}));
        write(json!({"event": "result", "sent": sent, "durationMs": duration_ms, "discarded": self.discarded}));
        Ok(())
    }

    /// Sends messages one way. All have the same content, apart from their numbers.
    async fn post(&mut self, part: &Part) -> Outcome<u64> {
        let content = Random::new(self.options.seed).bytes(part.payload_bytes);
        for one in &mut self.window {
            one.bytes = Bytes::copy_from_slice(&content);
        }
        let run = Arc::new(Run::new(&self.options, part));
        self.client.post_all(&run, &mut self.window).await?;
        Ok(run.posted())
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn bytes(&mut self, length: usize) -> Bytes {
        let words = std::iter::repeat_with(|| {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let one = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let two = (one ^ (one >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (two ^ (two >> 31)).to_be_bytes()
        });
        let bytes: Vec<u8> = words.flatten().take(length).collect();
        bytes.into()
    }
}

/// Ends this program when a reply has not come in time: there is one task for all requests, not a timer for each.
fn watch(window: Vec<Request>, timeout: Duration) {
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_millis(50));
        loop {
            ticks.tick().await;
            let is_late = |one: &Request| {
                let since = one.since.load(Relaxed);
                since != 0 && now() - since > timeout.as_nanos() as i64
            };
            if window.iter().any(is_late) {
                fail(format!("no reply came within {timeout:?}"));
            }
        }
    });
}
