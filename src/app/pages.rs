//! The pages, by the settings: the operator's on a port of loopback, people's beside the webhook.

use super::bench::{Hub, github_settings};
use super::server::StartError;
use crate::config::Settings;
use crate::domain::Cancel;
use crate::github::OAuth;
use crate::intake::{Bounds, serve};
use crate::store::Store;
use crate::web::{Entrance, Login, Site, SiteSettings, router};
use axum::Router;
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
        permission: settings.github.permission,
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

/// The pages of people, beside the webhook; `None` where nobody logs in.
pub(super) fn people(
    settings: &Settings,
    hub: &Hub,
    stop: &Cancel,
) -> Result<Option<Router>, StartError> {
    let (Some(login), Some(public_url)) = (&settings.web.login, &settings.web.public_url) else {
        return Ok(None);
    };
    let wanted = github_settings(settings, &hub.redactor)?;
    let oauth = OAuth::new(
        &wanted,
        hub.github.clone(),
        &settings.github.web_url,
        (&login.client_id, &login.client_secret),
    )?;
    let entrance = Entrance::People(Arc::new(Login {
        oauth,
        public_url: public_url.clone(),
    }));
    let site = Site::new(site_settings(settings, hub, stop)?, entrance);
    Ok(Some(router(site)))
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
