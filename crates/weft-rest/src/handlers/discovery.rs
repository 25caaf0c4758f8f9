//! `getCapabilities`: rendered once, answered from bytes.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use weft_ops::discovery::Discovery;

use crate::body::RestBody;
use crate::etag;
use crate::gzip;
use crate::headers::{DISCOVERY_CACHING, GZIP, JSON};
use crate::respond::{self, VARY_ENCODING};

/// The document in both codings, with everything that its answers carry.
pub(crate) struct DiscoveryAnswers {
    etag: String,
    plain: Form,
    /// Absent when the document is too short to be worth it.
    gzip: Option<Form>,
}

struct Form {
    body: Bytes,
    etag: Option<HeaderValue>,
}

impl DiscoveryAnswers {
    /// Prepares the answers for a document.
    pub(crate) fn render(document: &Discovery) -> DiscoveryAnswers {
        let long = document.body.len() >= gzip::COMPRESS_FROM_BYTES;
        let compressed = if long { gzip::compress(document.body.clone()).ok() } else { None };
        DiscoveryAnswers {
            etag: document.etag.to_string(),
            plain: Form { body: document.body.clone(), etag: respond::header_value(&document.etag) },
            gzip: compressed.map(|body| Form { body, etag: respond::header_value(&etag::of_gzip(&document.etag)) }),
        }
    }

    /// Answers without a credential (R-DISC-01), with a validator (R-DISC-02).
    pub(crate) fn answer(&self, request: &HeaderMap) -> Response<RestBody> {
        if etag::matches(request, &self.etag) {
            let mut response = respond::bare(StatusCode::NOT_MODIFIED, RestBody::empty());
            self.common(response.headers_mut(), self.plain.etag.as_ref());
            return response;
        }
        let compressed = self.gzip.as_ref().filter(|_| gzip::accepted(request));
        let form = compressed.unwrap_or(&self.plain);
        let mut response = respond::bare(StatusCode::OK, RestBody::full(form.body.clone()));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, JSON);
        if compressed.is_some() {
            headers.insert(CONTENT_ENCODING, GZIP);
        }
        self.common(headers, form.etag.as_ref());
        response
    }

    fn common(&self, headers: &mut HeaderMap, etag: Option<&HeaderValue>) {
        headers.insert(CACHE_CONTROL, DISCOVERY_CACHING);
        if let Some(etag) = etag {
            headers.insert(ETAG, etag.clone());
        }
        if self.gzip.is_some() {
            headers.insert(VARY, VARY_ENCODING);
        }
    }
}
