// What pages do beyond plain HTML: news take the place of the parts with the same id, long texts are
// fetched when they are opened, times count on. Everything is there without it, by reloading.
"use strict";
(() => {
  const body = document.body;
  const skew = Number(body.dataset.now) - Date.now();
  const told = document.getElementById("told");

  // As the server words it.
  const words = (ms) => {
    const s = Math.round(ms / 1000);
    if (ms < 10000) return `${Math.floor(ms / 1000)} s`;
    if (ms < 120000) return `${s} s`;
    if (ms < 7200000) return `${Math.floor(s / 60)} min ${s % 60} s`;
    return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  };
  const tick = () => {
    for (const time of document.querySelectorAll("time.since")) {
      time.textContent = words(Math.max(0, Date.now() + skew - Number(time.dataset.since)));
    }
  };

  // What a person opened, closed, typed into or stands on stays so.
  const carry = (from, to) => {
    for (const old of from.querySelectorAll("details[id]")) {
      const now = to.querySelector(`#${CSS.escape(old.id)}`);
      if (!now) continue;
      now.open = old.open;
      if (old.dataset.loaded) {
        now.replaceWith(old.cloneNode(true));
      }
    }
    for (const old of from.querySelectorAll("textarea[id]")) {
      const now = to.querySelector(`#${CSS.escape(old.id)}`);
      if (now) now.value = old.value;
    }
  };
  const focused = (within) => {
    const at = document.activeElement;
    if (!at || !within.contains(at)) return null;
    if (at.id) return `#${CSS.escape(at.id)}`;
    const fold = at.closest("details[id]");
    if (fold && at.localName === "summary") return `#${CSS.escape(fold.id)} > summary`;
    const href = at.getAttribute("href");
    return href ? `a[href="${CSS.escape(href)}"]` : null;
  };
  const put = (html) => {
    const parts = document.createElement("template");
    parts.innerHTML = html;
    const foot = document.documentElement;
    const atEnd = foot.scrollHeight - foot.clientHeight - foot.scrollTop < 80;
    let added = false;
    for (const part of [...parts.content.children]) {
      const old = part.id && document.getElementById(part.id);
      if (old) {
        const focus = focused(old);
        carry(old, part);
        old.replaceWith(part);
        if (focus) part.querySelector(focus)?.focus({ preventScroll: true });
      } else if (part.localName === "li") {
        document.getElementById("way")?.append(part);
        document.querySelector("#timeline > .empty")?.remove();
        added = true;
      }
    }
    if (added && atEnd) foot.scrollTop = foot.scrollHeight;
    tick();
  };

  const from = body.dataset.events;
  if (from) {
    const source = new EventSource(from);
    source.addEventListener("put", (event) => put(event.data));
    source.addEventListener("end", (event) => {
      put(event.data);
      source.close();
      const verdict = document.querySelector("#now .badge");
      if (told && verdict) told.textContent = `The run ended: ${verdict.textContent}`;
    });
    source.addEventListener("gone", () => {
      source.close();
      location.reload();
    });
  }

  document.addEventListener("toggle", async (event) => {
    const fold = event.target;
    if (!(fold instanceof HTMLDetailsElement) || !fold.open || !fold.dataset.load || fold.dataset.loaded) return;
    fold.dataset.loaded = "yes";
    const answer = await fetch(fold.dataset.load, { credentials: "same-origin" }).catch(() => null);
    if (!answer?.ok) {
      delete fold.dataset.loaded;
      return;
    }
    const whole = document.createElement("template");
    whole.innerHTML = await answer.text();
    fold.querySelector("pre.out")?.replaceWith(whole.content);
  }, true);

  setInterval(tick, 1000);
})();
