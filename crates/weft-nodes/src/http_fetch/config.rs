//! The published config of `core.openwop.http.fetch`, with its bounds.

use std::collections::BTreeMap;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use weft_egress::is_header_settable;

/// Bounds of the published schema.
const URL_CHARS_MAX: usize = 2048;
const HEADER_CHARS_MAX: usize = 8192;
const TIMEOUT_MS: (u64, u64) = (100, super::REQUEST_TIMEOUT_MS_MAX);
const ATTEMPTS: (u32, u32) = (1, 10);
const DELAY_MS_MAX: u64 = 60_000;

/// Defaults of the published schema.
const TIMEOUT_MS_DEFAULT: u64 = 30_000;
const ATTEMPTS_DEFAULT: u32 = 3;
const INITIAL_DELAY_MS_DEFAULT: u64 = 500;
const MAX_DELAY_MS_DEFAULT: u64 = 8_000;

/// The config, closed as upstream's is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Config {
    pub(super) url: String,
    #[serde(default)]
    pub(super) method: Method,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
    pub(super) retry: Option<Retry>,
    #[serde(default)]
    pub(super) idempotency: Idempotency,
}

/// The methods that the schema admits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Method {
    #[default]
    Get,
    Post,
    Put,
    Patch,
    Delete,
    Head,
    Options,
}

/// When and how soon an attempt is repeated.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Retry {
    pub(super) max_attempts: u32,
    initial_delay_ms: u64,
    max_delay_ms: u64,
}

/// Whether an `Idempotency-Key` goes out with methods that have an effect.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Idempotency {
    pub(super) mode: IdempotencyMode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum IdempotencyMode {
    #[default]
    Auto,
    Disabled,
}

fn default_timeout_ms() -> u64 {
    TIMEOUT_MS_DEFAULT
}

impl Method {
    /// Whether the method only reads. Only these may be repeated without the
    /// author having asked for it.
    pub(super) fn is_read(self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options)
    }

    pub(super) fn as_http(self) -> http::Method {
        match self {
            Self::Get => http::Method::GET,
            Self::Post => http::Method::POST,
            Self::Put => http::Method::PUT,
            Self::Patch => http::Method::PATCH,
            Self::Delete => http::Method::DELETE,
            Self::Head => http::Method::HEAD,
            Self::Options => http::Method::OPTIONS,
        }
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max_attempts: ATTEMPTS_DEFAULT,
            initial_delay_ms: INITIAL_DELAY_MS_DEFAULT,
            max_delay_ms: MAX_DELAY_MS_DEFAULT,
        }
    }
}

impl Retry {
    /// The pause after this attempt (counted from 1): it doubles each time.
    pub(super) fn delay_after(&self, attempt: u32) -> Duration {
        let doubled = self.initial_delay_ms.saturating_mul(1 << (attempt - 1).min(16));
        Duration::from_millis(doubled.min(self.max_delay_ms))
    }

    fn check(&self) -> Result<(), String> {
        within("retry.maxAttempts", self.max_attempts.into(), (ATTEMPTS.0.into(), ATTEMPTS.1.into()))?;
        within("retry.initialDelayMs", self.initial_delay_ms, (0, DELAY_MS_MAX))?;
        within("retry.maxDelayMs", self.max_delay_ms, (0, DELAY_MS_MAX))
    }
}

impl Config {
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// Everything the types above do not already say.
    pub(super) fn check(&self) -> Result<(), String> {
        within("url length", self.url.chars().count() as u64, (1, URL_CHARS_MAX as u64))?;
        within("timeoutMs", self.timeout_ms, TIMEOUT_MS)?;
        if let Some(retry) = &self.retry {
            retry.check()?;
        }
        self.headers().map(|_| ())
    }

    /// The static headers.
    pub(super) fn headers(&self) -> Result<HeaderMap, String> {
        let mut headers = HeaderMap::with_capacity(self.headers.len() + 2);
        for (name, value) in &self.headers {
            within("header length", value.chars().count() as u64, (0, HEADER_CHARS_MAX as u64))?;
            let key = HeaderName::try_from(name.as_str()).map_err(|_| format!("{name:?} is not a header name"))?;
            if !is_header_settable(&key) {
                return Err(format!("the header {key} is set by the host alone"));
            }
            let value = HeaderValue::try_from(value.as_str())
                .map_err(|_| format!("the value of header {key} cannot be sent"))?;
            if headers.insert(key.clone(), value).is_some() {
                return Err(format!("the header {key} is given twice"));
            }
        }
        Ok(headers)
    }
}

fn within(what: &str, value: u64, (min, max): (u64, u64)) -> Result<(), String> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(format!("{what} is {value}, not {min} to {max}")) }
}
