import { defaultSettings } from "../../src/config/load.js";
import { HostNames } from "../../src/core/net/host-names.js";
import { TrustedProxies } from "../../src/core/net/trusted-proxies.js";

/** What an HTTP server on a port of the loopback address needs, with the default limits. */
export function listening({ proxies = [] as string[], baseUrl = "http://127.0.0.1" } = {}) {
  return {
    limits: defaultSettings().limits.http,
    proxies: new TrustedProxies(proxies),
    hosts: new HostNames({ hosts: [], baseUrl: () => baseUrl, name: "box" }),
    isAuthenticated: () => false,
  };
}
