'use strict';

const { parseCookies } = require('./cookies');
const { compile, build } = require('./pattern');
const { isUnder, normalise, splitUrl } = require('./path');
const { parseQuery } = require('./query');

class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

class Router {
  constructor() {
    this.routes = [];
    this.middleware = [];
    this.names = new Map();
  }

  /** Adds a route; a name lets `url` build its paths. */
  add(method, pattern, handler, name) {
    if (typeof handler !== 'function') throw new TypeError(`no handler for ${pattern}`);
    this.routes.push({ method: method.toUpperCase(), pattern, match: compile(pattern), handler });
    if (name) this.names.set(name, pattern);
    return this;
  }

  get(pattern, handler, name) {
    return this.add('GET', pattern, handler, name);
  }

  post(pattern, handler, name) {
    return this.add('POST', pattern, handler, name);
  }

  /** Adds middleware, for all paths or those under a folder. It calls `next` to go on. */
  use(folder, handler) {
    if (typeof folder === 'function') this.middleware.push({ folder: '/', handler: folder });
    else this.middleware.push({ folder, handler });
    return this;
  }

  /** The path of a named route. */
  url(name, params = {}) {
    const pattern = this.names.get(name);
    if (!pattern) throw new Error(`no route called ${name}`);
    return build(pattern, params);
  }

  /** The route and parameters for a method and a path that was normalised. */
  find(method, path) {
    const allowed = new Set();
    for (const route of this.routes) {
      const params = route.match(path);
      if (!params) continue;
      if (route.method === method || (method === 'HEAD' && route.method === 'GET')) {
        return { route, params };
      }
      allowed.add(route.method);
    }
    if (allowed.size) throw new HttpError(405, `allowed: ${[...allowed].sort().join(', ')}`);
    throw new HttpError(404, `nothing at ${path}`);
  }

  /** Handles a request, and returns what the route's handler returned. */
  async handle(request) {
    const [rawPath, rawQuery] = splitUrl(request.url);
    const path = normalise(rawPath);
    const method = (request.method ?? 'GET').toUpperCase();
    const ctx = {
      request,
      method,
      path,
      query: parseQuery(rawQuery),
      cookies: parseCookies(request.headers?.cookie),
      params: {},
    };
    const chain = this.middleware.filter((m) => isUnder(path, m.folder)).map((m) => m.handler);
    const step = async (n) => {
      if (n < chain.length) return chain[n](ctx, () => step(n + 1));
      const { route, params } = this.find(method, path);
      ctx.params = params;
      return route.handler(ctx);
    };
    return step(0);
  }
}

module.exports = { Router, HttpError };
