import type { SettingsHistory } from "../../accounts/settings-history.js";
import { SiteSettingsError } from "../../accounts/site-registry.js";
import type { ActuatorSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import type { ActuatorService } from "../../equipment/service.js";
import { parseControls } from "../../equipment/states.js";
import { commandTransports } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import { flashUndo } from "../ems/saved-notice.js";
import type { FormBody } from "../form-body.js";
import { pagesOfSite, type SiteContext, sitePage } from "../page.js";
import type { FieldErrors } from "../ui/form.js";
import {
  type Chosen,
  controlChoices,
  EditPage,
  LIMITS,
  typedLimits,
  WizardPage,
} from "./command-settings-page.js";
import { freeId } from "./device-to-save.js";
import { DEVICES_PATH, deviceUrl, NEW_PATH } from "./labels.js";
import { fieldErrors, fieldOf, storedTexts, typedParameters, typedTexts } from "./parameters.js";

/** Services that the forms of actuators use. */
export interface SettingsPagesOptions {
  actuators: Pick<
    ActuatorService,
    "list" | "templates" | "templatesOf" | "faultsOf" | "changesHost" | "settled" | "setDryRun"
  >;
  /** Stores settings of a site. Throws SiteSettingsError, StoreError. */
  history: Pick<SettingsHistory, "saveAtOnce" | "list">;
}

/** An identifier as in the configuration. */
const ID = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** The wizard that adds an actuator, and the form that changes one. */
export function settingsPages({ actuators, history }: SettingsPagesOptions): Page[] {
  /** The next page has a button that undoes it. Throws SiteSettingsError, StoreError. */
  const change = async (context: SiteContext, list: readonly ActuatorSettings[]) => {
    const { id } = context.site;
    flashUndo(context, id, await history.saveAtOnce(id, { plant: { actuators: list } }));
    await actuators.settled();
  };

  /** What the query or form has chosen so far, as far as the account may use it. */
  const chosenIn = (context: SiteContext, text: (name: string) => string): Chosen => {
    const all = actuators.templatesOf(context.site.id);
    const template = all.find(({ id }) => id === text("template"));
    const asked = text("controls");
    const controls = controlChoices(context, template).find((one) => one === asked);
    const transports = template === undefined ? [] : commandTransports(template);
    const transport = transports.find((one) => one === text("transport")) ?? transports[0];
    return { controls, template, transport };
  };

  const wizard = (
    context: SiteContext,
    chosen: Chosen,
    typed: ReadonlyMap<string, string>,
    errors: FieldErrors = {},
  ): PageReply => ({
    page: (
      <WizardPage
        {...{ context, chosen, typed, errors }}
        templates={actuators.templatesOf(context.site.id)}
      />
    ),
    status: Object.keys(errors).length === 0 ? 200 : 422,
  });

  const add = async (context: SiteContext, site: Site, form: FormBody): Promise<PageReply> => {
    await actuators.templates().readAll();
    const texts = textsOf(context.language).actuators;
    const chosen = chosenIn(context, (name) => form.text(name));
    const { controls, template, transport } = chosen;
    const control = parseControls(controls ?? "")?.control;
    const refuse = (errors: FieldErrors) =>
      wizard(context, chosen, typedTexts(form, template, ["id"]), errors);
    if (controls === undefined || template === undefined || transport === undefined || control === undefined)
      return refuse({ controls: texts.fault[form.text("template") === "" ? "controls" : "released"] });
    const of = { template, transport, control, language: context.language };
    const { values, errors } = typedParameters(form, of);
    const held = site.plant.actuators;
    const id = form.has("id") ? form.text("id") : freeId(controls.replace(/[ _]/g, "-"), site.plant);
    if (!ID.test(id)) errors.id = texts.fault.id;
    else if (held.some((one) => one.id === id)) errors.id = texts.fault.idTaken;
    if (Object.keys(errors).length > 0) return refuse(errors);
    const settings: ActuatorSettings = {
      id,
      controls: controls as ActuatorSettings["controls"],
      template: template.id,
      with: values as ActuatorSettings["with"],
      enabled: true,
      dry_run: true,
      min_dwell_s: null,
      max_writes_per_day: null,
      external_minutes: 30,
    };
    const faults = actuators.faultsOf(site, settings);
    if (faults.length > 0) return refuse(fieldErrors(faults, template, context.language));
    try {
      await change(context, [...held, settings]);
    } catch (error) {
      if (error instanceof SiteSettingsError) return refuse({ id: texts.fault.controls });
      throw error;
    }
    context.session.flash("notice", texts.wizard.saved);
    return { redirect: deviceUrl(site.id, id) };
  };

  /** The actuator that a page is about; undefined if there is none, or its template is missing. */
  const heldOf = (site: Site, id: string) => {
    const settings = site.plant.actuators.find((one) => one.id === id);
    const template = settings && actuators.templates().get(settings.template);
    const control = parseControls(settings?.controls ?? "")?.control;
    if (settings === undefined || template === undefined || control === undefined) return undefined;
    const named = String(settings.with.transport);
    const transport = Object.hasOwn(template.transports, named)
      ? named
      : Object.keys(template.transports)[0]!;
    const isDryRun = () =>
      actuators.list(site.id).find((status) => status.id === id)?.dryRun ?? settings.dry_run;
    return { settings, template, control, transport, isDryRun };
  };

  const edit = async (context: SiteContext, site: Site, form: FormBody): Promise<PageReply> => {
    const held = heldOf(site, form.text("id"));
    if (held === undefined) return { refuse: 404 };
    const { settings, template, control, transport, isDryRun } = held;
    const { language } = context;
    const texts = textsOf(language).actuators;
    const of = { template, transport, control, language, held: settings.with };
    const typed = typedTexts(form, template, [...LIMITS, "dry_run"]);
    const refuse = (errors: FieldErrors): PageReply => ({
      page: <EditPage {...{ context, settings, typed, errors, ...of }} />,
      status: 422,
    });
    const { values, kept, errors } = typedParameters(form, of);
    const { limits, errors: limitErrors } = typedLimits(form, settings, language);
    const all = { ...errors, ...limitErrors };
    if (Object.keys(all).length > 0) return refuse(all);
    const changed = { ...settings, ...limits, with: values as ActuatorSettings["with"] };
    const faults = actuators.faultsOf(site, changed);
    if (faults.length > 0) return refuse(fieldErrors(faults, template, language));
    if (kept.length > 0 && actuators.changesHost(site, settings, changed))
      return refuse(Object.fromEntries(kept.map((name) => [fieldOf(name), texts.fault.secretAgain])));
    const isDry = form.has("dry_run") ? form.isTicked("dry_run") : isDryRun();
    const setDryRun = async () => {
      if (isDryRun() !== isDry) await actuators.setDryRun(site.id, settings.id, isDry);
    };
    try {
      // Neither the former nor the new device may be switched by a change that goes into the dry run or ends it.
      if (isDry) await setDryRun();
      const list = site.plant.actuators.map((one) => (one === settings ? changed : one));
      await change(context, list);
      await setDryRun();
    } catch (error) {
      if (error instanceof SiteSettingsError) return refuse({ id: texts.fault.controls });
      // The page of the actuator says why it cannot run.
      if (!(error instanceof ActuatorInputError)) throw error;
    }
    context.session.flash("notice", texts.edit.saved);
    return { redirect: deviceUrl(site.id, settings.id) };
  };

  // An account without sites is led to the list, which says so.
  const listFirst = pagesOfSite({ redirect: DEVICES_PATH });
  return [
    sitePage.get(`${DEVICES_PATH}/edit`, (context, site) => {
      const held = heldOf(site, context.query.get("id") ?? "");
      if (held === undefined) return { refuse: 404 };
      const { settings, template, isDryRun } = held;
      const typed = new Map([
        ...storedTexts(template, settings.with),
        ...LIMITS.map((name): [string, string] => [name, String(settings[name] ?? "")]),
        ["dry_run", String(isDryRun())],
      ]);
      return { page: <EditPage {...held} {...{ context, typed }} errors={{}} /> };
    }),
    sitePage.post(`${DEVICES_PATH}/edit`, { event: "actuator.changed" }, edit),
    listFirst.get(NEW_PATH, async (context) => {
      await actuators.templates().readAll();
      const chosen = chosenIn(context, (name) => context.query.get(name) ?? "");
      const typed = new Map([...context.query].filter(([name]) => name.startsWith("p.")));
      return wizard(context, chosen, typed);
    }),
    listFirst.post(NEW_PATH, { event: "actuator.added" }, add),
  ];
}
