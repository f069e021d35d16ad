import { h } from "preact";
import { render } from "preact-render-to-string";
import { expect, it } from "vitest";
import type { WhyDocument } from "../../src/api/documents/why.js";
import type { SiteContext } from "../../src/portal/page.js";
import { WhyPage } from "../../src/portal/why/page.js";
import { textsOf } from "../../src/texts/index.js";
import { house } from "./dashboard-view.js";

const { site } = house();
const context: Partial<SiteContext> = {
  path: "/why",
  query: new URLSearchParams(),
  language: "de",
  texts: textsOf("de").portal,
  sites: [site],
  site,
  session: { takeFlash: () => undefined } as never,
  isStoreDown: false,
  now: new Date("2025-11-30T12:00:00Z"),
  asset: (name) => `/portal/${name}`,
};

/** Where the links of an hour lead: day before, hour before, next hour, next day. */
function steps(at: string): string[] {
  const hour = { at: new Date(at), document: undefined, first: "2025-01-01" };
  const html = render(h(WhyPage, { context: context as SiteContext, ...hour }));
  return [...html.matchAll(/href="\/why\?site=home&amp;at=([^"]+)"/g)].map(([, to]) =>
    decodeURIComponent(to!),
  );
}

it("leads to the same time of the day before and after, also over a clock change", () => {
  // 15:00 in Vienna on the day on which summer time ends; the day has 25 hours.
  expect(steps("2025-10-26T14:00:00Z")).toEqual([
    "2025-10-25T13:00:00Z",
    "2025-10-26T13:00:00Z",
    "2025-10-26T15:00:00Z",
    "2025-10-27T14:00:00Z",
  ]);
  // 15:00 on the day before summer time begins.
  expect(steps("2025-03-29T14:00:00Z").at(-1)).toBe("2025-03-30T13:00:00Z");
});

it("names the zone of the hour that the clock shows twice", () => {
  const title = (at: string) =>
    /<h2>([^<]+)</.exec(
      render(
        h(WhyPage, {
          context: context as SiteContext,
          at: new Date(at),
          document: undefined,
          first: "2025-01-01",
        }),
      ),
    )?.[1];
  expect(title("2025-10-26T00:00:00Z")).toMatch(/02:00 MESZ–02:00 MEZ$/);
  expect(title("2025-10-26T01:00:00Z")).toMatch(/02:00 MEZ–03:00$/);
});

it("has no rows of sun and battery in a home without them", () => {
  const kwh = { import: 0.4, export: 0, pv: 0, load: 0.4, charge: 0, discharge: 0 };
  const energies = Object.fromEntries(Object.entries(kwh).map(([name, value]) => [`${name}_kwh`, value]));
  const outcome = { ...energies, later_ct_kwh: null, cost_eur: 0.08, saved_eur: null };
  const document = { sentence: "", recorded: false, outcome } as unknown as WhyDocument;
  const of = (battery: object | null) => {
    const own = house({ battery }).site;
    const hour = { at: new Date("2025-11-30T08:00:00Z"), document, first: "2025-01-01" };
    const props = { context: { ...context, site: own, sites: [own] } as SiteContext, ...hour };
    return [...render(h(WhyPage, props)).matchAll(/<dt>([^<]+)<\/dt>/g)].map(([, name]) => name);
  };
  expect(of(null)).toEqual(["Verbrauch", "Aus dem Netz", "Bezahlt"]);
  expect(of({})).toEqual(expect.arrayContaining(["Eingespeist", "Batterie geladen", "Batterie entladen"]));
});
