import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../test/portal/page-checks.js";

/**
 * `npm run screenshots`: pictures of the main pages for the documentation, `docs/images/<page>-<width>.webp`, from the demonstration
 * held on a Saturday evening (`--until 'Tue 12:00'`: at another time; `--address` and `--password`: one that runs already). Names of pages
 * as arguments: only those. Needs Chromium (`CHROMIUM_PATH`).
 */
const ROOT = resolve(import.meta.dirname, "..");
const IMAGES = resolve(ROOT, "docs/images");

const PAGES: Readonly<Record<string, string>> = {
  overview: "/dashboard",
  history: "/history",
  savings: "/savings",
  devices: "/devices",
  car: "/car?target_soc_pct=100",
  why: "/why",
  "what-if": "/what-if",
  home: "/settings/ems",
  notifications: "/settings/notifications",
  help: "/help",
};

/** A phone, with twice the pixels, and a desk. */
const SCREENS = [
  { width: 390, height: 844, deviceScaleFactor: 2 },
  { width: 1280, height: 900, deviceScaleFactor: 1 },
] as const;

/** Largest picture, bytes. */
const MOST_BYTES = 150_000;
const QUALITIES = [90, 80, 70, 60, 50] as const;

interface Demonstration {
  address: string;
  password: string;
  stop(): Promise<void>;
}

/** Starts the demonstration; resolves when its clock stands still. */
async function startDemonstration(until: string): Promise<Demonstration> {
  const child = spawn(
    process.execPath,
    ["dist/cli.js", "demo", "--until", until, "--http-port", "0", "--mqtt-port", "0"],
    { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] },
  );
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    said.push(line);
    if (line.includes("The clock stands still")) break;
  }
  const text = said.join("\n");
  const address = /runs at (\S+)/.exec(text)?.[1];
  const password = /password (\S+)/.exec(text)?.[1];
  if (address === undefined || password === undefined || !text.includes("stands still"))
    throw new Error("The demonstration ended before its clock stood still.");
  return { address, password, stop: () => stopped(child) };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function signIn(page: Page, { address, password }: Demonstration): Promise<void> {
  await page.goto(`${address}/login`);
  await page.fill("input[name=email]", "owner@localhost");
  await page.fill("input[name=password]", password);
  await page.click("main button[type=submit]");
  await page.waitForURL((url) => !url.pathname.startsWith("/login"));
}

/** What the window shows, as WebP below the limit. */
async function pictureOf(page: Page, scale: number): Promise<Buffer> {
  const clip = { x: 0, y: 0, ...page.viewportSize()!, scale };
  const session = await page.context().newCDPSession(page);
  for (const quality of QUALITIES) {
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality, clip });
    const picture = Buffer.from(data, "base64");
    if (picture.length <= MOST_BYTES) return picture;
  }
  throw new Error(`The picture of ${page.url()} has more than ${MOST_BYTES} bytes.`);
}

async function takePictures(browser: Browser, demonstration: Demonstration, names: readonly string[]) {
  for (const { width, height, deviceScaleFactor } of SCREENS) {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor,
      locale: "en-GB",
      timezoneId: "Europe/Vienna",
      colorScheme: "light",
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await signIn(page, demonstration);
    for (const name of names) {
      const answer = await page.goto(demonstration.address + PAGES[name], { waitUntil: "load" });
      if (answer?.status() !== 200) throw new Error(`${PAGES[name]} is answered with ${answer?.status()}.`);
      await page.evaluate(() => document.fonts.ready);
      const picture = await pictureOf(page, deviceScaleFactor);
      await writeFile(resolve(IMAGES, `${name}-${width}.webp`), picture);
      console.log(`${name}-${width}.webp: ${Math.ceil(picture.length / 1000)} kB`);
    }
    await context.close();
  }
}

const { values, positionals: asked } = parseArgs({
  options: {
    until: { type: "string", default: "Sat 18:40" },
    address: { type: "string" },
    password: { type: "string", default: "" },
  },
  allowPositionals: true,
});
const unknown = asked.find((name) => PAGES[name] === undefined);
if (unknown !== undefined)
  throw new Error(`There is no page ${unknown}: name some of ${Object.keys(PAGES).join(", ")}.`);
await mkdir(IMAGES, { recursive: true });
const { address, password } = values;
const demonstration: Demonstration =
  address === undefined
    ? await startDemonstration(values.until)
    : { address, password, stop: async () => {} };
try {
  const browser = await launchChromium();
  try {
    await takePictures(browser, demonstration, asked.length > 0 ? asked : Object.keys(PAGES));
  } finally {
    await browser.close();
  }
} finally {
  await demonstration.stop();
}
