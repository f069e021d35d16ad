import { createServer, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Browser } from "../portal/form-browser.js";
import { type Cast, emailOf, PASSWORD, PROXY, triedIn } from "./cast.js";
import { PAGES } from "./tables.js";

const INGRESS = "/api/hassio_ingress/Qx7-token_1";
/** Forwards what is below the path, without it, as Home Assistant's ingress does; remembers what leads elsewhere. */
async function startProxy(target: string) {
  const state = { protocol: "http", strays: [] as string[], cookies: [] as string[] };
  const server = createServer((req, res) => {
    const { url = "", method, headers } = req;
    if (!url.startsWith(`${INGRESS}/`)) {
      state.strays.push(`${method} ${url}`);
      res.writeHead(404).end();
      return;
    }
    const passedOn = {
      ...headers,
      host: "ha.example.org",
      "x-ingress-path": INGRESS,
      "x-forwarded-proto": state.protocol,
    };
    const options = { method, headers: passedOn, localAddress: PROXY };
    const forwarded = request(target + url.slice(INGRESS.length), options, (answer) => {
      const { location, "set-cookie": cookies = [] } = answer.headers;
      if (location !== undefined && !location.startsWith(`${INGRESS}/`)) state.strays.push(`to ${location}`);
      state.cookies.push(...cookies);
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    });
    forwarded.on("error", () => res.destroy());
    res.on("close", () => forwarded.destroy());
    req.pipe(forwarded);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  return { state, url: `http://127.0.0.1:${port}${INGRESS}`, close: () => server.close() };
}

/** The portal of the cast behind a proxy that serves it below a path. */
export function belowPath(castOf: () => Cast): void {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  beforeAll(async () => {
    proxy = await startProxy(castOf().url);
  });
  afterAll(() => proxy.close());

  const signedIn = async (role: "tenant" | "admin") => {
    const browser = new Browser(proxy.url, { origin: "http://ha.example.org" });
    const page = await browser.get("/login");
    const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(page.text) ?? [];
    expect(action).toBe(`${INGRESS}/login`);
    const answer = await browser.post("/login", { email: emailOf(role), password: PASSWORD });
    expect(answer.location).toMatch(new RegExp(`^${INGRESS}/`));
    return browser;
  };

  it("keeps all links, forms, redirects, scripts and cookies of all pages below the path", async () => {
    const tenant = await signedIn("tenant");
    const admin = await signedIn("admin");
    const found = new Set<string>();
    const pages = triedIn(PAGES).filter((row) => row.startsWith("GET ") && row !== "GET /portal/events");
    expect(pages.length).toBeGreaterThan(40);
    for (const page of pages) {
      const path = page.slice("GET ".length);
      const isAdmin = path.startsWith("/admin");
      const asked = isAdmin ? path : `${path}?site=${castOf().sites.tenant}`;
      const { text } = await (isAdmin ? admin : tenant).get(asked);
      // Parts of pages are HTML inside JSON.
      const html = text.startsWith("{") ? text.replaceAll('\\"', '"') : text;
      const absolute = [...html.matchAll(/[\w-]="(\/[^"]*)"/g)].map(([, address]) => address!);
      for (const address of absolute) {
        expect(address.startsWith(`${INGRESS}/`), `${page}: ${address}`).toBe(true);
        found.add(address.slice(INGRESS.length).replaceAll("&amp;", "&").split("#")[0]!);
      }
    }
    const assets = [...found].filter((path) => path.startsWith("/portal/") && /\.\w+$/.test(path));
    expect(assets.some((path) => path.endsWith(".js"))).toBe(true);
    for (const path of assets) {
      const { status, text } = await tenant.get(path);
      expect(status, path).toBe(200);
      if (path.endsWith(".js")) expect(text, path).not.toMatch(/[(=:]\s*["'`]\/(?!\/)/);
      if (!path.endsWith(".webmanifest")) continue;
      const { start_url, scope, icons } = JSON.parse(text);
      for (const address of [start_url, scope, icons[0].src])
        expect(new URL(address, proxy.url + path).pathname).toMatch(new RegExp(`^${INGRESS}/`));
    }
    expect((await tenant.get("/")).location).toBe(`${INGRESS}/dashboard`);
    expect(proxy.state.strays).toEqual([]);
    expect(proxy.state.cookies.length).toBeGreaterThan(0);
    for (const cookie of proxy.state.cookies) expect(cookie).toContain(`; Path=${INGRESS};`);
  });

  it("may be framed by Home Assistant, and keeps its cookies to itself under HTTPS", async () => {
    proxy.state.protocol = "https";
    const browser = new Browser(proxy.url, {});
    const { headers } = await browser.get("/login");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
    expect([...browser.cookies.keys()]).toEqual(["__Secure-hourgate_session"]);
    await browser.post("/login", { email: emailOf("tenant"), password: PASSWORD });
    expect((await browser.get(`/dashboard?site=${castOf().sites.tenant}`)).status).toBe(200);
    proxy.state.protocol = "http";
  });

  it("ignores the path that a stranger sends", async () => {
    const browser = new Browser(castOf().url, { "x-ingress-path": "/elsewhere" });
    const { headers, text } = await browser.get("/login");
    expect(text).not.toContain("/elsewhere");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("set-cookie")).toContain("; Path=/;");
  });
}
