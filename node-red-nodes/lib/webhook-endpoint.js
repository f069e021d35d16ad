"use strict";

const MAX_BODY_BYTES = 1_048_576;

/** Resolves with the raw body, or undefined when it exceeds 1 MiB. Rejects when the client disconnects. */
function readRawBody(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    request.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    });
    request.on("end", () => resolve(bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("aborted", () => reject(new Error("The client disconnected.")));
  });
}

/** A normalized path: one leading slash, no trailing one. */
const pathOf = (text) => `/${String(text).split("/").filter(Boolean).join("/")}`;

function rootOf(app) {
  return app.parent === undefined ? app : rootOf(app.parent);
}

/**
 * Lets nodes receive POST requests at paths of Node-RED's HTTP server with the raw body.
 *
 * The server parses JSON bodies before nodes receive them, and a signature cannot be verified on a parsed body. The body
 * is therefore read by the first handler in the stack, as the http in node does for raw bodies; the request then passes
 * the operator's middleware (`httpNodeAuth`, …) before it reaches its receiver.
 * Node-RED cannot remove routes, so the handlers are installed once and look up the current receiver.
 */
function createWebhookEndpoint(RED) {
  const receivers = new Map();
  const bodies = new WeakMap();
  const { httpNode } = RED;
  if (typeof httpNode?.use !== "function") return undefined;

  // `url`, since the first handler of the stack sees a request without `path`.
  const receiverAt = ({ method, url }, mount) => {
    const full = pathOf(url.split("?")[0]);
    const base = mount === "/" ? "" : mount;
    if (method !== "POST" || !full.startsWith(`${base}/`)) return undefined;
    return receivers.get(full.slice(base.length));
  };

  const capture = (request, _response, next) => {
    if (receiverAt(request, pathOf(httpNode.path())) === undefined) return next();
    readRawBody(request).then((body) => {
      bodies.set(request, { body });
      // Body parsers skip requests with these flags.
      request._body = true;
      request.skipRawBodyParser = true;
      next();
    }, next);
  };

  const root = rootOf(httpNode);
  root.use(capture);
  const { stack } = root._router ?? root.router;
  const index = stack.findIndex(({ handle }) => handle === capture);
  stack.unshift(...stack.splice(index, 1));

  httpNode.use((request, response, next) => {
    const receiver = receiverAt(request, "/");
    if (receiver === undefined) return next();
    const captured = bodies.get(request);
    if (captured === undefined) return next(new Error("Another handler of this server has read the body."));
    Promise.resolve(receiver(request, response, captured.body)).catch(next);
  });

  return {
    isFree: (path) => !receivers.has(pathOf(path)),
    /**
     * Calls `receiver(request, response, body)` for each POST to the path; body is undefined above 1 MiB. Returns a
     * function that stops it.
     */
    listen(path, receiver) {
      receivers.set(pathOf(path), receiver);
      return () => void receivers.delete(pathOf(path));
    },
  };
}

module.exports = { createWebhookEndpoint };
