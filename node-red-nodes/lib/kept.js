"use strict";

/** Follows the aliases of `contextStorage` (a store's name may stand for another). */
function moduleOf(stores, name, depth = 0) {
  const store = stores[name];
  if (typeof store === "string") return depth > 8 ? undefined : moduleOf(stores, store, depth + 1);
  return store?.module;
}

/**
 * The name of a context store that outlives a restart: the default one if it does, else the first that does, else
 * undefined (Node-RED's own default then, which keeps values over deploys only).
 */
function durableStore(stores = {}) {
  const names = ["default", ...Object.keys(stores)];
  return names.find((name) => {
    const kind = moduleOf(stores, name);
    return kind !== undefined && kind !== "memory";
  });
}

/** A value that a node keeps in its context under `name`; asynchronous stores are waited for. */
function createKept(RED, node, name) {
  const store = durableStore(RED.settings.contextStorage);
  return {
    read: () =>
      new Promise((resolve, reject) => {
        node.context().get(name, store, (error, value) => (error ? reject(error) : resolve(value)));
      }),
    write: (value) =>
      new Promise((resolve, reject) => {
        node.context().set(name, value, store, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

module.exports = { createKept, durableStore };
