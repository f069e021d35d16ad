import type { SettingsHistory } from "../../accounts/settings-history.js";
import { type SiteRegistry, SiteSettingsError } from "../../accounts/site-registry.js";
import { commandSettings } from "../../config/commanded-devices.js";
import { deviceSchema } from "../../config/schema/device.js";
import type { DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { errorMessage } from "../../core/error-message.js";
import type { Language } from "../../core/language.js";
import { typedNumber } from "../../core/number-text.js";
import { batteryModes } from "../../equipment/battery-modes.js";
import { DeviceError } from "../../equipment/command.js";
import { ExpressionError } from "../../equipment/expression.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import { settingsOfFacts } from "../../equipment/reading/facts-settings.js";
import { readingsParameter } from "../../equipment/reading/offered-readings.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { Control } from "../../equipment/states.js";
import { type ActuatorTemplate, commandTransports } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { SiteContext } from "../page.js";
import type { FieldErrors } from "../ui/form.js";
import { flashUndo } from "../ui/notices.js";
import { CheckPage, DEVICE_NUMBERS } from "./check-page.js";
import {
  deviceToSave,
  offersOf,
  rolesTakenBy,
  slotChoices,
  transportOf,
  usualReads,
  usualSlotValue,
} from "./device-to-save.js";
import {
  type ChosenReads,
  type DeviceDraft,
  type DeviceDrafts,
  draftPages,
  type OpenDraft,
} from "./drafts.js";
import {
  ADD_PATH,
  CHECK_PATH,
  checkUrl,
  DEVICES_PATH,
  deviceFaultText,
  deviceUrl,
  SOURCES_PATH,
} from "./labels.js";
import { fieldErrors, needsControl } from "./parameters.js";
import { fieldOfReading, SourcesPage } from "./sources-page.js";

/** Services that the pages use which show and save a device. */
export interface CheckPagesOptions {
  actuators: Pick<ActuatorService, "templatesOf" | "settled" | "faultsOf">;
  devices: Pick<ReadingService, "list" | "preview" | "settled" | "entities">;
  sites: Pick<SiteRegistry, "settings">;
  /** Throws SiteSettingsError, StoreError. */
  history: Pick<SettingsHistory, "saveAtOnce">;
  drafts: DeviceDrafts;
}

/** Roles whose sign depends on how the meter is mounted. */
const SIGNED = ["grid", "battery", "pv"];
/** The readings of the roles that a device may do without at any time; PV and loads can be off. */
const MAY_BE_ABSENT: Readonly<Record<string, readonly string[]>> = {
  grid: ["grid_power_kw", "import_kwh"],
  battery: ["battery_power_kw", "soc_pct"],
};

/** What a device says before it is saved, and before that the source of each of its readings where it has any to choose. */
export function checkPages({ actuators, devices, sites, history, drafts }: CheckPagesOptions): Page[] {
  const templateOf = ({ site }: SiteContext, id: string) =>
    actuators.templatesOf(site.id).find((one) => one.id === id);

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
    { token, draft, template }: OpenDraft,
    errors: FieldErrors = {},
  ): Promise<PageReply> => {
    const { site, language } = context;
    const { settings } = draft;
    const offers = offersOf(template, settings);
    const { view, refusal } = offers.length === 0 ? {} : await preview(context, settings);
    const absent = view === undefined ? [] : absentRoles(view, offers);
    const facts = view?.facts ?? {};
    const serial = view?.identity.serial ?? settings.serial;
    drafts.put({ ...draft, settings: { ...settings, serial }, absent, facts }, token);
    const { taken } = filledBy(site, template, { ...draft, facts });
    const given = rolesTakenBy(devices.list(site.id), draft.replaces);
    const controls = controlsOffered(template, settings);
    const hasSlot = offers.includes("slot") || controls.some((one) => one === "slot" || one === "sg_ready");
    return {
      page: (
        <CheckPage
          {...{ context, token, draft, template, view, refusal, offers, given, controls, errors }}
          signed={SIGNED.filter((role) => offers.some((one) => one === role) && !absent.includes(role))}
          facts={Object.fromEntries(taken.map((name) => [name, facts[name]!]))}
          reads={draft.chosen ?? usualReads(offers, { absent, given })}
          slots={hasSlot ? slotChoices(site.plant, language) : undefined}
          chosenSlot={draft.slot ?? usualSlotValue(settings, template)}
        />
      ),
      status: Object.keys(errors).length === 0 ? 200 : 422,
    };
  };

  const save = async (context: SiteContext, open: OpenDraft): Promise<PageReply> => {
    const { site, language, session } = context;
    const { token, draft, template } = open;
    const { add } = textsOf(language).devicePages;
    const given = rolesTakenBy(devices.list(site.id), draft.replaces);
    const made = deviceToSave(draft, { template, plant: site.plant, given, language });
    if ("errors" in made) return check(context, open, made.errors);
    const commands = commandSettings(made.device, () => true);
    const faults = commands === undefined ? [] : actuators.faultsOf(site, commands);
    if (faults.length > 0) {
      const [reason = ""] = Object.values(fieldErrors(faults, template, language));
      return check(context, open, { controls: reason });
    }
    const { plant: filled } = filledBy(site, template, draft);
    try {
      const saved = await history.saveAtOnce(site.id, { plant: { ...filled, ...made.plant } });
      flashUndo(context, site.id, saved, draft.back);
    } catch (error) {
      if (!(error instanceof SiteSettingsError)) throw error;
      return check(context, open, { name: add.refused(error.message) });
    }
    drafts.remove(token);
    await Promise.all([devices.settled(), actuators.settled()]);
    const { id, name, controls } = made.device;
    const shown = name ?? devices.list(site.id).find((one) => one.id === id)?.name ?? template.name[language];
    const isNew = draft.replaces === undefined;
    const isDry = isNew && controls !== null;
    session.flash("notice", isDry ? add.savedDry : (isNew ? add.saved : add.changed)(shown));
    context.audit({ event: isNew ? "device.added" : "device.changed", site: site.id });
    return { redirect: isDry && draft.back === DEVICES_PATH ? deviceUrl(site.id, id) : draft.back };
  };

  /** What is ticked; undefined: what is read anyway. */
  const chosenReads = (
    form: FormBody,
    { site }: SiteContext,
    { draft, template }: OpenDraft,
  ): ChosenReads | undefined => {
    const offers = offersOf(template, draft.settings);
    const given = rolesTakenBy(devices.list(site.id), draft.replaces);
    const reads = offers.filter((role) => form.isTicked(`reads.${role}`));
    const isFallback = form.isTicked("fallback");
    const usual = usualReads(offers, { absent: draft.absent ?? [], given });
    const isUsual = isFallback === usual.isFallback && reads.join() === usual.reads.join();
    return draft.chosen === undefined && isUsual ? undefined : { reads, isFallback };
  };

  const typedIn = (context: SiteContext, open: OpenDraft, form: FormBody) => {
    const { token, draft: before } = open;
    const { settings } = before;
    const name = form.text("name").slice(0, 60);
    const { numbers, errors } = typedNumbers(form, context.language);
    const draft: DeviceDraft = {
      ...before,
      chosen: form.has("fallback") ? chosenReads(form, context, open) : before.chosen,
      slot: form.has("slot") ? form.text("slot") : before.slot,
      settings: {
        ...settings,
        name: name === "" ? null : name,
        ...numbers,
        controls: form.has("controls")
          ? (form.text("controls") as DeviceSettings["controls"]) || null
          : settings.controls,
        reversed: SIGNED.filter((role) => form.isTicked(`reversed.${role}`)) as DeviceSettings["reversed"],
      },
    };
    drafts.put(draft, token);
    if (Object.keys(errors).length > 0) return check(context, { ...open, draft }, errors);
    return form.text("do") === "save"
      ? save(context, { ...open, draft })
      : { redirect: checkUrl(context.site.id, token) };
  };

  /** What the system itself offers for each reading, such as the entities of Home Assistant. */
  const choicesOf = async ({ site, language }: SiteContext, { settings }: DeviceDraft) => {
    try {
      return { choices: await devices.entities(site, settings) };
    } catch (error) {
      if (error instanceof DeviceError) return { failure: deviceFaultText(error, language) };
      if (error instanceof ActuatorInputError || error instanceof ExpressionError)
        return { failure: errorMessage(error) };
      throw error;
    }
  };
  const sources = async (
    context: SiteContext,
    { token, draft, template }: OpenDraft,
    errors: FieldErrors = {},
  ) => {
    const named = readingsParameter(template);
    if (named === undefined) return { redirect: ADD_PATH };
    const [name, parameter] = named;
    const held = draft.settings.with[name];
    return {
      page: (
        <SourcesPage
          {...{ context, token, template, errors, ...(await choicesOf(context, draft)) }}
          hint={parameter.hint?.[context.language]}
          held={typeof held === "object" && held !== null ? (held as Record<string, unknown>) : {}}
        />
      ),
      status: Object.keys(errors).length === 0 ? 200 : 422,
    };
  };
  const chosenSources = (context: SiteContext, open: OpenDraft, form: FormBody) => {
    const { token, draft, template } = open;
    const [name] = readingsParameter(template) ?? [];
    if (name === undefined) return { redirect: ADD_PATH };
    const readings = Object.keys(template.readings ?? {});
    const typed = readings.map((one) => [one, form.text(fieldOfReading(one)).slice(0, 200)] as const);
    const chosen = typed.filter(([, text]) => text !== "");
    const given = { ...draft.settings.with, [name]: Object.fromEntries(chosen) };
    const changed = { ...draft, settings: { ...draft.settings, with: given } };
    if (chosen.length === 0) {
      const { noSource } = textsOf(context.language).devicePages.add;
      return sources(context, { ...open, draft: changed }, { [fieldOfReading(readings[0] ?? "")]: noSource });
    }
    drafts.put({ ...changed, chosen: undefined }, token);
    return { redirect: checkUrl(context.site.id, token) };
  };

  return [
    ...draftPages(SOURCES_PATH, drafts, { templateOf, show: sources, send: chosenSources }),
    ...draftPages(CHECK_PATH, drafts, { templateOf, show: check, send: typedIn }),
  ];
}

