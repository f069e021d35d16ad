import type { DeviceSettings } from "../../config/settings.js";
import { readsOf } from "../../equipment/reading/create-device.js";
import { readingsParameter } from "../../equipment/reading/offered-readings.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import { pagesOfSite, type SiteContext } from "../page.js";
import { type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { Failed } from "../ui/notices.js";
import { Notes } from "./device-parts.js";
import { newDevice } from "./device-to-save.js";
import type { DeviceDrafts } from "./drafts.js";
import { ADD_PATH, CHECK_PATH, checkUrl, DEVICES_PATH, NEW_PATH, SOURCES_PATH } from "./labels.js";
import {
  fieldOf,
  ParameterFields,
  storedSecrets,
  storedTexts,
  transportName,
  typedParameters,
  typedTexts,
} from "./parameters.js";

interface AddPagesOptions {
  actuators: Pick<ActuatorService, "templates" | "templatesOf">;
  drafts: DeviceDrafts;
}

const sitePage = pagesOfSite({ redirect: DEVICES_PATH });

/** Adding a device by its template, or changing one: how it is reached. What it says follows; see `checkPages`. */
export function addPages({ actuators, drafts }: AddPagesOptions): Page[] {
  const templateOf = ({ site }: SiteContext, id: string) =>
    actuators.templatesOf(site.id).find((one) => one.id === id);

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
      ...newDevice(template.id, site.plant),
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
    const next = checkUrl(site.id, token);
    const hasSources = readingsParameter(template) !== undefined;
    return { redirect: hasSources ? next.replace(CHECK_PATH, SOURCES_PATH) : next };
  };

  return [
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
  ];
}

/** The transports over which a template gives readings. */
function readingTransports(template: ActuatorTemplate): string[] {
  return Object.keys(template.transports).filter(
    (name) => Object.keys(readsOf(template, name).readings ?? {}).length > 0,
  );
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
  const readable = byName.filter((template) => readingTransports(template).length > 0);
  const others = byName.filter((template) => !readable.includes(template));
  return (
    <Layout context={context} title={add.title} back={[DEVICES_PATH, add.back]}>
      <Failed text={context.session.takeFlash("outcome")} />
      <section class="card">
        <h2>{add.choose}</h2>
        <p>{add.chooseHint}</p>
        <TemplateList
          context={context}
          templates={readable}
          transportsOf={readingTransports}
          path={ADD_PATH}
        />
      </section>
      {others.length > 0 && (
        <details class="card">
          <summary>{add.others}</summary>
          <TemplateList
            context={context}
            templates={others}
            transportsOf={({ transports }) => Object.keys(transports)}
            path={NEW_PATH}
          />
        </details>
      )}
    </Layout>
  );
}

interface TemplateListProps extends TemplatesProps {
  transportsOf(template: ActuatorTemplate): string[];
  /** The page that a choice leads to, and what was chosen before. */
  path: string;
  controls?: string | undefined;
}

/** Templates to choose from, each with its transports. */
export function TemplateList({ context, templates, transportsOf, path, controls }: TemplateListProps) {
  const { language, site } = context;
  const before = { site: site.id, ...(controls !== undefined && { controls }) };
  const address = (template: string, transport: string) =>
    `${path}?${new URLSearchParams({ ...before, template, transport })}`;
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

interface ConnectionProps {
  context: SiteContext;
  template: ActuatorTemplate;
  transport: string;
  /** The device that is changed. */
  id: string | undefined;
  /** Typed, found or stored values by field name; secrets are never among them. */
  typed: ReadonlyMap<string, string>;
  stored: ReadonlySet<string>;
  errors: FieldErrors;
}

/** The page /devices/add with a template: how the device is reached. */
function ConnectionPage({ context, template, transport, id, typed, stored, errors }: ConnectionProps) {
  const { language } = context;
  const { add, page } = textsOf(language).devicePages;
  return (
    <Layout
      {...{ context, errors }}
      title={id === undefined ? add.title : page.change}
      back={[DEVICES_PATH, add.back]}
    >
      <p class="lead">{template.name[language]}</p>
      <Notes context={context} template={template} />
      <Form {...{ context }} action={ADD_PATH} class="card" hidden={{ template: template.id, transport, id }}>
        <h2>{add.connection}</h2>
        <ParameterFields
          context={context}
          of={{ template, transport, control: undefined }}
          typed={typed}
          errors={errors}
          stored={stored}
        />
        <SubmitButton>{add.check}</SubmitButton>
      </Form>
    </Layout>
  );
}
