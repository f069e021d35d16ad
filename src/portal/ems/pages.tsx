import type { Site } from "../../accounts/sites.js";
import type { PlantFinding } from "../../config/plant.js";
import type { TelemetryMapEntry } from "../../config/settings.js";
import type { Page, PageContext, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { FieldErrors } from "../ui/form.js";
import { formErrors } from "./form-errors.js";
import { EmsPage } from "./page.js";
import type { LastPayloads } from "./payload-preview.js";
import { requestedChange } from "./requested-change.js";
import { EMS_PATH } from "./section-form.js";
import { PLACE_KEYS, SECTIONS, type Section } from "./sections.js";

/** What the EMS settings page needs of the gateway. */
export interface EmsOptions {
  sites: {
    settings(siteId: string): {
      plant: Readonly<Record<string, unknown>>;
      telemetry: readonly object[] | null;
    };
    telemetryMap(siteId: string): readonly TelemetryMapEntry[];
    isConfigured(siteId: string): boolean;
    /** Throws an error with `findings` for settings that do not fit, StoreError. */
    change(
      siteId: string,
      change: { plant?: Record<string, unknown>; telemetry?: readonly object[] | null },
    ): Promise<unknown>;
  };
  /** Whether the topic map of a site may read the topic; others wait for the administrator's approval. */
  mayRead(siteId: string, filter: string): boolean;
  /** What mapped topics brought last; left out: nothing is known of them. */
  payloads?: LastPayloads;
}

/** The pages of the EMS settings. */
export function emsPages(options: EmsOptions): Page[] {
  const { sites } = options;

  const show = (context: PageContext, site: Site, refused: Refused = {}): PageReply => ({
    page: (
      <EmsPage
        context={context}
        held={{ plant: site.plant, telemetry: sites.telemetryMap(site.id) }}
        resettable={resettable(options, site.id)}
        typed={refused.typed ?? new Map()}
        errors={refused.errors ?? {}}
        saved={context.session.takeFlash("notice") === "saved"}
        isWaiting={({ topic }) => !options.mayRead(site.id, topic)}
        payloadsOf={(entry) =>
          options.payloads
            ?.lastPayloads(site.id)
            .filter(({ topic }) => options.payloads?.matches(entry.topic, topic) === true) ?? []
        }
      />
    ),
    status: refused.typed === undefined ? 200 : 422,
  });

  const save = async (context: PageContext, site: Site, form: FormBody): Promise<PageReply> => {
    const change = requestedChange(form, { plant: site.plant, telemetry: sites.telemetryMap(site.id) });
    const asked = {
      plant: change.plant,
      ...(change.resets.includes("telemetry")
        ? { telemetry: null }
        : change.telemetry !== undefined && { telemetry: change.telemetry }),
    };
    try {
      await sites.change(site.id, asked);
    } catch (error) {
      const findings = findingsOf(error);
      if (findings === undefined) throw error;
      return show(context, site, {
        typed: new Map(form.names().map((name) => [name, form.text(name)])),
        errors: formErrors(findings, change, context.language),
      });
    }
    context.session.flash("notice", "saved");
    const [first] = [...change.touched, ...change.resets];
    return { redirect: back(first ?? "place", change.touched.length > 1) };
  };

  const withSite =
    (handle: (context: PageContext, site: Site, form: FormBody) => PageReply | Promise<PageReply>) =>
    (context: PageContext, form: FormBody) =>
      context.site === undefined ? { redirect: "/settings/sites" } : handle(context, context.site, form);

  return [
    {
      method: "GET",
      path: EMS_PATH,
      access: "account",
      handle: withSite((context, site) => show(context, site)),
    },
    {
      method: "POST",
      path: EMS_PATH,
      access: "account",
      event: "settings.changed",
      handle: withSite(save),
    },
  ];
}

interface Refused {
  typed?: ReadonlyMap<string, string>;
  errors?: FieldErrors;
}

/** What is set in the portal over a plant of the configuration file, and so can go back to it. */
function resettable({ sites }: EmsOptions, siteId: string): ReadonlySet<Section> {
  if (!sites.isConfigured(siteId)) return new Set();
  const { plant, telemetry } = sites.settings(siteId);
  const isSet = (section: Section) => {
    if (section === "place") return PLACE_KEYS.some((key) => Object.hasOwn(plant, key));
    return section === "telemetry" ? telemetry !== null : Object.hasOwn(plant, section);
  };
  return new Set(SECTIONS.filter(isSet));
}

function back(section: Section, several: boolean): string {
  return several ? EMS_PATH : `${EMS_PATH}#${section}`;
}

/** The findings of settings that do not fit; undefined for any other error. */
function findingsOf(error: unknown): readonly PlantFinding[] | undefined {
  const findings = error instanceof Error && "findings" in error ? error.findings : undefined;
  return Array.isArray(findings) ? (findings as readonly PlantFinding[]) : undefined;
}
