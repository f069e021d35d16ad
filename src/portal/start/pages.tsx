import type { SettingsHistory } from "../../accounts/settings-history.js";
import type { SiteRegistry } from "../../accounts/site-registry.js";
import type { Services } from "../../api/services.js";
import type { PlausibilityWarning } from "../../config/plausibility.js";
import type { Site } from "../../config/site.js";
import { withoutPercentSign } from "../../core/number-text.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { ActuatorService } from "../../equipment/service.js";
import { parseTelemetry } from "../../telemetry/parse.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import { viewOf } from "../dashboard/view.js";
import { ADD_PATH } from "../devices/add-page.js";
import { FindSection, SEARCHING_SECONDS } from "../devices/find-section.js";
import type { DeviceSearches } from "../devices/searches.js";
import { flashUndo } from "../ems/saved-notice.js";
import { confirmationOf } from "../ems/unlikely-values.js";
import type { FormBody } from "../form-body.js";
import { sitePage, sitePageOrSites } from "../page.js";
import { type FieldErrors, TextField } from "../ui/form.js";
import { batteryStep } from "./battery.js";
import { ConnectionFields } from "./connection.js";
import { devicesStep } from "./devices.js";
import { isTouched } from "./landing.js";
import { START_PATH, StartPage, StepForm, type StepState } from "./page.js";
import { placeStep } from "./place.js";
import { FirstPlan, isComputing } from "./plan-step.js";
import { PreviewButton, PriceNote, priceNow } from "./price-note.js";
import {
  STEPS,
  type StepId,
  stepAfter,
  stepNamed,
  type Values,
  type WizardProgress,
  type WizardState,
} from "./progress.js";
import { pvStep } from "./pv.js";
import { review } from "./review.js";
import type { SettingsStep, Typed } from "./step.js";
import { likelyArea, tariffStep } from "./tariff.js";

/** What the wizard needs of the gateway. */
export interface StartOptions {
  progress: WizardProgress;
  sites: Pick<SiteRegistry, "settings" | "isConfigured" | "telemetryMap">;
  history: Pick<SettingsHistory, "saveAtOnce">;
  services: Pick<
    Services,
    "clock" | "baseUrl" | "forecast" | "plans" | "prices" | "stepMinutes" | "flex" | "telemetry" | "tariff"
  >;
  actuators: Pick<ActuatorService, "templates" | "detected">;
  devices: Pick<ReadingService, "list">;
  searches: Pick<DeviceSearches, "get">;
}

const SETTINGS_STEPS = {
  place: placeStep,
  tariff: tariffStep,
  battery: batteryStep,
  pv: pvStep,
  devices: devicesStep,
} as const satisfies Partial<Record<StepId, SettingsStep>>;
type SettingsStepId = keyof typeof SETTINGS_STEPS;

const isSettingsStep = (step: StepId): step is SettingsStepId => Object.hasOwn(SETTINGS_STEPS, step);

/** Seconds after which the last step looks for the plan again. */
const COMPUTING_SECONDS = 2;

/** What a refused or unfinished form shows again. */
interface Again {
  form?: FormBody;
  errors?: FieldErrors;
  warnings?: readonly PlausibilityWarning[];
}

