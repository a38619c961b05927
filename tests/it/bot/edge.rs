//! The webhook's edge with a whole server behind it.

use super::label::sign;
use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn wrong_signatures_and_large_bodies_are_refused() {
    let world = World::new(&[&[crate::world::fix()]]).await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let post = |body: Vec<u8>, signature: Option<String>| {
        let mut request = http
            .post(world.webhook_url())
            .header("x-github-event", "issues")
            .header("x-github-delivery", "d-1")
            .header("content-type", "application/json");
        if let Some(signature) = signature {
            request = request.header("x-hub-signature-256", signature);
        }
        request.body(body).send()
    };
    let body = br#"{"action":"labeled"}"#.to_vec();
    let secret = world.sim.webhook_secret();
    assert_eq!(post(body.clone(), None).await.unwrap().status(), 401);
    assert_eq!(
        post(
            body.clone(),
            Some(sign("another secret of some length", &body))
        )
        .await
        .unwrap()
        .status(),
        401
    );
    assert_eq!(
        post(body.clone(), Some(sign(&secret, b"another body")))
            .await
            .unwrap()
            .status(),
        401
    );
    let large = vec![b' '; 1024 * 1024 + 1];
    let signature = sign(&secret, &large);
    assert_eq!(post(large, Some(signature)).await.unwrap().status(), 413);
    let right = post(body.clone(), Some(sign(&secret, &body)))
        .await
        .unwrap()
        .status();
    assert_eq!(right, 202);
    assert!(world.tasks().await.is_empty());
    world.end().await;
}
