import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

export const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Without a browser the tests with one are skipped. */
export const isChromiumMissing = !existsSync(CHROMIUM);

const DISABLED_FEATURES = [
  // Parts of the window that are pages themselves: they are drawn for each page that is opened, and nobody sees them.
  ...[
    "InitialWebUI",
    "WebUIReloadButton",
    "WebUIToolbar",
    "WebUILocationBar",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
  ],
  // Of Playwright's, which this list replaces, those that load something or change how pages are shown.
  ...[
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "LensOverlay",
  ],
  ...["HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"],
  ...["OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"],
];

/** Starts Chromium without what it would load by itself. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--in-process-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // The scripts of a page do not run long enough to be worth compiling them in further threads.
      "--js-flags=--no-opt --no-maglev",
      `--disable-features=${DISABLED_FEATURES.join()}`,
    ],
  });
}

/** Chromium says so of a refused form, which is as it should be. */
const REFUSED = /status of 422/;
/** Playwright says so where a test has no service worker. */
const BLOCKED = /^Service Worker registration blocked/;

/** What a page must not do: errors on the console, requests to anywhere but the gateway. */
export function watch(page: Page, base: string): string[] {
  const faults: string[] = [];
  page.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning";
    if (isFault && !REFUSED.test(message.text()) && !BLOCKED.test(message.text()))
      faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith("data:")) faults.push(request.url());
  });
  return faults;
}

export type Theme = "light" | "dark";
export type Show = (width: number, theme: Theme) => Promise<void>;

/** Shows the page in a width and theme; the window keeps its size, which takes a third of the time that changing it does. */
export async function showing(page: Page): Promise<Show> {
  const session = await page.context().newCDPSession(page);
  const shown: { width?: number; theme?: Theme } = {};
  return async (width, theme) => {
    const size = { width, height: 844, deviceScaleFactor: 1, mobile: false };
    if (width !== shown.width) await session.send("Emulation.setDeviceMetricsOverride", size);
    const features = [{ name: "prefers-color-scheme", value: theme }];
    if (theme !== shown.theme) await session.send("Emulation.setEmulatedMedia", { features });
    Object.assign(shown, { width, theme });
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Keeps axe-core in the browser, for every page of the context: sending it takes as long as loading a page. */
export const addAxe = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(`window.loadAxe = () => { ${AXE} };`);

async function loadAxe(page: Page): Promise<void> {
  const isLoaded = () =>
    page.evaluate(() => {
      const { loadAxe } = window as { loadAxe?: () => void };
      if (!("axe" in window)) loadAxe?.();
      return "axe" in window;
    });
  if (!(await isLoaded())) await page.evaluate(AXE);
}

/** What axe-core finds, and ids that are there twice: none on any page. */
export async function inaccessible(
  page: Page,
  rules: "everything" | "all but contrast" | "texts" = "everything",
): Promise<string[]> {
  await loadAxe(page);
  return page.evaluate(async (which) => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run(document, {
      resultTypes: ["violations"],
      ...(which === "all but contrast" && { rules: { "color-contrast": { enabled: false } } }),
      // What depends on the language.
      ...(which === "texts" && {
        runOnly: ["cat.language", "cat.name-role-value", "cat.text-alternatives", "cat.forms"],
      }),
    });
    const faults = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    for (const id of new Set(ids)) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`twice: ${id}`);
    return faults;
  }, rules);
}

/** Numbers of the looks of texts that axe-core has passed. */
export type Looks = Record<Theme, Set<number>>;

/**
 * Texts whose contrast axe-core finds too low. It looks at those whose colours, sizes and backgrounds it has not passed on another
 * page: most pages have none, and it takes most of its time for contrast.
 */
export async function lowContrast(page: Page, theme: Theme, passed: Looks): Promise<string[]> {
  await loadAxe(page);
  const { faults, found } = await page.evaluate(
    async ({ theme, known }) => {
      if (!matchMedia(`(prefers-color-scheme: ${theme})`).matches)
        return { faults: [`is not shown in ${theme}`], found: [] };
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      const isKnown = new Set(known);
      /** A number of 53 bits instead of the text: hundreds of looks go to each page and back. */
      const numberOf = (text: string): number => {
        let [high, low] = [0xdeadbeef, 0x41c6ce57];
        for (let at = 0; at < text.length; at++) {
          high = Math.imul(high ^ text.charCodeAt(at), 2654435761);
          low = Math.imul(low ^ text.charCodeAt(at), 1597334677);
        }
        high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
        low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
        return 4294967296 * (2097151 & low) + (high >>> 0);
      };
      const ownLooks = new Map<Element, number>();
      /** All that decides over the contrast of a text, but for what is drawn over its box. */
      const lookOf = (one: Element): number => {
        const seen = ownLooks.get(one);
        if (seen !== undefined) return seen;
        const { backgroundColor, backgroundImage, opacity, position, filter, mixBlendMode } =
          getComputedStyle(one);
        const behind = one.parentElement === null ? 0 : lookOf(one.parentElement);
        const look = numberOf(
          [behind, backgroundColor, backgroundImage, opacity, position, filter, mixBlendMode].join(),
        );
        ownLooks.set(one, look);
        return look;
      };
      const looks = new Map<Element, number>();
      const hasText = (one: Element) =>
        [...one.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== "",
        );
      // The link to the content is out of the page until it has the focus.
      for (const one of document.body.querySelectorAll("*:not(script, style, option, .skip)")) {
        if (!hasText(one) && !one.matches("input:not([type=hidden]), select, textarea")) continue;
        if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(one);
        const look = numberOf([lookOf(one), color, fontSize, fontWeight, textShadow].join("|"));
        if (!isKnown.has(look)) looks.set(one, look);
      }
      if (looks.size === 0) return { faults: [], found: [] };
      const { violations, passes } = await axe.run(
        { include: [...looks.keys()] },
        { runOnly: ["color-contrast"], resultTypes: ["violations", "passes"], elementRef: true },
      );
      return {
        faults: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
        found: passes.flatMap(({ nodes }) => nodes.flatMap(({ element }) => looks.get(element!) ?? [])),
      };
    },
    { theme, known: [...passed[theme]] },
  );
  for (const look of found) passed[theme].add(look);
  return faults;
}

/** Steps through a page with the tab key; returns the controls that it misses, and those without visible focus. */
export async function unreachable(page: Page): Promise<string[]> {
  const count = await page.evaluate(() => {
    const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    const all = [...document.querySelectorAll<HTMLElement>(controls)].filter(
      (one) => one.checkVisibility({ visibilityProperty: true }) && one.tabIndex >= 0,
    );
    for (const one of all) one.setAttribute("data-to-reach", "");
    return all.length;
  });
  const faults: string[] = [];
  // A field for a time has several stops.
  for (let step = 0; step < 4 * count; step++) {
    await page.keyboard.press("Tab");
    const { left, fault } = await page.evaluate(() => {
      const at = document.activeElement as HTMLElement;
      const isFirst = at.hasAttribute("data-to-reach");
      at.removeAttribute("data-to-reach");
      const isSeen = getComputedStyle(at).outlineStyle !== "none" || at === document.body;
      const fault = isFirst && !isSeen ? `no focus: ${at.outerHTML.slice(0, 80)}` : undefined;
      return { left: document.querySelectorAll("[data-to-reach]").length, fault };
    });
    if (fault !== undefined) faults.push(fault);
    if (left === 0) return faults;
  }
  const missed = await page.locator("[data-to-reach]").evaluateAll((all) => all.map((one) => one.outerHTML));
  return [...faults, ...missed.map((html) => `not reached: ${html.slice(0, 80)}`)];
}
