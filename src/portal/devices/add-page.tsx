import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { ErrorSummary, type FieldErrors, Form, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { Failed } from "../ui/notices.js";
import { DEVICES_PATH } from "./labels.js";
import { Notes } from "./notes.js";
import { ParameterFields } from "./parameter-fields.js";
import { transportName } from "./parameters.js";
import { readingTransports } from "./reading-transports.js";

export const ADD_PATH = `${DEVICES_PATH}/add`;

interface TemplatesProps {
  context: SiteContext;
  templates: readonly ActuatorTemplate[];
}

/** The page /devices/add: which device it is. */
export function TemplatesPage({ context, templates }: TemplatesProps) {
  const { language, site } = context;
  const { add } = textsOf(language).devicePages;
  const byName = templates.toSorted((a, b) => a.name[language].localeCompare(b.name[language], language));
  const readable = byName.filter((template) => readingTransports(template).length > 0);
  const others = byName.filter((template) => !readable.includes(template));
  return (
    <Layout context={context} title={add.title}>
      <p class="back">
        <a href={DEVICES_PATH}>{add.back}</a>
      </p>
      <Failed text={context.session.takeFlash("outcome")} />
      <section class="card">
        <h2>{add.choose}</h2>
        <p>{add.chooseHint}</p>
        <TemplateList
          context={context}
          templates={readable}
          transportsOf={readingTransports}
          address={(template, transport) =>
            `${ADD_PATH}?${new URLSearchParams({ site: site.id, template, transport })}`
          }
        />
      </section>
      {others.length > 0 && (
        <details class="card">
          <summary>{add.others}</summary>
          <TemplateList
            context={context}
            templates={others}
            transportsOf={({ transports }) => Object.keys(transports)}
            address={(template, transport) =>
              `${DEVICES_PATH}/new?${new URLSearchParams({ site: site.id, template, transport })}`
            }
          />
        </details>
      )}
    </Layout>
  );
}

interface TemplateListProps extends TemplatesProps {
  transportsOf(template: ActuatorTemplate): string[];
  address(template: string, transport: string): string;
}

function TemplateList({ context, templates, transportsOf, address }: TemplateListProps) {
  const { language } = context;
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
export function ConnectionPage({ context, template, transport, id, typed, stored, errors }: ConnectionProps) {
  const { language } = context;
  const { add, page } = textsOf(language).devicePages;
  return (
    <Layout context={context} title={id === undefined ? add.title : page.change}>
      <p class="back">
        <a href={DEVICES_PATH}>{add.back}</a>
      </p>
      <ErrorSummary context={context} errors={errors} />
      <p class="lead">{template.name[language]}</p>
      <Notes context={context} template={template} />
      <Form context={context} action={ADD_PATH} class="card">
        <h2>{add.connection}</h2>
        <input type="hidden" name="template" value={template.id} />
        <input type="hidden" name="transport" value={transport} />
        {id !== undefined && <input type="hidden" name="id" value={id} />}
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
