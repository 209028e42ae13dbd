//! Messages one way. The first eight bytes of a message have the number of its client and its own number; the seed makes
//! the others.

use crate::contract::Options;
use crate::measure::{NUMBER_BYTES, Random, now};
use bytes::Bytes;
use serde_json::{Value, json};

/// The request that closes a stream has this size, and the number of no client.
const CLOSING_BYTES: usize = 16;
const CLOSING_CLIENT: [u8; 2] = [0xff, 0xff];

pub fn closing_call() -> Bytes {
    let mut request = vec![0; CLOSING_BYTES];
    request[..CLOSING_CLIENT.len()].copy_from_slice(&CLOSING_CLIENT);
    request.into()
}

pub fn is_closing_call(request: &[u8]) -> bool {
    request.len() == CLOSING_BYTES && request.starts_with(&CLOSING_CLIENT)
}

/// What has come over all connections since the last mark.
#[derive(Default)]
pub struct Arrivals {
    content: Bytes,
    verify: u64,
    pub messages: u64,
    verified: u64,
    corrupted: u64,
    mismatch: Option<String>,
    first_ns: i64,
    last_ns: i64,
}

impl Arrivals {
    pub fn new(options: &Options) -> Self {
        let content = Random::new(options.seed).bytes(options.payload_bytes);
        Arrivals { content, verify: options.verify.max(1), ..Arrivals::default() }
    }

    /// Compares one message in `verify`, and the length of each.
    pub fn add(&mut self, message: &[u8]) {
        self.last_ns = now();
        if self.messages == 0 {
            self.first_ns = self.last_ns;
        }
        let mut is_right = message.len() == self.content.len();
        if self.messages.is_multiple_of(self.verify) {
            self.verified += 1;
            is_right = is_right && message.iter().skip(NUMBER_BYTES).eq(self.content.iter().skip(NUMBER_BYTES));
        }
        self.messages += 1;
        if !is_right {
            self.corrupted += 1;
            let expected = self.content.len();
            let mismatch =
                || format!("a message of {} bytes does not have the {expected} bytes of its seed", message.len());
            self.mismatch.get_or_insert_with(mismatch);
        }
    }

    pub fn mark(&mut self) -> Value {
        let mut marked = json!({"event": "progress", "phase": "mark", "served": self.messages});
        if self.messages > 0 {
            let at_ns = now();
            marked["arrived"] = json!({"messages": self.messages, "verified": self.verified,
                "corrupted": self.corrupted, "mismatch": self.mismatch,
                "sinceFirstMs": (at_ns - self.first_ns) as f64 / 1e6,
                "sinceLastMs": (at_ns - self.last_ns) as f64 / 1e6});
        }
        let (content, verify) = (std::mem::take(&mut self.content), self.verify);
        *self = Arrivals { content, verify, ..Arrivals::default() };
        marked
    }
}
