import type { VNode } from "preact";
import { SiteSettingsError } from "../../accounts/site-registry.js";
import type { Site } from "../../accounts/sites.js";
import { DeviceError } from "../../actuators/command.js";
import { ActuatorInputError } from "../../actuators/input-error.js";
import type { ActuatorService } from "../../actuators/service.js";
import { parseControls } from "../../actuators/states.js";
import type { ActuatorTemplate } from "../../actuators/template.js";
import type { ActuatorSettings } from "../../config/settings.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { FieldErrors } from "../ui/form.js";
import { CommandLog, DevicePage } from "./device-page.js";
import { ACTUATORS_PATH, actuatorUrl, Status } from "./labels.js";
import { ActuatorList, ListPage, type ShownActuator } from "./list-page.js";
import { fieldErrors, typedParameters } from "./parameters.js";
import { type Chosen, controlChoices, WizardPage } from "./wizard-page.js";

/** Services that the pages "Actuators" use. */
export interface ActuatorPagesOptions {
  actuators: Pick<
    ActuatorService,
    | "list"
    | "log"
    | "test"
    | "read"
    | "setEnabled"
    | "setDryRun"
    | "templates"
    | "templatesOf"
    | "faultsOf"
    | "detected"
    | "settled"
  >;
  /** Stores the actuators of a site. Throws SiteSettingsError, StoreError. */
  change(siteId: string, actuators: readonly ActuatorSettings[]): Promise<unknown>;
}

