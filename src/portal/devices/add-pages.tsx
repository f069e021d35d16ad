import type { SettingsHistory } from "../../accounts/settings-history.js";
import type { SiteRegistry } from "../../accounts/site-registry.js";
import { SiteSettingsError } from "../../accounts/site-registry.js";
import { deviceSchema } from "../../config/schema/device.js";
import type { DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { errorMessage } from "../../core/error-message.js";
import { numberFromText } from "../../core/number-text.js";
import { batteryModes } from "../../equipment/battery-modes.js";
import { ExpressionError } from "../../equipment/expression.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import { settingsOfFacts } from "../../equipment/reading/facts-settings.js";
import { offeredRoles, readingsParameter } from "../../equipment/reading/offered-readings.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import { flashUndo } from "../ems/saved-notice.js";
import type { FormBody } from "../form-body.js";
import { pagesOfSite, type SiteContext } from "../page.js";
import type { FieldErrors } from "../ui/form.js";
import { ADD_PATH, ConnectionPage, TemplatesPage } from "./add-page.js";
import { CHECK_PATH, CheckPage } from "./check-page.js";
import {
  deviceToSave,
  freeId,
  rolesTakenBy,
  slotChoices,
  usualReads,
  usualSlotValue,
} from "./device-to-save.js";
import type { ChosenReads, DeviceDraft, DeviceDrafts } from "./drafts.js";
import { DEVICES_PATH } from "./labels.js";
import { fieldOf, storedSecrets, storedTexts, typedParameters, typedTexts } from "./parameters.js";
import { readingTransports } from "./reading-transports.js";
import { sourcePages, sourcesUrl } from "./source-pages.js";

/** Services that the pages use which add a device. */
export interface AddPagesOptions {
  actuators: Pick<ActuatorService, "templates" | "templatesOf" | "settled">;
  devices: Pick<ReadingService, "list" | "preview" | "settled" | "entities">;
  sites: Pick<SiteRegistry, "settings">;
  /** Throws SiteSettingsError, StoreError. */
  history: Pick<SettingsHistory, "saveAtOnce">;
  drafts: DeviceDrafts;
}

const sitePage = pagesOfSite({ redirect: DEVICES_PATH });
/** Roles whose sign depends on how the meter is mounted. */
const SIGNED = ["grid", "battery", "pv"];
/** A role is only believed to be missing where the device does without it at any time: PV and loads can be off. */
const MAY_BE_ABSENT = ["grid", "battery"];

/** Adding a device by its template, or changing one: its connection, then what it says, then saving. */
export function addPages({ actuators, devices, sites, history, drafts }: AddPagesOptions): Page[] {
  const templateOf = (context: SiteContext, id: string) =>
    actuators.templatesOf(context.site.id).find((one) => one.id === id);

  const connection = (
    context: SiteContext,
    template: ActuatorTemplate,
    {
      text,
      typed,
      errors = {},
    }: {
      text: (name: string) => string;
      typed: ReadonlyMap<string, string>;
      errors?: FieldErrors;
    },
  ): PageReply => {
    const held = context.site.plant.devices.find(({ id }) => id === text("id"));
    const stored = held === undefined ? new Set<string>() : storedSecrets(template, held.with);
    const transports = readingTransports(template);
    const transport = transports.find((one) => one === text("transport")) ?? transports[0]!;
    return {
      page: <ConnectionPage {...{ context, template, transport, typed, stored, errors }} id={held?.id} />,
      status: Object.keys(errors).length === 0 ? 200 : 422,
    };
  };

  /** Keeps what was typed as a draft and leads to what the device says. */
  const typedIn = (context: SiteContext, form: FormBody): PageReply => {
    const { site, language, account } = context;
    const held = site.plant.devices.find(({ id }) => id === form.text("id"));
    const template = templateOf(context, held?.template ?? form.text("template"));
    const transport = form.text("transport");
    if (template === undefined || !readingTransports(template).includes(transport))
      return { redirect: ADD_PATH };
    const of = { template, transport, control: undefined, language, held: held?.with ?? {} };
    const { values, kept, errors } = typedParameters(form, of);
    const refuse = (all: FieldErrors) =>
      connection(context, template, {
        text: (name) => form.text(name),
        typed: typedTexts(form, template, []),
        errors: all,
      });
    if (Object.keys(errors).length > 0) return refuse(errors);
    // A password belongs to the address that it was entered for.
    const isMoved = ["host", "port", "broker", "url"].some((name) => held?.with[name] !== values[name]);
    if (kept.length > 0 && isMoved) {
      const { secretAgain } = textsOf(language).actuators.fault;
      return refuse(Object.fromEntries(kept.map((name) => [fieldOf(name), secretAgain])));
    }
    const settings: DeviceSettings = {
      ...newDevice(template.id, freeId(template.id, site.plant)),
      ...held,
      with: values as DeviceSettings["with"],
    };
    const reads = held?.reads?.map((role) => role.replace(/ \d$/, ""));
    const draft = {
      accountId: account.id,
      siteId: site.id,
      settings,
      replaces: held?.id,
      ...(reads && { chosen: { reads, isFallback: held!.fallback } }),
      back: DEVICES_PATH,
    };
    const token = drafts.put(draft);
    const hasSources = readingsParameter(template) !== undefined;
    return { redirect: hasSources ? sourcesUrl(site.id, token) : checkUrl(site.id, token) };
  };

  /** What the device fills: its facts, and what it can do with the battery. */
  const filledBy = (site: Site, template: ActuatorTemplate, { settings, facts = {} }: DeviceDraft) =>
    settingsOfFacts(
      { facts, modes: settings.controls === "battery" ? batteryModes(template, settings.with) : [] },
      site.plant,
      sites.settings(site.id).plant,
    );

  const preview = async (
    { site }: SiteContext,
    settings: DeviceSettings,
  ): Promise<{ view?: DeviceView; refusal?: string }> => {
    try {
      return { view: await devices.preview(site, { ...settings, reads: null }) };
    } catch (error) {
      if (!(error instanceof ActuatorInputError || error instanceof ExpressionError)) throw error;
      return { refusal: errorMessage(error) };
    }
  };

  const check = async (
    context: SiteContext,
    { token, draft, errors = {} }: { token: string; draft: DeviceDraft; errors?: FieldErrors },
  ): Promise<PageReply> => {
    const { site, language } = context;
    const { settings, replaces } = draft;
    const template = templateOf(context, settings.template);
    if (template === undefined) return { redirect: ADD_PATH };
    const transport = String(settings.with.transport ?? Object.keys(template.transports)[0]);
    const offers = offeredRoles(template, { transport, given: settings.with });
    const { view, refusal } = await preview(context, settings);
    const absent = view === undefined ? [] : absentRoles(view, offers);
    const facts = view?.facts ?? {};
    const serial = view?.identity.serial ?? settings.serial;
    drafts.put({ ...draft, settings: { ...settings, serial }, absent, facts }, token);
    const { taken } = filledBy(site, template, { ...draft, facts });
    const given = rolesTakenBy(devices.list(site.id), replaces);
    const takes = Object.keys(template.transports[transport]?.commands ?? {}).length > 0;
    const controls = takes ? template.controls : [];
    const hasSlot = offers.includes("slot") || controls.some((one) => one === "slot" || one === "sg_ready");
    return {
      page: (
        <CheckPage
          {...{ context, token, draft, template, view, refusal, controls, errors }}
          signed={SIGNED.filter((role) => offers.some((one) => one === role) && !absent.includes(role))}
          facts={Object.fromEntries(taken.map((name) => [name, facts[name]!]))}
          offers={offers}
          reads={draft.chosen ?? usualReads(offers, { absent, given })}
          given={given}
          slots={hasSlot ? slotChoices(site.plant, language) : undefined}
          chosenSlot={draft.slot ?? usualSlotValue(settings, template)}
        />
      ),
      status: Object.keys(errors).length === 0 ? 200 : 422,
    };
  };

  const save = async (context: SiteContext, token: string, draft: DeviceDraft): Promise<PageReply> => {
    const { site, language, session } = context;
    const { add } = textsOf(language).devicePages;
    const template = templateOf(context, draft.settings.template);
    if (template === undefined) return { redirect: ADD_PATH };
    const made = deviceToSave(draft, {
      template,
      plant: site.plant,
      given: rolesTakenBy(devices.list(site.id), draft.replaces),
      language,
    });
    if ("errors" in made) return check(context, { token, draft, errors: made.errors });
    const { plant: filled } = filledBy(site, template, draft);
    try {
      const saved = await history.saveAtOnce(site.id, { plant: { ...filled, ...made.plant } });
      flashUndo(context, site.id, saved);
    } catch (error) {
      if (!(error instanceof SiteSettingsError)) throw error;
      return check(context, { token, draft, errors: { name: add.refused(error.message) } });
    }
    drafts.remove(token);
    await Promise.all([devices.settled(), actuators.settled()]);
    const name =
      draft.settings.name ?? devices.list(site.id).find(({ id }) => id === draft.settings.id)?.name;
    const shown = name ?? template.name[language];
    session.flash("notice", (draft.replaces === undefined ? add.saved : add.changed)(shown));
    context.audit({ event: draft.replaces === undefined ? "device.added" : "device.changed", site: site.id });
    return { redirect: draft.back };
  };

  /** What is ticked; undefined: what is read anyway. */
  const chosenReads = (form: FormBody, context: SiteContext, draft: DeviceDraft): ChosenReads | undefined => {
    const template = templateOf(context, draft.settings.template);
    if (template === undefined) return draft.chosen;
    const transport = String(draft.settings.with.transport ?? Object.keys(template.transports)[0]);
    const offers = offeredRoles(template, { transport, given: draft.settings.with });
    const given = rolesTakenBy(devices.list(context.site.id), draft.replaces);
    const reads = offers.filter((role) => form.isTicked(`reads.${role}`));
    const isFallback = form.isTicked("fallback");
    const usual = usualReads(offers, { absent: draft.absent ?? [], given });
    const isUsual = isFallback === usual.isFallback && reads.join() === usual.reads.join();
    return draft.chosen === undefined && isUsual ? undefined : { reads, isFallback };
  };

  const draftOf = ({ account, site }: SiteContext, token: string) =>
    drafts.get(token, { accountId: account.id, siteId: site.id });
  const expired = (context: SiteContext): PageReply => {
    context.session.flash("outcome", textsOf(context.language).devicePages.add.expired);
    return { redirect: ADD_PATH };
  };

  return [
    ...sourcePages({ devices, drafts, templateOf, expired, next: checkUrl }),
    sitePage.get(ADD_PATH, async (context, site) => {
      await actuators.templates().readAll();
      const { query } = context;
      const held = site.plant.devices.find(({ id }) => id === query.get("id"));
      const template = templateOf(context, held?.template ?? query.get("template") ?? "");
      if (template === undefined || readingTransports(template).length === 0)
        return { page: <TemplatesPage context={context} templates={actuators.templatesOf(site.id)} /> };
      const given = [...query].filter(([name]) => name.startsWith("p."));
      const typed = new Map([...(held === undefined ? [] : storedTexts(template, held.with)), ...given]);
      const text = (name: string) =>
        query.get(name) ?? (name === "transport" ? String(held?.with.transport ?? "") : "");
      return connection(context, template, { text, typed });
    }),
    sitePage.post(ADD_PATH, { of: ADD_PATH }, (context, _site, form) => typedIn(context, form)),
    sitePage.get(CHECK_PATH, (context) => {
      const token = context.query.get("draft") ?? "";
      const draft = draftOf(context, token);
      return draft === undefined ? expired(context) : check(context, { token, draft });
    }),
    sitePage.post(CHECK_PATH, { of: ADD_PATH }, (context, site, form) => {
      const token = form.text("draft");
      const before = draftOf(context, token);
      if (before === undefined) return expired(context);
      const name = form.text("name").slice(0, 60);
      const pollS = typedPoll(form, before.settings.poll_s);
      const draft: DeviceDraft = {
        ...before,
        chosen: form.has("fallback") ? chosenReads(form, context, before) : before.chosen,
        slot: form.has("slot") ? form.text("slot") : before.slot,
        settings: {
          ...before.settings,
          name: name === "" ? null : name,
          poll_s: pollS ?? before.settings.poll_s,
          controls: form.has("controls")
            ? (form.text("controls") as DeviceSettings["controls"]) || null
            : before.settings.controls,
          reversed: SIGNED.filter((role) => form.isTicked(`reversed.${role}`)) as DeviceSettings["reversed"],
        },
      };
      drafts.put(draft, token);
      if (pollS === undefined) {
        const { range } = textsOf(context.language).actuators.fault;
        return check(context, { token, draft, errors: { poll_s: range(...POLL_S) } });
      }
      return form.text("do") === "save"
        ? save(context, token, draft)
        : { redirect: checkUrl(site.id, token) };
    }),
  ];
}

/** Least and most seconds from one reading to the next. */
const POLL_S = [deviceSchema.properties.poll_s.minimum, deviceSchema.properties.poll_s.maximum] as const;

/** The typed time from one reading to the next; undefined: it is not possible. */
function typedPoll(form: FormBody, heldS: number): number | undefined {
  if (!form.has("poll_s")) return heldS;
  const seconds = numberFromText(form.text("poll_s")) ?? Number.NaN;
  return Number.isInteger(seconds) && seconds >= POLL_S[0] && seconds <= POLL_S[1] ? seconds : undefined;
}

/** The page that shows what the device of a draft says. */
export function checkUrl(siteId: string, token: string): string {
  return `${CHECK_PATH}?${new URLSearchParams({ site: siteId, draft: token })}`;
}

/** A device as it is added: read only, all that it gives. */
export function newDevice(template: string, id: string): DeviceSettings {
  return {
    id,
    template,
    name: null,
    serial: null,
    with: {},
    reads: null,
    controls: null,
    dry_run: null,
    poll_s: 10,
    fallback: false,
    reversed: [],
  };
}

/** Roles of which an answering device gives no value at all, such as the meter of an inverter without one. */
function absentRoles({ readings, readAt }: DeviceView, offers: readonly string[]): string[] {
  if (readAt === null) return [];
  const isKnown = (names: readonly string[]) =>
    names.some((name) => (readings[name]?.value ?? null) !== null);
  const names: Readonly<Record<string, readonly string[]>> = {
    grid: ["grid_power_kw", "import_kwh"],
    battery: ["battery_power_kw", "soc_pct"],
  };
  return MAY_BE_ABSENT.filter((role) => offers.includes(role) && !isKnown(names[role]!));
}
