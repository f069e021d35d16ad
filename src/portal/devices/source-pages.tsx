import { errorMessage } from "../../core/error-message.js";
import { DeviceError } from "../../equipment/command.js";
import { ExpressionError } from "../../equipment/expression.js";
import type { OfferedEntity } from "../../equipment/home-assistant-entities.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import { readingsParameter } from "../../equipment/reading/offered-readings.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import { pagesOfSite, type SiteContext } from "../page.js";
import {
  ErrorSummary,
  type FieldErrors,
  Form,
  Notice,
  SelectField,
  SubmitButton,
  TextField,
} from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { ADD_PATH } from "./add-page.js";
import type { DeviceDraft, DeviceDrafts } from "./drafts.js";
import { DEVICES_PATH } from "./labels.js";

const SOURCES_PATH = `${DEVICES_PATH}/sources`;
const sitePage = pagesOfSite({ redirect: DEVICES_PATH });

/** Services that the page uses which asks for the source of each reading. */
export interface SourcePagesOptions {
  devices: Pick<ReadingService, "entities">;
  drafts: DeviceDrafts;
  templateOf(context: SiteContext, id: string): ActuatorTemplate | undefined;
  expired(context: SiteContext): PageReply;
  /** The page that follows. */
  next(siteId: string, token: string): string;
}

/** The page that asks for the source of each reading of a draft. */
export function sourcesUrl(siteId: string, token: string): string {
  return `${SOURCES_PATH}?${new URLSearchParams({ site: siteId, draft: token })}`;
}

/** The source of each reading of a system, such as the entities of Home Assistant, of its own list where it has one. */
export function sourcePages({ devices, drafts, templateOf, expired, next }: SourcePagesOptions): Page[] {
  const choicesOf = async ({ site, language }: SiteContext, { settings }: DeviceDraft) => {
    try {
      return { choices: await devices.entities(site, settings) };
    } catch (error) {
      if (error instanceof DeviceError) {
        const { components, actuators } = textsOf(language);
        return {
          failure: `${components.actuatorFaults[error.fault]} ${actuators.technical(error.message)}`,
        };
      }
      if (error instanceof ActuatorInputError || error instanceof ExpressionError)
        return { failure: errorMessage(error) };
      throw error;
    }
  };
  const show = async (
    context: SiteContext,
    { token, draft, errors = {} }: { token: string; draft: DeviceDraft; errors?: FieldErrors },
  ): Promise<PageReply> => {
    const template = templateOf(context, draft.settings.template);
    const [name] = (template && readingsParameter(template)) ?? [];
    if (template === undefined || name === undefined) return { redirect: ADD_PATH };
    const held = draft.settings.with[name];
    return {
      page: (
        <SourcesPage
          {...{ context, token, template, errors, ...(await choicesOf(context, draft)) }}
          held={typeof held === "object" && held !== null ? (held as Record<string, unknown>) : {}}
        />
      ),
      status: Object.keys(errors).length === 0 ? 200 : 422,
    };
  };
  const draftOf = ({ account, site }: SiteContext, token: string) =>
    drafts.get(token, { accountId: account.id, siteId: site.id });

  return [
    sitePage.get(SOURCES_PATH, (context) => {
      const token = context.query.get("draft") ?? "";
      const draft = draftOf(context, token);
      return draft === undefined ? expired(context) : show(context, { token, draft });
    }),
    sitePage.post(SOURCES_PATH, { of: ADD_PATH }, (context, site, form) => {
      const token = form.text("draft");
      const draft = draftOf(context, token);
      const template = draft && templateOf(context, draft.settings.template);
      const [name] = (template && readingsParameter(template)) ?? [];
      if (draft === undefined || template === undefined || name === undefined) return expired(context);
      const sources = Object.fromEntries(
        Object.keys(template.readings ?? {}).flatMap((reading) => {
          const text = form.text(fieldOfReading(reading)).slice(0, 200);
          return text === "" ? [] : [[reading, text]];
        }),
      );
      const settings = { ...draft.settings, with: { ...draft.settings.with, [name]: sources } };
      if (Object.keys(sources).length === 0) {
        const [first = ""] = Object.keys(template.readings ?? {});
        const errors = { [fieldOfReading(first)]: textsOf(context.language).devicePages.add.noSource };
        return show(context, { token, draft: { ...draft, settings }, errors });
      }
      drafts.put({ ...draft, settings, chosen: undefined }, token);
      return { redirect: next(site.id, token) };
    }),
  ];
}

function fieldOfReading(reading: string): string {
  return `source.${reading}`;
}

interface SourcesProps {
  context: SiteContext;
  token: string;
  template: ActuatorTemplate;
  /** What fits each reading; undefined: the system has no list, or it could not be read. */
  choices?: Readonly<Record<string, OfferedEntity[]>> | undefined;
  failure?: string;
  /** The sources that were chosen, by reading. */
  held: Readonly<Record<string, unknown>>;
  errors: FieldErrors;
}

function SourcesPage({ context, token, template, choices, failure, held, errors }: SourcesProps) {
  const { language } = context;
  const { add, readings } = textsOf(language).devicePages;
  const [, parameter] = readingsParameter(template)!;
  const textOf = (reading: string) => (typeof held[reading] === "string" ? held[reading] : "");
  return (
    <Layout context={context} title={add.title}>
      <p class="back">
        <a href={DEVICES_PATH}>{add.back}</a>
      </p>
      <ErrorSummary context={context} errors={errors} />
      <p class="lead">{template.name[language]}</p>
      {failure !== undefined && <Notice kind="warning">{`${add.noList} ${failure}`}</Notice>}
      <Form context={context} action={SOURCES_PATH} class="card">
        <h2>{add.sources}</h2>
        <p class="hint">{choices === undefined ? parameter.hint?.[language] : add.sourcesHint}</p>
        <input type="hidden" name="draft" value={token} />
        {Object.keys(template.readings ?? {}).map((reading) => {
          const common = {
            name: fieldOfReading(reading),
            label: readings[reading] ?? reading,
            value: textOf(reading),
            error: errors[fieldOfReading(reading)],
          };
          if (choices === undefined) return <TextField key={reading} {...common} autocomplete="off" />;
          const options = optionsOf(choices[reading] ?? [], common.value, add.none);
          return options.length === 1 ? null : <SelectField key={reading} {...common} options={options} />;
        })}
        <SubmitButton>{add.check}</SubmitButton>
      </Form>
    </Layout>
  );
}

/** None, what fits, and what was chosen although it does not fit any more. */
function optionsOf(fitting: readonly OfferedEntity[], chosen: string, none: string) {
  const isGone = chosen !== "" && fitting.every(({ id }) => id !== chosen);
  return [
    { value: "", label: none },
    ...fitting.map(({ id, name, state, unit }) => ({
      value: id,
      label: `${name}: ${`${state} ${unit}`.trim()} (${id})`,
    })),
    ...(isGone ? [{ value: chosen, label: chosen }] : []),
  ];
}
