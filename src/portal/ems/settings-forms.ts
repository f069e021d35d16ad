import type { SavedChange, SettingsHistory } from "../../accounts/settings-history.js";
import type { SiteRegistry } from "../../accounts/site-registry.js";
import { nodesAt } from "../../config/kit/node.js";
import type { PlantFinding } from "../../config/plant.js";
import { plantSchema } from "../../config/schema/plant.js";
import type { Site } from "../../config/site.js";
import type { ControlledMode } from "../../core/domain/battery.js";
import type { Language } from "../../core/language.js";
import { batteryDevice } from "../../equipment/battery-modes.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import type { TariffPeriod } from "../../tariff/tariff.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { FieldErrors } from "../ui/form.js";
import { dateIn, FROM_FIELD } from "../ui/from-date.js";
import { fingerprint } from "./confirm-page.js";
import type { FieldTexts } from "./field-text.js";
import { fieldNamed, rowNames } from "./fields.js";
import { findingText, formErrors } from "./form-errors.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { choiceText } from "./labels.js";
import { type HourPrice, type PriceServices, priceNow } from "./price-note.js";
import {
  HELD_FIELD,
  isSaved,
  postedTexts,
  type RequestedChange,
  requestedChange,
  typedOnOldPage,
} from "./requested-change.js";
import { summary } from "./section-form.js";
import {
  PLACE_KEYS,
  prefixOf,
  SECTIONS,
  type Section,
  SUBJECTS,
  type Subject,
  subjectOf,
} from "./sections.js";
import { changedTariff, SEEN_FIELD, tariffFieldAt, tariffMark, withoutPeriod } from "./tariff-fields.js";
import { changedPlant, type UnlikelyQuestion, unlikelyQuestion } from "./unlikely-values.js";
import { rowKindOf, sectionsIn, type View, viewsOf } from "./views.js";

/** Most rows of a list in a form: the portal sends one, and a page with hundreds of them takes half a second. */
const MOST_ROWS = 100;

/** What the forms of the settings need of the gateway. */
export interface SettingsFormsOptions {
  sites: Pick<SiteRegistry, "settings" | "telemetryMap" | "isConfigured">;
  /** Saves settings. Throws an error with `findings` for settings that do not fit, StoreError. */
  history: Pick<SettingsHistory, "save" | "saveAtOnce">;
  /** A template of devices by its id. */
  templateOf(id: string): ActuatorTemplate | undefined;
  services: PriceServices;
}

/** A form that was not saved. */
export interface RefusedForm {
  /** The forms that show it again. */
  views: readonly View[];
  typed?: FieldTexts;
  errors?: FieldErrors;
  question?: UnlikelyQuestion;
  /** Why nothing was done. */
  why?: string | undefined;
  status: 200 | 409 | 422;
}

/** What a form did: the change, undefined where nothing differs, and the subjects that it is about. */
export interface SavedForm {
  saved: SavedChange | undefined;
  subjects: readonly Subject[];
}

/** The forms of the settings of a site: what they hold, and what is saved of them. */
export class SettingsForms {
  readonly #options: SettingsFormsOptions;

  constructor(options: SettingsFormsOptions) {
    this.#options = options;
  }