/** The wizard that sets up a site, and the form of the overview for a state of charge. */
export function startPages(options: StartOptions): Page[] {
  const { progress, sites, history, services, actuators, devices, searches } = options;

  const statesOf = (site: Site, { done, skipped }: WizardState): Record<StepId, StepState> => {
    const isDone = (step: StepId) =>
      done.includes(step) || isTouched(sites, site, step) || (step === "soc" && hasSoc(services, site));
    const stateOf = (step: StepId): StepState =>
      isDone(step) ? "done" : skipped.includes(step) ? "skipped" : "open";
    return Object.fromEntries(STEPS.map((step) => [step, stateOf(step)])) as Record<StepId, StepState>;
  };

  const show = async (
    context: SignedInContext,
    site: Site,
    step: StepId,
    { form, errors = {}, warnings = [] }: Again = {},
  ): Promise<PageReply> => {
    const kept = await progress.get(site.id);
    const view = viewOf(services, site);
    const before = valuesOf(step, site, kept, context);
    const value = (name: string) => (form?.has(name) ? form.text(name) : (before[name] ?? ""));
    const typed: Typed = {
      text: value,
      isTicked: (name) => value(name) === "true",
      language: context.language,
    };
    const field = (name: string) => ({ name, value: value(name), error: errors[name] });
    const shown = { context, step, errors, warnings };
    return {
      page: (
        <StartPage
          context={context}
          step={step}
          states={statesOf(site, kept)}
          apiKey={context.session.takeFlash("key")}
          refreshSeconds={
            step === "plan" && isComputing(view)
              ? COMPUTING_SECONDS
              : step === "find" && searches.get(site.id)?.state === "running"
                ? SEARCHING_SECONDS
                : undefined
          }
        >
          {step === "plan" && <FirstPlan context={context} view={view} />}
          {step === "soc" && (
            <StepForm {...shown}>
              <SocField context={context} value={value("soc_pct")} error={errors.soc_pct} />
            </StepForm>
          )}
          {step === "find" && (
            <>
              <FindSection
                context={{ ...context, site }}
                search={searches.get(site.id)}
                views={devices.list(site.id)}
                step="find"
                templateName={nameOf(context)}
              />
              <p>
                <a href={ADD_PATH}>{textsOf(context.language).devicePages.byHand}</a>
              </p>
              <StepForm {...shown}>{null}</StepForm>
            </>
          )}
          {step === "connection" && (
            <StepForm {...shown}>
              <ConnectionFields
                context={context}
                site={site}
                topics={sites.telemetryMap(site.id)}
                nameOf={nameOf(context)}
                detected={actuators.detected(site).flatMap((device) => {
                  const template = actuators.templates().get(device.template);
                  return template === undefined ? [] : [{ device, template }];
                })}
              />
            </StepForm>
          )}
          {isSettingsStep(step) && (
            <StepForm {...shown} buttons={step === "tariff" && <PreviewButton context={context} />}>
              {SETTINGS_STEPS[step].Fields({ context, site, value, errors, field })}
              {step === "tariff" && <PriceNote context={context} price={priceNow(services, site, typed)} />}
            </StepForm>
          )}
        </StartPage>
      ),
      status: Object.keys(errors).length === 0 && warnings.length === 0 ? 200 : 422,
    };
  };

  const nameOf =
    ({ language }: SignedInContext) =>
    (template: string) =>
      actuators.templates().get(template)?.name[language] ?? template;

  /** The step after another, without those that a device has answered. */
  const nextStep = (site: Site, step: StepId): StepId => {
    const next = stepAfter(step);
    const isBatteryRead = devices.list(site.id).some(({ reads }) => reads.includes("battery"));
    const isAnswered =
      (next === "battery" && isBatteryRead && isTouched(sites, site, next)) ||
      (next === "soc" && isBatteryRead && hasSoc(services, site)) ||
      (next === "connection" && devices.list(site.id).length > 0);
    return isAnswered ? nextStep(site, next) : next;
  };

  const tell = async (context: SignedInContext, site: Site, text: string) => {
    const { now } = context;
    const read = parseTelemetry({ soc_pct: withoutPercentSign(text) }, { now, zone: site.plant.timezone });
    if (read.samples.length === 0) return false;
    await services.telemetry.ingest(
      site.id,
      read.samples.map(({ sample }) => sample),
    );
    services.plans.settle(site.id);
    return true;
  };

  const save = async (context: SignedInContext, site: Site, form: FormBody): Promise<PageReply> => {
    const step = stepNamed(form.text("step"));
    if (step === undefined || step === "plan") return { redirect: START_PATH };
    const next = { redirect: `${START_PATH}?step=${nextStep(site, step)}` };
    if (form.has("skip")) {
      await progress.leave(site.id, step, "skipped");
      return next;
    }
    if (isSettingsStep(step)) {
      if (form.has("preview") || form.has("add")) return show(context, site, step, { form });
      const typed: Typed = {
        text: (name) => form.text(name),
        isTicked: (name) => form.isTicked(name),
        language: context.language,
      };
      const change = SETTINGS_STEPS[step].read(typed, site);
      if ("errors" in change) return show(context, site, step, { form, errors: change.errors });
      const reviewed = review(site.plant, change, context.language);
      if ("errors" in reviewed) return show(context, site, step, { form, errors: reviewed.errors });
      const { warnings } = reviewed;
      if (warnings.length > 0 && form.text("confirmed") !== confirmationOf(warnings))
        return show(context, site, step, { form, warnings });
      const isChange = Object.keys(change.plant).length > 0;
      const saved = isChange ? await history.saveAtOnce(site.id, { plant: change.plant }) : undefined;
      if (saved !== undefined) {
        context.session.flash("notice", textsOf(context.language).home.saved.title);
        flashUndo(context, site.id, saved);
      }
    }
    if (step === "soc" && !(await tell(context, site, form.text("soc_pct")))) {
      const errors = { soc_pct: textsOf(context.language).start.soc.invalid };
      return show(context, site, step, { form, errors });
    }
    // What is connected is seen by itself; passing by connects nothing.
    const isPassedBy = step === "connection" || (step === "find" && site.plant.devices.length === 0);
    const how = isPassedBy ? "skipped" : { values: step === "soc" || step === "find" ? {} : typedIn(form) };
    await progress.leave(site.id, step, how);
    return next;
  };

  return [
    sitePageOrSites.get(START_PATH, async (context, site) => {
      const asked = stepNamed(context.query.get("step"));
      return show(context, site, asked ?? (await progress.get(site.id)).next);
    }),
    sitePageOrSites.post(START_PATH, { event: "settings.changed" }, save),
    sitePage.post(`${START_PATH}/soc`, { of: "/dashboard" }, async (context, site, form) => {
      if (!(await tell(context, site, form.text("soc_pct"))))
        context.session.flash("refused", textsOf(context.language).start.soc.invalid);
      return { redirect: `/dashboard?site=${encodeURIComponent(site.id)}` };
    }),
  ];
}

