"use strict";

const { readRawBody } = require("./raw-body.js");

/** A path as requests have it: one slash in front, none behind. */
const pathOf = (text) => `/${String(text).split("/").filter(Boolean).join("/")}`;

function rootOf(app) {
  return app.parent === undefined ? app : rootOf(app.parent);
}

/**
 * Lets nodes listen at paths of Node-RED's HTTP server and hands them the body as it came, byte for byte.
 *
 * The editor's server parses JSON bodies before any node sees them, and what was parsed cannot be checked against a
 * signature. So the body is taken by a handler in front of all others, as the http in node does it for its raw bodies; the
 * request then goes its way through what the operator set up (`httpNodeAuth`, …) to the handler that answers it.
 * Node-RED offers no way to take a route away again, so the handlers stay and look up who listens now.
 */
function createWebhookEndpoint(RED) {
  const receivers = new Map();
  const bodies = new WeakMap();
  const { httpNode } = RED;
  if (typeof httpNode?.use !== "function") return undefined;

  // By the url: in front of all others a request has no `path` yet.
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
      // What parsers look at: they leave the request alone.
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
    const taken = bodies.get(request);
    if (taken === undefined) return next(new Error("Another part of this server read the body first."));
    Promise.resolve(receiver(request, response, taken.body)).catch(next);
  });

  return {
    isFree: (path) => !receivers.has(pathOf(path)),
    /** `receiver(request, response, body)` answers what is posted to the path; body is undefined over 1 MiB. */
    listen(path, receiver) {
      receivers.set(pathOf(path), receiver);
      return () => void receivers.delete(pathOf(path));
    },
  };
}

module.exports = { createWebhookEndpoint };