  held(site: Site): HeldSettings {
    return { id: site.id, plant: site.plant, telemetry: this.#options.sites.telemetryMap(site.id) };
  }

  /** What is set in the portal over a plant of the configuration file, and so can go back to it. */
  resettable(siteId: string): ReadonlySet<Section> {
    const { sites } = this.#options;
    if (!sites.isConfigured(siteId)) return new Set();
    const { plant, telemetry } = sites.settings(siteId);
    const isSet = (section: Section) => {
      if (section === "place") return PLACE_KEYS.some((key) => Object.hasOwn(plant, key));
      return section === "telemetry" ? telemetry !== null : Object.hasOwn(plant, section);
    };
    return new Set(SECTIONS.filter(isSet));
  }

  /** The price of the present hour under the tariff of a form, or under that in force. */
  price(context: PageContext, site: Site, form?: FormBody): HourPrice | undefined {
    const { services } = this.#options;
    const change = form && changedTariff(form, { ...context, plant: site.plant });
    if (change === undefined) return priceNow(services, site.plant);
    if ("errors" in change) return undefined;
    const parsed = changedPlant(site.plant, { tariff: change.tariff });
    return "findings" in parsed
      ? undefined
      : priceNow(services, parsed.plant, dateIn(form!.text(FROM_FIELD)));
  }

  /**
   * Saves what a form changes. With `isAtOnce` it does not wait for the effect on the plan. Throws StoreError.
   */
  async save(
    context: PageContext,
    site: Site,
    form: FormBody,
    { isAtOnce = false } = {},
  ): Promise<SavedForm | { refused: RefusedForm }> {
    const { history } = this.#options;
    const { language } = context;
    const { home } = textsOf(language);
    const held = this.held(site);
    const typed = postedTexts(form);
    const crowded = SUBJECTS.filter((subject) => rowCount(form, subject) > MOST_ROWS);
    if (crowded.length > 0) {
      const views = crowded.map((subject) => ({ subject }));
      return { refused: { views, why: home.refused.tooManyRows(MOST_ROWS), status: 422 } };
    }
    const change = requestedChange(form, held, language);
    const tariff = form.has("remove")
      ? tariffWithout(form, site)
      : changedTariff(form, { ...context, plant: site.plant });
    const made = tariff !== undefined && "tariff" in tariff ? tariff : undefined;
    const isTariff = tariff !== undefined || form.has(SEEN_FIELD);
    const sections = [...change.touched, ...change.resets, ...(isTariff ? (["tariff"] as const) : [])];
    const refuse = (
      refused: Omit<RefusedForm, "views">,
      views = viewsOf(postedSections(form, sections), form.names()),
    ) => ({
      refused: { ...refused, views },
    });
    if (form.has("preview")) return refuse({ typed, status: 200 });
    const removed = form.text("remove") || form.text("reset");
    if (form.has("seen") && form.text("seen") !== fingerprint(held, removed))
      return refuse({ why: home.refused.stale, status: 409 }, viewsOf(sections, []));
    const texts = heldTexts(held);
    const typedBefore = typedOnOldPage(form, texts, sections);
    if (typedBefore !== undefined) {
      if (isSaved(form, texts)) return { saved: undefined, subjects: sections.map(subjectOf) };
      return refuse({ typed: typedBefore, why: home.refused.outdated, status: 409 });
    }
    const isSeen = !form.has(SEEN_FIELD) || form.text(SEEN_FIELD) === tariffMark(site.plant.tariff);
    if (tariff !== undefined && !isSeen) return refuse({ why: home.refused.outdated, status: 422 });
    const errors = { ...change.errors, ...(tariff !== undefined && "errors" in tariff && tariff.errors) };
    if (Object.keys(errors).length > 0) return refuse({ typed, errors, status: 422 });
    const plant = { ...change.plant, ...(made && { tariff: made.tariff }) };
    // A program has sent what it means, and what is removed was asked about.
    if (form.has(HELD_FIELD) || (made !== undefined && removed === "")) {
      const question = unlikelyQuestion(site.plant, plant, language, made?.examined);
      if (question !== undefined && form.text("confirmed") !== question.confirmation)
        return refuse({ typed, question, status: 422 });
    }
    const missing = change.touched.includes("battery")
      ? this.#missingModes(site, change.plant.battery)
      : undefined;
    if (missing !== undefined && typed.has("battery.controls"))
      return refuse({ typed, errors: { "battery.controls": missing(language) }, status: 422 });
    const asked = {
      plant,
      ...(change.resets.includes("telemetry")
        ? { telemetry: null }
        : change.telemetry !== undefined && { telemetry: change.telemetry }),
    };
    const subjects = postedSections(form, sections).map(subjectOf);
    if (Object.keys(plant).length === 0 && !("telemetry" in asked)) return { saved: undefined, subjects };
    try {
      const saved = isAtOnce ? await history.saveAtOnce(site.id, asked) : await history.save(site.id, asked);
      return { saved, subjects };
    } catch (error) {
      const findings = findingsOf(error);
      if (findings === undefined) throw error;
      return refuse(refusedBy(findings, { change, form, sections, typed, language }));
    }
  }

  /** Says which modes of a battery its device does not have, although they are in the settings; undefined: it has all. */
  #missingModes(site: Site, battery: unknown): ((language: Language) => string) | undefined {
    const { controls } = (battery ?? {}) as { controls?: readonly ControlledMode[] };
    const device = batteryDevice(site.plant, this.#options.templateOf);
    if (device === undefined || device.modes.length === 0) return undefined;
    const missing = controls?.filter((mode) => !device.modes.includes(mode)) ?? [];
    if (missing.length === 0) return undefined;
    return (language) =>
      textsOf(language).ems.findings.modes(
        device.template.name[language],
        missing.map((mode) => choiceText(mode, language)).join(", "),
      );
  }
}

function rowCount(form: FormBody, subject: Subject): number {
  const kind = rowKindOf(subject);
  return kind === undefined ? 0 : rowNames(form.names(), prefixOf(kind)).length;
}

/** The sections of a form: those that it changes, or those of its fields where it changes none. */
function postedSections(form: FormBody, changed: readonly Section[]): Section[] {
  const names = form.names().filter((name) => fieldNamed(name) !== undefined);
  const posted = SECTIONS.filter((section) =>
    names.some((name) => (section === "place" ? !name.includes(".") : name.startsWith(prefixOf(section)))),
  );
  return [...new Set([...changed, ...posted])];
}

/** The tariff without a period that a form removes: `tariff.2026-03-01`. */
function tariffWithout(
  form: FormBody,
  { plant }: Site,
): { tariff: readonly TariffPeriod[]; examined?: undefined } | undefined {
  const [, date] = /^tariff\.(\d{4}-\d{2}-\d{2})$/.exec(form.text("remove")) ?? [];
  const periods = date === undefined ? undefined : withoutPeriod(plant.tariff, date);
  return periods && { tariff: periods };
}

/** What the check of the settings says, at its fields. */
function refusedBy(
  findings: readonly PlantFinding[],
  {
    change,
    form,
    sections,
    typed,
    language,
  }: {
    change: RequestedChange;
    form: FormBody;
    sections: readonly Section[];
    typed: FieldTexts;
    language: Language;
  },
): Omit<RefusedForm, "views"> {
  const ofTariff = findings.filter(({ path }) => path[0] === "tariff");
  const errors = {
    ...formErrors(
      findings.filter((one) => !ofTariff.includes(one)),
      change,
      language,
    ),
    ...Object.fromEntries(
      ofTariff.map(({ path, rule }) => [
        tariffFieldAt(path),
        findingText({ rule }, nodesAt(plantSchema, path)[0], language),
      ]),
    ),
  };
  const views = viewsOf(postedSections(form, sections), form.names());
  return { typed, errors, why: errorsElsewhere(errors, views, language), status: 422 };
}

/** Reasons at fields that the page does not show, such as a topic that names a removed battery. */
function errorsElsewhere(
  errors: FieldErrors,
  views: readonly View[],
  language: Language,
): string | undefined {
  const shown = sectionsIn(views);
  const { sections } = textsOf(language).ems;
  const texts = SECTIONS.filter((section) => !shown.includes(section)).flatMap((section) =>
    Object.values(summary({ errors, language }, section)).map(
      (text) => `${sections[section].title}: ${text}`,
    ),
  );
  return texts.length === 0 ? undefined : texts.join(" ");
}

/** The findings of settings that do not fit; undefined for any other error. */
export function findingsOf(error: unknown): readonly PlantFinding[] | undefined {
  const findings = error instanceof Error && "findings" in error ? error.findings : undefined;
  return Array.isArray(findings) ? (findings as readonly PlantFinding[]) : undefined;
}
