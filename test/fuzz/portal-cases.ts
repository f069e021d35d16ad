import type { Random } from "../support/random.js";
import type { PortalForm } from "./portal-visitor.js";
import { anyBytes, anyText, anyValue } from "./values.js";

/** Pages that require a sign-in. */
export const PAGES = [
  "/dashboard",
  "/settings/keys",
  "/settings/plan",
  "/settings/webhook",
  "/settings/ems",
  "/settings/sites",
  "/start?step=place",
  "/start?step=tariff",
  "/start?step=pv",
  "/start?step=devices",
];
/** Further GET paths of the portal with their parameters. */
const READS: Record<string, readonly string[]> = {
  "/portal/data": ["site", "lang", "view", "parts"],
  "/portal/events": ["site", "lang"],
  "/settings/ems/loxone": ["site", "kind", "link", "token"],
  "/dashboard": ["site", "lang", "day", "view"],
  "/settings/ems": ["site", "lang", "saved", "section"],
  "/settings/ems/battery": ["site", "lang", "row", "remove", "reset"],
  "/settings/ems/tariff": ["site", "lang", "row", "remove", "reset"],
  "/settings/ems/slots": ["site", "lang", "row", "remove", "reset"],
  "/settings/keys": ["site", "lang"],
  "/settings/webhook": ["site", "page"],
  "/settings/plan": ["plan"],
  "/settings/sites": ["site"],
  "/admin": ["page", "account", "days"],
  "/login": ["next"],
  "/confirm": ["token"],
};
/** Plausible inputs for settings, valid enough to pass the first checks. */
const ENTRIES = [
  "0",
  "1",
  "-1",
  "11",
  "100",
  "1e9",
  "0,5",
  "2.5",
  "24",
  "22",
  "6",
  "on",
  "true",
  "false",
  "Europe/Vienna",
  "Asia/Kathmandu",
  "48.2",
  "180",
  "Haus am See",
  "meter/+/power",
  "N/#",
  "a/#/b",
  "value.0.x",
  "https://hooks.invalid/x",
  "https://127.0.0.1/x",
  "http://[::1]:1/",
  "https://user:pass@hooks.invalid:99999/",
  "1-3: 5\n4-12: 6",
  "4-9 10-16 5,2",
  "2026-02-30",
  "2026-12-31",
  "professional",
  "community",
  "guest@example.org",
];

/** The body of a form, mostly unchanged, with some fields changed, removed, duplicated or added. */
export function filledIn(random: Random, form: PortalForm): string {
  const changed = random.pick([0, 0.05, 0.2, 0.6]);
  const pairs = form.fields.flatMap(({ name, value, choices }): [string, string][] => {
    // Token and target of the form are mostly kept, since the code under test runs after their checks.
    const isKept = name === "_csrf" || name === "site" || name === "account";
    if (!random.chance(isKept ? 0.02 : changed)) return [[name, value]];
    if (random.chance(0.1)) return [];
    const typed = random.pick([
      () => (choices.length > 0 ? random.pick(choices) : random.pick(ENTRIES)),
      () => random.pick(ENTRIES),
      () => random.pick(ENTRIES),
      () => String(anyValue(random, 0)),
      () => anyText(random, 60),
      () => "",
      () => "x".repeat(random.integer(100, 20_000)),
    ])();
    return random.chance(0.95)
      ? [[name, typed]]
      : [
          [name, value],
          [name, typed],
        ];
  });
  if (random.chance(0.05)) pairs.push([anyText(random, 10), anyText(random, 10)]);
  if (random.chance(0.02)) pairs.push(["__proto__", "1"], ["constructor", "1"]);
  const body = new URLSearchParams(pairs.map(([name, value]) => [name, wellFormed(value)])).toString();
  if (random.chance(0.02)) return `${body}&${anyBytes(random, 40).toString("latin1")}%zz%`;
  return body;
}

/** The path of a page, often with random parameters. */
export function pageToRead(random: Random): string {
  const path = random.pick(Object.keys(READS));
  const names = READS[path]!.filter(() => random.chance(0.4));
  const pairs = names.map((name): [string, string] => {
    const value = random.pick([
      () => random.pick(["home", "http-input", "http-output", "mqtt", "de", "en", "1"]),
      () => random.pick(ENTRIES),
      () => String(anyValue(random, 0)),
    ])();
    return [name, wellFormed(value.slice(0, 2000))];
  });
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

/** Replaces unpaired surrogates, which a form cannot send. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "?");
}
