//! Pages on a store of the test's own, and a browser that keeps cookies.

use crate::postgres::{Database, Postgres};
use mend::config::Permission;
use mend::domain::{Cancel, Clock, SystemClock};
use mend::intake::{Bounds, serve};
use mend::store::Store;
use mend::web::{Entrance, Site, SiteSettings, invite, router};
use reqwest::{Client, Method, RequestBuilder, Response};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::net::TcpListener;

pub struct Rig {
    pub store: Store,
    pub base: String,
    pub browser: Browser,
    pub stop: Cancel,
    url: String,
    _folder: TempDir,
    _database: Option<Database>,
}

/// Sends one cookie, or none.
#[derive(Clone)]
pub struct Browser {
    pub client: Client,
    pub base: String,
    pub cookie: Option<String>,
}

pub fn plain_client() -> Client {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .unwrap()
}

impl Browser {
    pub fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        let asked = self.client.request(method, format!("{}{path}", self.base));
        match &self.cookie {
            Some(cookie) => asked.header("cookie", cookie),
            None => asked,
        }
    }

    pub async fn get(&self, path: &str) -> Response {
        self.ask(Method::GET, path).send().await.unwrap()
    }

    /// The page, which must be there.
    pub async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    }

    pub async fn status(&self, path: &str) -> u16 {
        self.get(path).await.status().as_u16()
    }

    /// A form as one of our own pages sends it.
    pub fn form(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let body: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", value.replace(' ', "+")))
            .collect();
        self.ask(Method::POST, path)
            .header("origin", &self.base)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body.join("&"))
    }

    /// The token of this session's forms.
    pub async fn csrf(&self) -> String {
        let page = self.page("/").await;
        let (_, rest) = page.split_once("name=\"csrf\" value=\"").unwrap();
        rest.split('"').next().unwrap().to_string()
    }

    /// Keeps the cookie that an answer sets.
    pub fn keep(&mut self, answer: &Response, name: &str) {
        let all = answer.headers().get_all("set-cookie");
        let pairs = all
            .iter()
            .map(|c| c.to_str().unwrap().split(';').next().unwrap());
        let mut found = pairs.filter(|c| c.starts_with(name));
        self.cookie = Some(found.next().unwrap().to_string());
    }
}

pub fn site_settings(store: &Store, stop: &Cancel, github_web: &str) -> SiteSettings {
    SiteSettings {
        store: store.clone(),
        github_web: github_web.to_string(),
        permission: Permission::Write,
        guards: Arc::new(mend::trace::shipped().unwrap()),
        stop: stop.clone(),
    }
}

impl Rig {
    /// The operator's pages on SQLite, with the operator logged in.
    pub async fn sqlite(clock: Arc<dyn Clock>) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("mend.db").display());
        Rig::on(url, clock, folder, None).await
    }

    pub async fn postgres(clock: Arc<dyn Clock>) -> Rig {
        let database = Postgres::shared().database();
        let folder = tempfile::tempdir().unwrap();
        Rig::on(database.url(), clock, folder, Some(database)).await
    }

    pub async fn both() -> [Rig; 2] {
        [
            Rig::sqlite(SystemClock::shared()).await,
            Rig::postgres(SystemClock::shared()).await,
        ]
    }

    async fn on(
        url: String,
        clock: Arc<dyn Clock>,
        folder: TempDir,
        database: Option<Database>,
    ) -> Rig {
        let store = Store::open(&url, clock).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = Cancel::new();
        let settings = site_settings(&store, &stop, "https://github.test");
        let site = Site::new(settings, Entrance::Operator { port });
        tokio::spawn(serve(
            listener,
            router(site),
            stop.clone(),
            Bounds::default(),
        ));
        let base = format!("http://127.0.0.1:{port}");
        let mut browser = Browser {
            client: plain_client(),
            base: base.clone(),
            cookie: None,
        };
        let way_in = invite(&store, "/").await.unwrap();
        let answer = browser.get(&way_in).await;
        assert_eq!(answer.status(), 303);
        browser.keep(&answer, "mend-");
        Rig {
            store,
            base,
            browser,
            stop,
            url,
            _folder: folder,
            _database: database,
        }
    }

    /// Another process's store on the same database.
    pub async fn elsewhere(&self) -> Store {
        Store::open(&self.url, SystemClock::shared()).await.unwrap()
    }
}
