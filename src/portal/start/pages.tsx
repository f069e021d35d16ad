import type { SiteRegistry } from "../../accounts/site-registry.js";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import { withoutPercentSign } from "../../core/number-text.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { ActuatorService } from "../../equipment/service.js";
import { parseTelemetry } from "../../telemetry/parse.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import { viewOf } from "../dashboard/view.js";
import { FindSection, SEARCHING_SECONDS } from "../devices/find-pages.js";
import { ADD_PATH } from "../devices/labels.js";
import type { DeviceSearches } from "../devices/searches.js";
import { type EmsOptions, topicNews } from "../ems/pages.js";
import { askedRow } from "../ems/rows.js";
import type { Frame } from "../ems/section-form.js";
import type { Subject } from "../ems/sections.js";
import type { RefusedForm, SettingsForms } from "../ems/settings-forms.js";
import { SubjectForms } from "../ems/subject-page.js";
import { rowKindOf, type View } from "../ems/views.js";
import type { FormBody } from "../form-body.js";
import { sitePage, sitePageOrSites } from "../page.js";
import { type FieldErrors, TextField } from "../ui/form.js";
import { flashUndo } from "../ui/notices.js";
import { linkLine } from "../ui/parts.js";
import { isTouched } from "./landing.js";
import { START_PATH, StartPage, StepForm, type StepState, stepButtons } from "./page.js";
import { firstPlan, isComputing } from "./plan-step.js";
import {
  MORE_STEPS,
  STEPS,
  type StepId,
  stepAfter,
  stepNamed,
  type WizardProgress,
  type WizardState,
} from "./progress.js";

/** What the wizard needs of the gateway. */
export interface StartOptions extends Pick<EmsOptions, "approvals" | "mqtt"> {
  progress: WizardProgress;
  forms: SettingsForms;
  sites: Pick<SiteRegistry, "settings" | "isConfigured">;
  services: Pick<
    Services,
    "clock" | "baseUrl" | "forecast" | "plans" | "prices" | "stepMinutes" | "flex" | "telemetry" | "tariff"
  >;
  actuators: Pick<ActuatorService, "templates">;
  devices: Pick<ReadingService, "list">;
  searches: Pick<DeviceSearches, "get">;
}

/** The subjects of "My home" that steps ask about. */
const SUBJECT_OF: Readonly<Partial<Record<StepId, Subject>>> = {
  place: "place",
  tariff: "tariff",
  load: "load",
  battery: "battery",
  pv: "pv",
  devices: "slots",
};

/** Seconds after which the last step looks for the plan again. */
const COMPUTING_SECONDS = 2;

/** What a refused or unfinished form shows again. */
interface Again {
  form?: FormBody;
  errors?: FieldErrors;
  refused?: RefusedForm;
}

/** The wizard that sets up a site, and the form of the overview for a state of charge. */
export function startPages(options: StartOptions): Page[] {
  const { progress, forms, sites, services, actuators, devices, searches } = options;

  const statesOf = (site: Site, { done, skipped }: WizardState): Record<StepId, StepState> => {
    const hasSoc = services.telemetry.live(site.id).soc_pct !== undefined;
    const isDone = (step: StepId) =>
      done.includes(step) || isTouched(sites, site, step) || (step === "soc" && hasSoc);
    const stateOf = (step: StepId): StepState =>
      isDone(step) ? "done" : skipped.includes(step) ? "skipped" : "open";
    const all = [...STEPS, ...MORE_STEPS].map((step) => [step, stateOf(step)]);
    return Object.fromEntries(all) as Record<StepId, StepState>;
  };

  const frameOf = (context: SignedInContext, step: StepId): Frame => ({
    isHome: false,
    action: START_PATH,
    hidden: { step },
    submit: textsOf(context.language).start.next,
    buttons: stepButtons(context, step),
    addressOf: (_, row) => `${START_PATH}?${new URLSearchParams({ step, row })}`,
  });

  /** The form of a subject, or of the row of a list that is asked for: a new one where it has none. */
  const viewsOfStep = (context: SignedInContext, site: Site, subject: Subject): View[] => {
    const held = forms.held(site);
    const kind = rowKindOf(subject);
    const isEmpty = (kind === "pv" || kind === "slots") && site.plant[kind].length === 0;
    const row = kind && askedRow(kind, context.query.get("row") ?? (isEmpty ? "new" : null), held);
    return [{ subject, ...(kind !== undefined && row !== undefined && { rows: { kind, names: [row] } }) }];
  };

  const show = async (
    context: SignedInContext,
    site: Site,
    step: StepId,
    { form, errors = {}, refused }: Again = {},
  ): Promise<PageReply> => {
    const kept = await progress.get(site.id);
    const view = viewOf(services, site);
    const states = statesOf(site, kept);
    const subject = SUBJECT_OF[step];
    const { soc } = textsOf(context.language).start;
    return {
      page: (
        <StartPage
          {...{ context, step, states }}
          refreshSeconds={
            step === "plan" && isComputing(view)
              ? COMPUTING_SECONDS
              : step === "find" && searches.get(site.id)?.state === "running"
                ? SEARCHING_SECONDS
                : undefined
          }
        >
          {step === "plan" && firstPlan(context, view, states)}
          {step === "soc" && (
            <StepForm context={context} step={step} errors={errors}>
              <TextField
                name="soc_pct"
                label={soc.label}
                value={form?.text("soc_pct")}
                error={errors.soc_pct}
                hint={soc.hint}
                inputMode="decimal"
                autocomplete="off"
                unit="%"
              />
            </StepForm>
          )}
          {step === "find" && (
            <>
              <FindSection
                context={{ ...context, site }}
                search={searches.get(site.id)}
                views={devices.list(site.id)}
                step="find"
                templateName={(id) => actuators.templates().get(id)?.name[context.language] ?? id}
              />
              {linkLine(ADD_PATH, textsOf(context.language).devicePages.byHand)}
              <StepForm context={context} step={step} />
            </>
          )}
          {subject !== undefined && (
            <SubjectForms
              {...{ context, refused }}
              frame={frameOf(context, step)}
              views={refused?.views ?? viewsOfStep(context, site, subject)}
              held={forms.held(site)}
              resettable={new Set()}
              news={topicNews(options, site.id)}
              price={forms.price(context, site, form)}
            />
          )}
        </StartPage>
      ),
      status: refused?.status ?? (Object.keys(errors).length === 0 ? 200 : 422),
    };
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
    const next = { redirect: `${START_PATH}?step=${stepAfter(step)}` };
    if (form.has("skip")) {
      await progress.leave(site.id, step, "skipped");
      return next;
    }
    let isSaved = false;
    if (SUBJECT_OF[step] !== undefined) {
      const result = await forms.save(context, site, form, { isAtOnce: true });
      if ("refused" in result) return show(context, site, step, { form, refused: result.refused });
      isSaved = result.saved !== undefined;
      if (result.saved !== undefined) {
        context.session.flash("notice", textsOf(context.language).home.saved.title);
        flashUndo(context, site.id, result.saved, next.redirect);
      }
    }
    if (step === "soc" && !(await tell(context, site, form.text("soc_pct")))) {
      const errors = { soc_pct: textsOf(context.language).start.soc.invalid };
      return show(context, site, step, { form, errors });
    }
    const isPassedBy = step === "find" && site.plant.devices.length === 0;
    const isUnanswered = SUBJECT_OF[step] !== undefined && !isSaved && !isTouched(sites, site, step);
    await progress.leave(site.id, step, isPassedBy || isUnanswered ? "skipped" : "done");
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