/** A test that takes longer continues; its end is in the log. */
const TEST_MS = 15_000;
/** An identifier as in the configuration. */
const ID = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** The pages of the actuators of a site: list, wizard, one device, and the data of open pages. */
export function actuatorPages({ actuators, change }: ActuatorPagesOptions): Page[] {
  const shownOf = (site: Site): ShownActuator[] => {
    const states = new Map(actuators.list(site.id).map((status) => [status.id, status]));
    return site.plant.actuators.map((settings) => ({ settings, status: states.get(settings.id) }));
  };
  const logOf = (site: Site, id: string) => {
    try {
      return actuators.log(site.id, id);
    } catch (error) {
      if (error instanceof ActuatorInputError) return [];
      throw error;
    }
  };

  const list = (context: SignedInContext): PageReply => {
    const { site } = context;
    const detected = (site === undefined ? [] : actuators.detected(site)).flatMap((device) => {
      const template = actuators.templates().get(device.template);
      return template === undefined ? [] : [{ device, template }];
    });
    return {
      page: (
        <ListPage context={context} actuators={site === undefined ? [] : shownOf(site)} detected={detected} />
      ),
    };
  };

  const device = (context: SignedInContext, id: string, errors: FieldErrors = {}): PageReply => {
    const { site } = context;
    const actuator = site && shownOf(site).find(({ settings }) => settings.id === id);
    if (site === undefined || actuator === undefined) return { refuse: 404 };
    return {
      page: (
        <DevicePage
          context={context}
          actuator={actuator}
          template={actuators.templates().get(actuator.settings.template)}
          log={logOf(site, id)}
          errors={errors}
        />
      ),
      status: Object.keys(errors).length === 0 ? 200 : 422,
    };
  };

  /** What the query or form has chosen so far, as far as the account may use it. */
  const chosenIn = (context: SignedInContext, text: (name: string) => string): Chosen => {
    const { site } = context;
    const all = site === undefined ? [] : actuators.templatesOf(site.id);
    const template = all.find(({ id }) => id === text("template"));
    const asked = text("controls");
    const controls = controlChoices(context, template).find((one) => one === asked);
    const transports = Object.keys(template?.transports ?? {});
    const transport = transports.find((one) => one === text("transport")) ?? transports[0];
    return { controls, template, transport };
  };

  const wizard = (
    context: SignedInContext,
    chosen: Chosen,
    typed: ReadonlyMap<string, string>,
    errors: FieldErrors = {},
  ): PageReply => ({
    page: (
      <WizardPage
        context={context}
        chosen={chosen}
        templates={context.site === undefined ? [] : actuators.templatesOf(context.site.id)}
        typed={typed}
        errors={errors}
      />
    ),
    status: Object.keys(errors).length === 0 ? 200 : 422,
  });

  const add = async (context: SignedInContext, site: Site, form: FormBody): Promise<PageReply> => {
    const texts = textsOf(context.language).actuators;
    const chosen = chosenIn(context, (name) => form.text(name));
    const { controls, template, transport } = chosen;
    const control = parseControls(controls ?? "")?.control;
    const refuse = (errors: FieldErrors) => wizard(context, chosen, typedIn(form, template), errors);
    if (controls === undefined || template === undefined || transport === undefined || control === undefined)
      return refuse({ controls: texts.fault[form.text("template") === "" ? "controls" : "released"] });
    const { values, errors } = typedParameters(form, {
      template,
      transport,
      control,
      language: context.language,
    });
    const id = form.text("id");
    const held = site.plant.actuators;
    const idError = ID.test(id)
      ? held.some((one) => one.id === id)
        ? { id: texts.fault.idTaken }
        : {}
      : { id: texts.fault.id };
    const all = { ...errors, ...idError };
    if (Object.keys(all).length > 0) return refuse(all);
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
      await change(site.id, [...held, settings]);
    } catch (error) {
      if (error instanceof SiteSettingsError) return refuse({ id: texts.fault.controls });
      throw error;
    }
    await actuators.settled();
    context.session.flash("notice", texts.wizard.saved);
    return { redirect: actuatorUrl(site.id, id) };
  };

  /** A form of the page of one actuator. */
  const act = (
    path: string,
    event: string,
    run: (of: {
      context: SignedInContext;
      site: Site;
      id: string;
      form: FormBody;
    }) => Promise<PageReply | undefined>,
  ): Page => ({
    method: "POST",
    path: `${ACTUATORS_PATH}/${path}`,
    of: ACTUATORS_PATH,
    access: "account",
    event,
    handle: async (context, form) => {
      const { site } = context;
      const id = form.text("id");
      if (site?.plant.actuators.some((one) => one.id === id) !== true) return { refuse: 404 };
      try {
        return (await run({ context, site, id, form })) ?? { redirect: actuatorUrl(site.id, id) };
      } catch (error) {
        if (!(error instanceof ActuatorInputError)) throw error;
        // The state on the page says why it cannot run.
        return { redirect: actuatorUrl(site.id, id) };
      }
    },
  });

  return [
    { method: "GET", path: ACTUATORS_PATH, access: "account", handle: list },
    {
      method: "GET",
      path: "/portal/actuators",
      access: "account",
      handle: (context) => {
        const { site, query } = context;
        if (site === undefined) return { refuse: 404 };
        const shown = shownOf(site);
        const id = query.get("id");
        const one = shown.find(({ settings }) => settings.id === id);
        if (id !== null && one === undefined) return { refuse: 404 };
        const parts: Record<string, VNode> =
          one === undefined
            ? { actuators: <ActuatorList context={context} actuators={shown} /> }
            : {
                status: <Status context={context} {...one} />,
                log: <CommandLog context={context} log={logOf(site, one.settings.id)} />,
              };
        return { parts };
      },
    },
    {
      method: "GET",
      path: `${ACTUATORS_PATH}/new`,
      access: "account",
      handle: (context) => {
        if (context.site === undefined) return { redirect: ACTUATORS_PATH };
        const chosen = chosenIn(context, (name) => context.query.get(name) ?? "");
        const typed = new Map([...context.query].filter(([name]) => name.startsWith("p.")));
        return wizard(context, chosen, typed);
      },
    },
    {
      method: "POST",
      path: `${ACTUATORS_PATH}/new`,
      access: "account",
      event: "actuator.added",
      handle: (context, form) =>
        context.site === undefined ? { redirect: ACTUATORS_PATH } : add(context, context.site, form),
    },
    {
      method: "GET",
      path: `${ACTUATORS_PATH}/device`,
      access: "account",
      handle: (context) => device(context, context.query.get("id") ?? ""),
    },
    act("read", "actuator.read", async ({ context, site, id }) => {
      const { read, states } = textsOf(context.language).actuators;
      try {
        const { state, values } = await actuators.read(site.id, id);
        const found = values.map(({ place, value }) => `${place}: ${value}`).join("; ");
        const text =
          state !== undefined
            ? read.state(states[state] ?? state)
            : values.length === 0
              ? read.none
              : read.other;
        context.session.flash("notice", [text, found].filter(Boolean).join(" "));
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        context.session.flash("outcome", read.failed(reasonOf(error, context)));
      }
      return undefined;
    }),
    act("send", "actuator.tested", async ({ context, site, id, form }) => {
      const { send, states } = textsOf(context.language).actuators;
      if (!form.isTicked("send_confirm")) return device(context, id, { send_confirm: send.unconfirmed });
      const state = form.text("state");
      const power = Number(form.text("power_kw").replace(",", "."));
      const name = states[state] ?? state;
      try {
        const test = actuators.test(site.id, id, state, Number.isFinite(power) && power > 0 ? power : 1);
        const outcome = await withLimit(test, TEST_MS);
        context.session.flash("notice", outcome === undefined ? send.running : send[outcome](name));
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        context.session.flash("outcome", send.failed(reasonOf(error, context)));
      }
      return undefined;
    }),
    act("switch", "actuator.switched", async ({ context, site, id, form }) => {
      const action = form.text("switch");
      if (action === "enable" || action === "disable")
        await actuators.setEnabled(site.id, id, action === "enable");
      else if (action === "live" || action === "dry_run")
        await actuators.setDryRun(site.id, id, action === "dry_run");
      else return { refuse: 404 };
      context.session.flash("notice", textsOf(context.language).actuators.switches.done);
      return undefined;
    }),
    act("remove", "actuator.removed", async ({ context, site, id, form }) => {
      const { remove } = textsOf(context.language).actuators;
      if (!form.isTicked("remove_confirm"))
        return device(context, id, { remove_confirm: remove.unconfirmed });
      await change(
        site.id,
        site.plant.actuators.filter((one) => one.id !== id),
      );
      await actuators.settled();
      context.session.flash("notice", remove.done);
      return { redirect: ACTUATORS_PATH };
    }),
  ];
}

/** The typed texts of a refused form, without secrets. */
function typedIn(form: FormBody, template: ActuatorTemplate | undefined): Map<string, string> {
  const isSecret = (name: string) => template?.parameters[name.replace(/^p\./, "")]?.secret === true;
  return new Map(
    form
      .names()
      .filter((name) => name === "id" || (name.startsWith("p.") && !isSecret(name)))
      .map((name) => [name, form.text(name)]),
  );
}

/** What a device answered, in plain words with the technical sentence. */
function reasonOf({ fault, message }: DeviceError, { language }: SignedInContext): string {
  const { actuators, components } = textsOf(language);
  return `${components.actuatorFaults[fault]} ${actuators.technical(message)}`;
}

/** The result, or undefined when it takes longer; a later failure is in the log of the actuator. */
async function withLimit<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
