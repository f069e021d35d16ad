import type { MqttApprovals } from "../../accounts/mqtt-approvals.js";
import { type SavedChange, type SettingsHistory, UndoError } from "../../accounts/settings-history.js";
import type { SiteRegistry } from "../../accounts/site-registry.js";
import type { PlantFinding } from "../../config/plant.js";
import type { Site } from "../../config/site.js";
import type { ControlledMode } from "../../core/domain/battery.js";
import { filterMatches } from "../../core/domain/mqtt-filter.js";
import type { Language } from "../../core/language.js";
import { batteryDevice } from "../../equipment/battery-modes.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import { tariffRefusal } from "../bill/tariff-form.js";
import type { Page, PageContext, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { sitePageOrSites } from "../page.js";
import type { FieldErrors } from "../ui/form.js";
import { askedRemoval, ConfirmPage, fingerprint } from "./confirm-page.js";
import { HELD_FIELD, isSaved, typedOnOldPage } from "./conflict.js";
import { PRICES_PATH, pricesOfForm, type RefusedPrices, withDate } from "./dated-prices.js";
import { rowNames, rowPrefix } from "./fields.js";
import { formErrors } from "./form-errors.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { IndexPage } from "./index-page.js";
import { choiceText } from "./labels.js";
import type { LastPayload } from "./payload-preview.js";
import { postedTexts, requestedChange } from "./requested-change.js";
import { askedRow } from "./rows.js";
import { backOf, flashUndo, type LastChange, type SaveOutcome } from "./saved-notice.js";
import { EMS_PATH, summary } from "./section-form.js";
import { PLACE_KEYS, SECTIONS, type Section, SUBJECTS, type Subject, subjectOf } from "./sections.js";
import { SubjectPage } from "./subject-page.js";
import { type UnlikelyQuestion, unlikelyQuestion } from "./unlikely-values.js";
import { rowKindsOf, sectionsIn, subjectsOf, type View, viewsOf } from "./views.js";

/** Most rows of a list in a form: the portal sends one, and a page with hundreds of them takes half a second. */
const MOST_ROWS = 100;

function rowCount(form: FormBody, subject: Subject): number {
  const counts = rowKindsOf(subject).map((kind) => rowNames(form.names(), rowPrefix(kind)).length);
  return Math.max(0, ...counts);
}

/** What the EMS settings page needs of the gateway. */
export interface EmsOptions {
  sites: Pick<SiteRegistry, "settings" | "telemetryMap" | "isConfigured">;
  /** Saves settings. Throws an error with `findings` for settings that do not fit, UndoError, StoreError. */
  history: Pick<SettingsHistory, "save" | "undo" | "list" | "isComputing">;
  /** Whether the topic map of a site may read the topic; others wait for the administrator's approval. */
  approvals: Pick<MqttApprovals, "mayRead">;
  /** A template of devices by its id. */
  templateOf(id: string): ActuatorTemplate | undefined;
  /** What mapped topics brought last, the newest first. */
  mqtt: { lastPayloads(siteId: string): readonly LastPayload[] };
}

/** The pages of the EMS settings. */
export function emsPages(options: EmsOptions): Page[] {
  const { sites, history } = options;

  const heldOf = (site: Site): HeldSettings => ({
    plant: site.plant,
    telemetry: sites.telemetryMap(site.id),
  });

  const lastOf = async (siteId: string, subject?: Subject): Promise<LastChange | undefined> => {
    const changes = await history.list(siteId);
    const change =
      subject === undefined ? changes[0] : changes.find((one) => subjectsOf(one).includes(subject));
    return change && { change, isComputing: history.isComputing(change) };
  };

  const showIndex = async (context: PageContext, site: Site): Promise<PageReply> => ({
    page: (
      <IndexPage
        context={context}
        held={heldOf(site)}
        last={await lastOf(site.id)}
        outcome={outcomeOf(context)}
      />
    ),
  });

  const showViews = async (
    context: PageContext,
    site: Site,
    views: readonly View[],
    refused: Refused = {},
  ): Promise<PageReply> => ({
    page: (
      <SubjectPage
        context={context}
        views={views}
        held={heldOf(site)}
        resettable={resettable(options, site.id)}
        typed={refused.typed ?? new Map()}
        errors={refused.errors ?? {}}
        question={refused.question}
        refused={refused.why}
        prices={refused.prices}
        last={views.length === 1 ? await lastOf(site.id, views[0]!.subject) : undefined}
        outcome={refused.status === undefined ? outcomeOf(context) : undefined}
        news={{
          isWaiting: ({ topic }) => !options.approvals.mayRead(site.id, topic),
          payloadsOf: (entry) =>
            options.mqtt.lastPayloads(site.id).filter(({ topic }) => filterMatches(entry.topic, topic)),
        }}
      />
    ),
    status: refused.status ?? 200,
  });

  const showSubject = (subject: Subject) => (context: PageContext, site: Site) => {
    const held = heldOf(site);
    const removal = askedRemoval(context, subject, held);
    if (removal !== undefined)
      return { page: <ConfirmPage context={context} held={held} removal={removal} subject={subject} /> };
    const [kind] = rowKindsOf(subject);
    const row = kind && askedRow(kind, context.query.get("row"), held);
    const isRow = kind !== undefined && row !== undefined;
    return showViews(context, site, [{ subject, ...(isRow && { rows: { kind, names: [row] } }) }]);
  };

  const save = async (context: PageContext, site: Site, form: FormBody): Promise<PageReply> => {
    const held = heldOf(site);
    const crowded = SUBJECTS.filter((subject) => rowCount(form, subject) > MOST_ROWS);
    if (crowded.length > 0) {
      const why = textsOf(context.language).home.refused.tooManyRows(MOST_ROWS);
      const views = crowded.map((subject) => ({ subject }));
      return showViews(context, site, views, { why, status: 422 });
    }
    const change = requestedChange(form, held);
    const sections = [...change.touched, ...change.resets];
    const removed = form.text("remove") || form.text("reset");
    if (form.has("seen") && form.text("seen") !== fingerprint(held, removed)) {
      const { stale } = textsOf(context.language).home.refused;
      return showViews(context, site, viewsOf(sections, []), { why: stale, status: 409 });
    }
    const texts = heldTexts(held);
    const typedBefore = typedOnOldPage(form, texts, sections);
    if (typedBefore !== undefined) {
      if (isSaved(form, texts)) return { redirect: pathOf(sections.map(subjectOf)) };
      const { outdated } = textsOf(context.language).home.refused;
      const views = viewsOf(sections, form.names());
      return showViews(context, site, views, { typed: typedBefore, why: outdated, status: 409 });
    }
    const typed = postedTexts(form);
    // A program has sent what it means, and a preset is what its button says.
    if (form.has(HELD_FIELD) && !form.has("preset")) {
      const question = unlikelyQuestion(site.plant, change.plant, context.language);
      if (question !== undefined && form.text("confirmed") !== question.confirmation)
        return showViews(context, site, viewsOf(sections, form.names()), { typed, question, status: 422 });
    }
    const plant = withDate(site.plant, change.plant, form);
    if (plant === undefined) {
      const why = textsOf(context.language).home.validFrom.invalid;
      return showViews(context, site, viewsOf(sections, form.names()), { typed, why, status: 422 });
    }
    const asked = {
      plant,
      ...(change.resets.includes("telemetry")
        ? { telemetry: null }
        : change.telemetry !== undefined && { telemetry: change.telemetry }),
    };
    // A form without that field is about something else.
    const missing = typed.has("battery.controls") ? missingModes(site, plant.battery) : undefined;
    if (missing !== undefined) {
      const { modes } = textsOf(context.language).ems.findings;
      const errors = {
        "battery.controls": modes(missing.device(context.language), missing.names(context.language)),
      };
      return showViews(context, site, viewsOf(sections, form.names()), { typed, errors, status: 422 });
    }
    let saved: SavedChange | undefined;
    try {
      saved = await history.save(site.id, asked);
    } catch (error) {
      const findings = findingsOf(error);
      if (findings === undefined) throw error;
      const errors = formErrors(findings, change, context.language);
      const views = viewsOf(sections, form.names());
      const why = errorsElsewhere(errors, views, context.language);
      return showViews(context, site, views, { typed, errors, why, status: 422 });
    }
    context.session.flash("notice", saved === undefined ? "unchanged" : "saved");
    return { redirect: pathOf(sections.map(subjectOf)) };
  };

  /** Modes of a battery that its device does not have, although they are in the settings. */
  const missingModes = (site: Site, battery: unknown) => {
    const { controls } = (battery ?? {}) as { controls?: readonly ControlledMode[] };
    const device = batteryDevice(site.plant, options.templateOf);
    const missing = device && controls?.filter((mode) => !device.modes.includes(mode));
    if (device === undefined || missing === undefined || missing.length === 0) return undefined;
    if (device.modes.length === 0) return undefined;
    return {
      device: (language: Language) => device.template.name[language],
      names: (language: Language) => missing.map((mode) => choiceText(mode, language)).join(", "),
    };
  };

  const savePrices = async (context: SignedInContext, site: Site, form: FormBody): Promise<PageReply> => {
    const show = (refused: Pick<RefusedPrices, "errors" | "why" | "question">) => {
      const text = (name: string) => (form.has(name) ? form.text(name) : undefined);
      const prices = { text, ...refused };
      return showViews(context, site, [{ subject: "tariff" }], { prices, status: 422 });
    };
    const asked = pricesOfForm({ ...context, site }, form);
    if ("errors" in asked) return show(asked);
    const question = unlikelyQuestion(site.plant, asked, context.language);
    if (question !== undefined && form.text("confirmed") !== question.confirmation)
      return show({ errors: {}, question });
    try {
      const saved = await history.save(site.id, { plant: { tariff: asked.tariff } });
      context.session.flash("notice", saved === undefined ? "unchanged" : "saved");
      return { redirect: PRICES_PATH };
    } catch (error) {
      return show({ errors: {}, why: tariffRefusal(error, context.language) });
    }
  };

  const undo = async (context: PageContext, site: Site, form: FormBody): Promise<PageReply> => {
    const { refused } = textsOf(context.language).home;
    try {
      const change = await history.undo(site.id, form.text("id"));
      const back = backOf(form);
      if (back !== undefined) {
        const { unchanged, undone } = textsOf(context.language).home.saved;
        context.session.flash("notice", change === undefined ? unchanged : undone);
        flashUndo(context, site.id, change);
        return { redirect: back };
      }
      context.session.flash("notice", change === undefined ? "unchanged" : "undone");
      return { redirect: pathOf(change === undefined ? [] : subjectsOf(change)) };
    } catch (error) {
      const why =
        error instanceof UndoError
          ? refused[error.code]
          : findingsOf(error) === undefined
            ? undefined
            : refused.invalid;
      if (why === undefined) throw error;
      const subjects = SUBJECTS.filter((subject) => subject === form.text("subject"));
      return showViews(
        context,
        site,
        subjects.map((subject) => ({ subject })),
        { why, status: 409 },
      );
    }
  };

  return [
    sitePageOrSites.get(EMS_PATH, showIndex),
    ...SUBJECTS.map((subject) => sitePageOrSites.get(`${EMS_PATH}/${subject}`, showSubject(subject))),
    sitePageOrSites.post(EMS_PATH, { event: "settings.changed" }, save),
    sitePageOrSites.post(PRICES_PATH, { event: "settings.changed" }, savePrices),
    sitePageOrSites.post(`${EMS_PATH}/undo`, { of: EMS_PATH, event: "settings.changed" }, undo),
  ];
}

interface Refused {
  typed?: ReadonlyMap<string, string>;
  errors?: FieldErrors;
  question?: UnlikelyQuestion;
  /** Why nothing was done. */
  why?: string | undefined;
  /** A form of prices with dates. */
  prices?: RefusedPrices;
  status?: 409 | 422;
}

/** What the last form did, shown once; a script that looks for the new plan gets the parts about it, and leaves that. */
function outcomeOf({ session, query }: PageContext): SaveOutcome | undefined {
  if (query.has("look")) return "saved";
  const notice = session.takeFlash("notice");
  return (["saved", "undone", "unchanged"] as const).find((outcome) => outcome === notice);
}

/** The page of a change: that of its subject, or the index if there are several. */
function pathOf(subjects: readonly Subject[]): string {
  const [first, ...others] = new Set(subjects);
  return first === undefined || others.length > 0 ? EMS_PATH : `${EMS_PATH}/${first}`;
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

/** The findings of settings that do not fit; undefined for any other error. */
function findingsOf(error: unknown): readonly PlantFinding[] | undefined {
  const findings = error instanceof Error && "findings" in error ? error.findings : undefined;
  return Array.isArray(findings) ? (findings as readonly PlantFinding[]) : undefined;
}
