//! Packages that must not be in the build, however they got there.

use super::Finding;
use crate::workspace::Workspace;

/// Names and reasons. TLS is rustls with ring; HTTP goes out through weft-egress alone.
#[rustfmt::skip]
const BANNED: &[(&str, &str)] = &[
    ("openssl", "TLS is rustls with ring"),
    ("openssl-sys", "TLS is rustls with ring"),
    ("native-tls", "TLS is rustls with ring"),
    ("hyper-tls", "TLS is rustls with ring"),
    ("aws-lc-rs", "a long C build; TLS is rustls with ring"),
    ("aws-lc-sys", "a long C build; TLS is rustls with ring"),
    ("reqwest", "its own connector would go round the egress policy"),
    ("ureq", "its own connector would go round the egress policy"),
    ("tonic", "the OTLP exporter speaks HTTP"),
    ("sqlx", "weft owns its transactions"),
    ("figment", "settings are toml, then the environment, then flags"),
    ("apalis", "the log, the timers and the outbox are the queue"),
];

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let banned = |name: &str| BANNED.iter().find(|(banned, _)| *banned == name);
    let packages = workspace.packages.iter();
    packages
        .filter_map(|package| {
            let (_, why) = banned(&package.name)?;
            let message = format!("is banned: {why} (see `cargo tree -i {}`)", package.name);
            Some(Finding::new(&package.name, None, message))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::planted::{foreign, packages};
    use super::check;

    #[test]
    fn a_banned_package_is_found_by_its_whole_name() {
        let found = check(&packages(vec![foreign("openssl-probe", None), foreign("aws-lc-sys", None)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "aws-lc-sys");
    }
}
