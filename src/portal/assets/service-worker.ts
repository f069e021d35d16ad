import { createHash } from "node:crypto";
import { STYLESHEET } from "./stylesheet.js";

/**
 * The service worker, which browsers need for an installed app: it stores the page "no connection" with its style and icons, and
 * shows it when the gateway cannot be reached. Nothing else is stored: figures always come from the gateway. Its address is
 * `/portal/service-worker.js`, also below the path of a proxy.
 */
export const SERVICE_WORKER = `
const STORE = "hourgate-offline-${createHash("sha256").update(STYLESHEET).digest("hex").slice(0, 16)}";
const OFFLINE = new URL("../offline", self.location.href).href;

self.addEventListener("install", (event) => event.waitUntil(store().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(removeFormer().then(() => self.clients.claim())));
self.addEventListener("fetch", (event) => {
  const { method, mode, destination } = event.request;
  if (method !== "GET") return;
  if (mode === "navigate") event.respondWith(fetch(event.request).catch(() => stored(OFFLINE)));
  else if (destination === "style" || destination === "image")
    event.respondWith(fetch(event.request).catch(() => stored(event.request)));
});

async function store() {
  const page = await fetch(OFFLINE);
  const text = await page.clone().text();
  const files = [...text.matchAll(/href="([^"]+\\.(?:css|svg|png))"/g)].map(([, file]) => new URL(file, OFFLINE).href);
  const cache = await caches.open(STORE);
  await cache.put(OFFLINE, page);
  await cache.addAll(files);
}

async function stored(request) {
  return (await (await caches.open(STORE)).match(request)) ?? Response.error();
}

async function removeFormer() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("hourgate-") && name !== STORE).map((name) => caches.delete(name)));
}
`;

/** Registers the service worker; browsers have none without HTTPS, except on the gateway itself. */
export const REGISTRATION = `
navigator.serviceWorker?.register(new URL("../service-worker.js", import.meta.url), { scope: new URL("../../", import.meta.url).pathname }).catch(() => {});
`;
