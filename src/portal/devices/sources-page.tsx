import type { OfferedEntity } from "../../equipment/home-assistant-entities.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { type FieldErrors, Form, Notice, SelectField, SubmitButton, TextField } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { DEVICES_PATH, SOURCES_PATH } from "./labels.js";

/** The field of the source of a reading. */
export function fieldOfReading(reading: string): string {
  return `source.${reading}`;
}

interface SourcesProps {
  context: SiteContext;
  token: string;
  template: ActuatorTemplate;
  /** What fits each reading; undefined: the system has no list, or it could not be read. */
  choices?: Readonly<Record<string, OfferedEntity[]>> | undefined;
  failure?: string;
  hint: string | undefined;
  /** The sources that were chosen, by reading. */
  held: Readonly<Record<string, unknown>>;
  errors: FieldErrors;
}

/** The page /devices/sources: the source of each reading of a system, of its own list where it has one. */
export function SourcesPage(props: SourcesProps) {
  const { context, token, template, choices, failure, hint, held, errors } = props;
  const { language } = context;
  const { add, readings } = textsOf(language).devicePages;
  const textOf = (reading: string) => (typeof held[reading] === "string" ? held[reading] : "");
  return (
    <Layout {...{ context, errors }} title={add.title} back={[DEVICES_PATH, add.back]}>
      <p class="lead">{template.name[language]}</p>
      {failure !== undefined && <Notice kind="warning">{`${add.noList} ${failure}`}</Notice>}
      <Form context={context} action={SOURCES_PATH} class="card" hidden={{ draft: token }}>
        <h2>{add.sources}</h2>
        <p class="hint">{choices === undefined ? hint : add.sourcesHint}</p>
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
