//! The pages, by the settings: the operator's on a port of loopback, people's beside the webhook.

use super::bench::Hub;
use super::server::StartError;
use crate::config::Settings;
use crate::domain::Cancel;
use crate::intake::{Bounds, serve};
use crate::store::Store;
use crate::web::{Entrance, Site, SiteSettings, router};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// What every page is told.
fn site_settings(
    settings: &Settings,
    hub: &Hub,
    stop: &Cancel,
) -> Result<SiteSettings, StartError> {
    Ok(SiteSettings {
        store: hub.store.clone(),
        github_web: settings.github.web_url.clone(),
        guards: Arc::new(crate::trace::shipped()?),
        stop: stop.clone(),
    })
}

/// Serves the operator's pages; where they are. A port that is taken keeps nobody from working.
pub(super) async fn operator(
    settings: &Settings,
    hub: &Hub,
    stop: &Cancel,
    parts: &mut JoinSet<()>,
) -> Result<Option<SocketAddr>, StartError> {
    let Some(wanted) = settings.web.operator else {
        return Ok(None);
    };
    let listener = match TcpListener::bind(wanted).await {
        Ok(listener) => listener,
        Err(error) => {
            tracing::warn!(%wanted, %error, "the operator's pages are not served: set `web.operator` to a free port, or to \"off\"");
            return Ok(None);
        }
    };
    let Ok(address) = listener.local_addr() else {
        return Ok(None);
    };
    let entrance = Entrance::Operator {
        port: address.port(),
    };
    let site = Site::new(site_settings(settings, hub, stop)?, entrance);
    parts.spawn(serve(
        listener,
        router(site),
        stop.clone(),
        Bounds::default(),
    ));
    tracing::info!(%address, "the operator's pages are served; `mend open` prints the way in");
    Ok(Some(address))
}

/// An address that opens the operator's pages, once.
///
/// # Errors
/// Those of the store.
pub async fn invitation(
    store: &Store,
    address: SocketAddr,
    path: &str,
) -> Result<String, crate::store::StoreError> {
    let rest = crate::web::invite(store, path).await?;
    Ok(format!("http://{address}{rest}"))
}