function hasSoc(services: StartOptions["services"], site: Site): boolean {
  return services.telemetry.live(site.id).soc_pct !== undefined;
}

/** What the fields of a step hold: what was typed when it was left, else the settings in force. */
function valuesOf(step: StepId, site: Site, { values }: WizardState, { language }: SignedInContext): Values {
  if (!isSettingsStep(step)) return {};
  const held = SETTINGS_STEPS[step].held(site.plant, language);
  const own = values[step];
  if (step !== "tariff") return { ...held, ...own };
  // What is in force may have been changed elsewhere since.
  if (site.plant.tariff !== null) return held;
  const area = likelyArea(values.place?.postcode ?? "");
  return { ...held, ...(held.area === "" && area !== "" && { area }), ...own };
}

/** The fields of a form without those of the frame. */
function typedIn(form: FormBody): Record<string, string> {
  const frame = ["_csrf", "site", "step", "confirmed", "shown_model"];
  return Object.fromEntries(
    form
      .names()
      .filter((name) => !frame.includes(name))
      .map((name) => [name, form.text(name).slice(0, 100)]),
  );
}

function SocField({
  context,
  value,
  error,
}: {
  context: SignedInContext;
  value: string;
  error?: string | undefined;
}) {
  const texts = textsOf(context.language).start.soc;
  return (
    <TextField
      name="soc_pct"
      label={texts.label}
      value={value}
      error={error}
      hint={texts.hint}
      inputMode="decimal"
      autocomplete="off"
      unit="%"
    />
  );
}