/** What a device can be made to control by a form: all that its template is for, or what its parameters are for. */
function controlsOffered(template: ActuatorTemplate, settings: DeviceSettings): readonly Control[] {
  const transport = transportOf(template, settings);
  if (!commandTransports(template).includes(transport)) return [];
  if (!needsControl(template, transport)) return template.controls;
  return template.controls.filter((one) => one === settings.controls?.split(" ")[0]);
}

type Numbers = Pick<DeviceSettings, (typeof DEVICE_NUMBERS)[number]>;

/** The numbers of a form; an empty one is the usual one, which may be that of the template. */
function typedNumbers(form: FormBody, language: Language) {
  const { fault } = textsOf(language).actuators;
  const numbers: Partial<Numbers> = {};
  const errors: Record<string, string> = {};
  for (const name of DEVICE_NUMBERS.filter((one) => form.has(one))) {
    const { minimum, maximum, type, default: usual } = deviceSchema.properties[name];
    const text = form.text(name);
    const value = text === "" ? usual : (typedNumber(text) ?? Number.NaN);
    if (value !== null && !(value >= minimum && value <= maximum))
      errors[name] = fault.range(minimum, maximum);
    else if (value !== null && [type].flat().includes("integer") && !Number.isInteger(value))
      errors[name] = fault.integer;
    else Object.assign(numbers, { [name]: value });
  }
  return { numbers, errors };
}

/** Roles of which an answering device gives no value at all, such as the meter of an inverter without one. */
function absentRoles({ readings, readAt }: DeviceView, offers: readonly string[]): string[] {
  const isKnown = (names: readonly string[]) =>
    names.some((name) => (readings[name]?.value ?? null) !== null);
  return Object.entries(MAY_BE_ABSENT)
    .filter(([role, names]) => readAt !== null && offers.includes(role) && !isKnown(names))
    .map(([role]) => role);
}
