"use strict";

/** Resolves the aliases of `contextStorage`: an entry may be the name of another store. */
function moduleOf(stores, name, depth = 0) {
  const store = stores[name];
  if (typeof store === "string") return depth > 8 ? undefined : moduleOf(stores, store, depth + 1);
  return store?.module;
}

/**
 * The name of a persistent context store: the default one if it is persistent, otherwise the first persistent one;
 * undefined without one (Node-RED's in-memory default is used then, which keeps values over deploys only).
 */
function durableStore(stores = {}) {
  const names = ["default", ...Object.keys(stores)];
  return names.find((name) => {
    const kind = moduleOf(stores, name);
    return kind !== undefined && kind !== "memory";
  });
}

/** Reads and writes the value `name` in the context of a node; both return promises, since stores may be asynchronous. */
function createContextValue(RED, node, name) {
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

module.exports = { createContextValue, durableStore };
