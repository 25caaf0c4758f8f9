//! CORS: which web pages may call this host (R-HDR-02 to R-HDR-04, DECISIONS 27).
//!
//! Written out here instead of as a layer: a request without an `Origin` must cost nothing, and a
//! preflight that is not granted is an unknown method like any other.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, request};

use crate::body::RestBody;
use crate::respond;

/// The methods of every served operation.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST");
/// The union of what operations declare, which conforms everywhere (R-HDR-04).
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "Accept-Language, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, \
     OpenWOP-Client-Version, OpenWOP-Dedup, OpenWOP-Force-Engine-Version, OpenWOP-Version",
);
/// What a page may read of an answer beyond the few headers that it always may.
const RESPONSE_HEADERS: HeaderValue =
    HeaderValue::from_static("ETag, OpenWOP-Idempotent-Replay, OpenWOP-Version, Retry-After, WWW-Authenticate");
/// Seconds that a page may remember a grant: one preflight per ten minutes.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");
const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
const VARY_ORIGIN: HeaderValue = HeaderValue::from_static("origin");

/// The origins that are granted. Credentials other than `Authorization` are never asked for, so
/// cookies are not granted.
#[derive(Clone, Debug, Default)]
pub struct CorsPolicy(Origins);

#[derive(Clone, Debug, Default)]
enum Origins {
    #[default]
    None,
    Listed(Vec<HeaderValue>),
    Any,
}

/// A configured text that is no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no origin: a scheme and a host, with a port where it is not the default, and nothing else")]
pub struct OriginError(pub String);

impl CorsPolicy {
    /// Grants nothing, which is the default of a host.
    pub fn none() -> CorsPolicy {
        CorsPolicy(Origins::None)
    }

    /// Grants these origins; `*` grants every one.
    pub fn of_origins(origins: &[String]) -> Result<CorsPolicy, OriginError> {
        if origins.is_empty() {
            return Ok(CorsPolicy::none());
        }
        if origins.iter().any(|origin| origin == "*") {
            return Ok(CorsPolicy(Origins::Any));
        }
        let listed = origins.iter().map(|origin| origin_of(origin)).collect::<Result<_, _>>()?;
        Ok(CorsPolicy(Origins::Listed(listed)))
    }

    /// The answer to a preflight, when `head` is one and its origin is granted.
    pub(crate) fn preflight(&self, head: &request::Parts) -> Option<Response<RestBody>> {
        let asks = head.method == Method::OPTIONS && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        let _granted = asks.then(|| self.grant(&head.headers)).flatten()?;
        let mut response = respond::bare(StatusCode::NO_CONTENT, RestBody::empty());
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
        headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        Some(response)
    }

    /// Adds what a page needs to read the answer.
    pub(crate) fn decorate(&self, request: &HeaderMap, response: &mut HeaderMap) {
        match &self.0 {
            Origins::None => return,
            // The answer depends on the origin even when the request has none.
            Origins::Listed(_) => {
                response.append(VARY, VARY_ORIGIN);
            }
            Origins::Any => {}
        }
        if let Some(origin) = self.grant(request) {
            response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            response.insert(ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
        }
    }

    fn grant(&self, request: &HeaderMap) -> Option<HeaderValue> {
        let origin = request.get(ORIGIN)?;
        match &self.0 {
            Origins::None => None,
            Origins::Listed(listed) => listed.iter().find(|granted| *granted == origin).cloned(),
            Origins::Any => Some(ANY_ORIGIN),
        }
    }
}

fn origin_of(text: &str) -> Result<HeaderValue, OriginError> {
    let refused = || OriginError(text.to_owned());
    let uri: Uri = text.parse().map_err(|_| refused())?;
    let origin = match (uri.scheme_str(), uri.authority()) {
        (Some(scheme), Some(authority)) => format!("{scheme}://{authority}"),
        _ => return Err(refused()),
    };
    // Browsers send the canonical form, and so must the configuration spell it.
    if origin != text || origin.bytes().any(|byte| byte.is_ascii_uppercase() || byte == b'@') {
        return Err(refused());
    }
    HeaderValue::from_str(text).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(origins: &[&str]) -> Result<CorsPolicy, OriginError> {
        CorsPolicy::of_origins(&origins.iter().map(|origin| (*origin).to_owned()).collect::<Vec<_>>())
    }

    fn preflight(origin: &str) -> request::Parts {
        let request = http::Request::options("/runs")
            .header(ORIGIN, origin)
            .header(ACCESS_CONTROL_REQUEST_METHOD, "POST")
            .body(())
            .expect("a request");
        request.into_parts().0
    }

    #[test]
    fn only_origins_are_configured() {
        policy(&["https://app.example", "http://localhost:5173"]).expect("origins");
        for text in [
            "app.example",
            "https://app.example/",
            "https://app.example/x",
            "HTTPS://a.example",
            "https://u@a.example",
            "null",
            "",
        ] {
            policy(&[text]).expect_err(text);
        }
    }

    // R-HDR-02, R-HDR-04: a granted preflight admits methods and headers by list.
    #[test]
    fn granted_preflights_admit_methods_and_headers() {
        let policy = policy(&["https://app.example"]).expect("an origin");
        let granted = policy.preflight(&preflight("https://app.example")).expect("granted");
        let admitted = granted.headers()[ACCESS_CONTROL_ALLOW_HEADERS].to_str().expect("text").to_ascii_lowercase();
        for name in [
            "openwop-client-version",
            "openwop-version",
            "idempotency-key",
            "if-none-match",
            "last-event-id",
            "openwop-dedup",
            "openwop-force-engine-version",
            "accept-language",
            "authorization",
            "content-type",
        ] {
            assert!(admitted.split(", ").any(|admitted| admitted == name), "{name}");
        }
        assert!(policy.preflight(&preflight("https://evil.example")).is_none());
        assert!(CorsPolicy::none().preflight(&preflight("https://app.example")).is_none());
    }

    // R-HDR-03: which origins are granted is the host's choice; an answer says so to caches.
    #[test]
    fn answers_name_the_granted_origin_only() {
        let policy = policy(&["https://app.example"]).expect("an origin");
        for (origin, granted) in [("https://app.example", true), ("https://evil.example", false)] {
            let mut response = HeaderMap::new();
            policy.decorate(&preflight(origin).headers, &mut response);
            assert_eq!(response.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN), granted, "{origin}");
            assert_eq!(response[VARY], "origin");
        }
        let mut untouched = HeaderMap::new();
        CorsPolicy::none().decorate(&preflight("https://app.example").headers, &mut untouched);
        assert!(untouched.is_empty());
    }
}
