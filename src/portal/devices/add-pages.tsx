import { commandSettings } from "../../config/commanded-devices.js";
import { newDevice } from "../../config/new-device.js";
import type { DeviceSettings } from "../../config/settings.js";
import { readingsParameter } from "../../equipment/reading/offered-readings.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { Control } from "../../equipment/states.js";
import { type ActuatorTemplate, commandTransports } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import { FormBody } from "../form-body.js";
import { pagesOfSite, type SiteContext } from "../page.js";
import {
  type FieldErrors,
  Form,
  fieldId,
  hiddenFields,
  Notice,
  SelectField,
  SubmitButton,
} from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { Card } from "../ui/parts.js";
import { Notes } from "./device-parts.js";
import type { DeviceDrafts } from "./drafts.js";
import { ADD_PATH, CHECK_PATH, checkUrl, DEVICES_PATH, SOURCES_PATH } from "./labels.js";
import {
  fieldErrors,
  fieldOf,
  isRead,
  needsControl,
  ParameterFields,
  storedSecrets,
  storedTexts,
  transportName,
  typedParameters,
  typedTexts,
} from "./parameters.js";

interface AddPagesOptions {
  actuators: Pick<ActuatorService, "templates" | "templatesOf" | "faultsOf" | "changesHost">;
  drafts: DeviceDrafts;
}

const sitePage = pagesOfSite({ redirect: DEVICES_PATH });

/** The device that is added or changed, as far as it is chosen. */
interface Chosen {
  /** The device that is changed. */
  held: DeviceSettings | undefined;
  template: ActuatorTemplate;
  transport: string;
  /** Undefined: it is only read, or that is chosen later. */
  control: Control | undefined;
  /** What is controlled has to be known first: its commands have parameters of their own. */
  isControlAsked: boolean;
}

/** Adding a device by its template, or changing one: how it is reached. What it says follows; see `checkPages`. */
export function addPages({ actuators, drafts }: AddPagesOptions): Page[] {
  const chosenIn = ({ site }: SiteContext, form: FormBody): Chosen | undefined => {
    const held = site.plant.devices.find(({ id }) => id === form.text("id"));
    const id = held?.template ?? form.text("template");
    const template = actuators.templatesOf(site.id).find((one) => one.id === id);
    if (template === undefined) return undefined;
    const names = transportsOf(template);
    const asked = form.text("transport") || String(held?.with.transport ?? "");
    const transport = names.find((one) => one === asked) ?? names[0]!;
    const canRead = isRead(template, transport);
    const [only = ""] = canRead || template.controls.length > 1 ? [] : template.controls;
    const named = form.text("controls") || held?.controls || only;
    const isAsked = needsControl(template, transport);
    const control = isAsked ? template.controls.find((one) => one === named.split(" ")[0]) : undefined;
    const isKnown = control !== undefined || (canRead && form.has("controls"));
    return { held, template, transport, control, isControlAsked: isAsked && !isKnown };
  };

  /** Keeps what was typed as a draft and leads to what the device says. */
  const typedIn = (context: SiteContext, form: FormBody): PageReply => {
    const { site, language, account } = context;
    const chosen = chosenIn(context, form);
    if (chosen === undefined) return { redirect: ADD_PATH };
    const { held, template, transport, control } = chosen;
    if (control === undefined && !isRead(template, transport)) return { redirect: ADD_PATH };
    const { values, kept, errors } = typedParameters(form, { ...chosen, language, held: held?.with ?? {} });
    const refuse = (all: FieldErrors): PageReply => {
      const typed = typedTexts(form, template);
      return { page: <ConnectionPage {...chosen} {...{ context, typed }} errors={all} />, status: 422 };
    };
    if (Object.keys(errors).length > 0) return refuse(errors);
    const settings: DeviceSettings = {
      ...newDevice(template.id, site.plant),
      ...held,
      with: values as DeviceSettings["with"],
    };
    // Its flexible device is chosen later: for what is wrong, any stands for it.
    if (control !== undefined && settings.controls?.split(" ")[0] !== control)
      settings.controls = control as DeviceSettings["controls"];
    const [before, after] = [held, settings].map(
      (one) =>
        one && commandSettings({ ...one, ...(control === "slot" && { controls: "slot 1" }) }, () => true),
    );
    const faults = control === undefined || after === undefined ? [] : actuators.faultsOf(site, after);
    if (faults.length > 0) return refuse(fieldErrors(faults, template, language));
    // A password belongs to the address that it was entered for.
    const isMoved =
      ["host", "port", "broker", "url"].some((name) => held?.with[name] !== values[name]) ||
      (before !== undefined && after !== undefined && actuators.changesHost(site, before, after));
    if (kept.length > 0 && isMoved) {
      const { secretAgain } = textsOf(language).actuators.fault;
      return refuse(Object.fromEntries(kept.map((name) => [fieldOf(name), secretAgain])));
    }
    const reads = held?.reads?.map((role) => role.replace(/ \d$/, ""));
    const draft = {
      accountId: account.id,
      siteId: site.id,
      settings,
      replaces: held?.id,
      ...(reads && { chosen: { reads, isFallback: held!.fallback } }),
      back: DEVICES_PATH,
    };
    const next = checkUrl(site.id, drafts.put(draft));
    const hasSources = readingsParameter(template) !== undefined;
    return { redirect: hasSources ? next.replace(CHECK_PATH, SOURCES_PATH) : next };
  };

  return [
    sitePage.get(ADD_PATH, async (context, site) => {
      await actuators.templates().readAll();
      const chosen = chosenIn(context, new FormBody(context.query));
      if (chosen === undefined)
        return { page: <TemplatesPage context={context} templates={actuators.templatesOf(site.id)} /> };
      const { held, template } = chosen;
      const given = [...context.query].filter(([name]) => name.startsWith("p."));
      if (chosen.isControlAsked) return { page: <ControlPage {...chosen} {...{ context, given }} /> };
      const typed = new Map([...(held === undefined ? [] : storedTexts(template, held.with)), ...given]);
      return { page: <ConnectionPage {...chosen} {...{ context, typed }} errors={{}} /> };
    }),
    sitePage.post(ADD_PATH, { of: ADD_PATH }, (context, _site, form) => typedIn(context, form)),
    // Addresses of former versions.
    ...["new", "edit"].map((name) =>
      sitePage.get(`${DEVICES_PATH}/${name}`, ({ query }) => ({
        redirect: `${ADD_PATH}${query.size > 0 ? `?${query}` : ""}`,
      })),
    ),
  ];
}

