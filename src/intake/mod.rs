//! Webhook receiver and admission: event → trigger → task.