/** The transports over which a device is read; over which it takes commands if it is only commanded. */
function transportsOf(template: ActuatorTemplate): string[] {
  const commanded = commandTransports(template);
  const names = Object.keys(template.transports);
  return names.filter((name) => isRead(template, name) || commanded.includes(name));
}

interface TemplatesProps {
  context: SiteContext;
  templates: readonly ActuatorTemplate[];
}

/** The page /devices/add: which device it is. */
function TemplatesPage({ context, templates }: TemplatesProps) {
  const { language } = context;
  const { add } = textsOf(language).devicePages;
  const byName = templates.toSorted((a, b) => a.name[language].localeCompare(b.name[language], language));
  const isReadable = (one: ActuatorTemplate) => Object.keys(one.transports).some((name) => isRead(one, name));
  const others = byName.filter((one) => !isReadable(one));
  return (
    <Layout context={context} title={add.title} back={[DEVICES_PATH, add.back]}>
      <Card title={add.choose}>
        {templates.length === 0 && <Notice kind="info">{add.noTemplates}</Notice>}
        <p>{add.chooseHint}</p>
        <TemplateList context={context} templates={byName.filter(isReadable)} />
      </Card>
      {others.length > 0 && (
        <details class="card">
          <summary>{add.others}</summary>
          <TemplateList context={context} templates={others} />
        </details>
      )}
    </Layout>
  );
}

/** Templates to choose from, each with its transports. */
function TemplateList({ context, templates }: TemplatesProps) {
  const { language, site } = context;
  const address = (template: string, transport: string) =>
    `${ADD_PATH}?${new URLSearchParams({ site: site.id, template, transport })}`;
  const { badge } = textsOf(language).actuators;
  return (
    <ul class="slots">
      {templates.map((template) => {
        const transports = transportsOf(template);
        const name = template.name[language];
        return (
          <li key={template.id}>
            {transports.length === 1 ? (
              <a href={address(template.id, transports[0]!)}>{name}</a>
            ) : (
              <>
                <strong>{name}</strong>
                <span class="actions">
                  {transports.map((transport) => {
                    const way = transportName(template, transport, language);
                    return (
                      <a
                        key={transport}
                        href={address(template.id, transport)}
                        aria-label={`${name}: ${way}`}
                      >
                        {way}
                      </a>
                    );
                  })}
                </span>
              </>
            )}
            {template.experimental && (
              <>
                {" "}
                <span class="badge">{badge.experimental}</span>
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface ControlProps extends Chosen {
  context: SiteContext;
  /** Values of parameters that are known already. */
  given: readonly (readonly [name: string, value: string])[];
}

/** The page /devices/add of a device whose parameters depend on what it controls. */
function ControlPage({ context, held, template, transport, given }: ControlProps) {
  const { devicePages, actuators } = textsOf(context.language);
  const { add } = devicePages;
  const values = { site: context.site.id, template: template.id, transport, id: held?.id };
  return (
    <Layout context={context} title={add.title} back={[DEVICES_PATH, add.back]}>
      <p class="lead">{template.name[context.language]}</p>
      <form method="get" action={ADD_PATH} class="card narrow">
        {hiddenFields({ ...values, ...Object.fromEntries(given) })}
        <SelectField
          name="controls"
          label={add.controls}
          options={[
            ...(isRead(template, transport) ? [{ value: "", label: add.onlyRead }] : []),
            ...template.controls.map((value) => ({
              value,
              label: value === "slot" ? devicePages.roles.slot! : actuators.controls[value],
            })),
          ]}
        />
        <SubmitButton>{add.next}</SubmitButton>
      </form>
    </Layout>
  );
}

interface ConnectionProps extends Chosen {
  context: SiteContext;
  /** Typed, found or stored values by field name; secrets are never among them. */
  typed: ReadonlyMap<string, string>;
  errors: FieldErrors;
}

/** The page /devices/add with a template: how the device is reached. */
function ConnectionPage({ context, typed, errors, ...chosen }: ConnectionProps) {
  const { held, template, transport, control } = chosen;
  const { language } = context;
  const { add, page } = textsOf(language).devicePages;
  return (
    <Layout
      {...{ context, errors }}
      title={held === undefined ? add.title : page.change}
      back={[DEVICES_PATH, add.back]}
    >
      <p class="lead" id={fieldId("id")}>
        {template.name[language]}
      </p>
      <Notes context={context} template={template} />
      <Form
        {...{ context }}
        action={ADD_PATH}
        class="card"
        hidden={{ template: template.id, transport, id: held?.id, controls: control }}
      >
        <h2>{add.connection}</h2>
        <ParameterFields
          {...{ context, typed, errors }}
          of={chosen}
          stored={held === undefined ? new Set() : storedSecrets(template, held.with)}
        />
        <SubmitButton>{isRead(template, transport) ? add.check : add.next}</SubmitButton>
      </Form>
    </Layout>
  );
}
