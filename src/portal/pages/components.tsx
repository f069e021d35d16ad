import { VIENNA } from "../../core/time/zone.js";
import { formatOf } from "../../texts/format.js";
import type { Page, SignedInContext } from "../context.js";
import { accountPage } from "../page.js";
import { BarChart, legend } from "../ui/chart.js";
import { entryList } from "../ui/choices.js";
import { CheckboxField, errorSummary, Notice, NumberField, SelectField, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { developerEntries } from "../ui/navigation.js";
import { Toast } from "../ui/notices.js";
import { Card, linkButton } from "../ui/parts.js";
import { DataTable, namedValues } from "../ui/table.js";

const PATH = "/developers/components";

/** The parts that pages are made of, with texts from the catalogue in place of a home's figures. */
export function componentPages(): Page[] {
  return [accountPage.get(PATH, (context) => ({ page: componentPage(context) }))];
}

/** Rows of the tables: an hour, its price in ct/kWh, and further values. */
const ROWS = Array.from({ length: 4 }, (_, index) => ({
  hour: `${index + 9}:00`,
  value: [21.4, 18.2, -1.3, 9][index]!,
}));

function componentPage(context: SignedInContext) {
  const { components: texts, form: formTexts } = context.texts;
  const format = formatOf(context.language, VIENNA);
  const number = (value: number) => format.number(value, 1);
  const errors = { "refused-number": formTexts.required };
  const table = (columns: number) => (
    <DataTable
      caption={texts.table(columns)}
      rows={ROWS}
      columns={(col) => [
        col.head(texts.hour, ({ hour }) => hour),
        ...Array.from({ length: columns - 1 }, (_, index) =>
          col.number(texts.value(index + 1), ({ value }) => number(value * (index + 1))),
        ),
      ]}
      sums={{
        label: texts.sum,
        numbers: Array.from({ length: columns - 1 }, (_, index) =>
          number((index + 1) * ROWS.reduce((sum, { value }) => sum + value, 0)),
        ),
      }}
    />
  );
  return (
    <Layout context={context} title={texts.title}>
      <Toast>{texts.toast}</Toast>
      <Card title={texts.buttons}>
        <form class="buttons" method="get" action={PATH}>
          <SubmitButton>{texts.primary}</SubmitButton>
          <SubmitButton kind="plain">{texts.plain}</SubmitButton>
          <SubmitButton kind="danger">{texts.danger}</SubmitButton>
          {linkButton(PATH, texts.link, "button plain")}
        </form>
      </Card>
      <Card title={texts.fields}>
        {errorSummary(context, errors)}
        <form class="fields" method="get" action={PATH}>
          <NumberField name="number" label={texts.numberField} value="9,6" unit="kWh" hint={texts.hint} />
          <NumberField name="refused-number" label={texts.refusedField} error={errors["refused-number"]} />
          <SelectField
            name="choice"
            label={texts.choiceField}
            options={[1, 2].map((value) => ({ value, label: texts.value(value) }))}
          />
          <CheckboxField name="tick" label={texts.checkbox} checked hint={texts.hint} />
        </form>
      </Card>
      <div class="columns">
        <Card title={texts.card}>{entryList(developerEntries(context))}</Card>
        <Card title={texts.facts}>
          {namedValues(ROWS.map(({ hour, value }) => [hour, `${number(value)} ct/kWh`]))}
        </Card>
      </div>
      <Card title={texts.tables}>{[2, 4, 8].map(table)}</Card>
      <Card title={texts.charts}>
        <BarChart
          description={texts.charts}
          unit="ct/kWh"
          format={format}
          bars={[...ROWS.map(({ hour, value }) => ({ label: hour, value })), { label: "13:00", value: null }]}
        />
        {legend(
          (["price", "soc", "pv", "load"] as const).map((name, index) => [name, texts.value(index + 1)]),
        )}
      </Card>
      <Card title={texts.states}>
        {(["info", "success", "warning", "error"] as const).map((kind) => (
          <Notice key={kind} kind={kind}>
            {texts.notices[kind]}
          </Notice>
        ))}
        <p class="empty">{texts.empty}</p>
        <p>
          <label for="loading">{texts.loading}</label> <progress id="loading" />
        </p>
      </Card>
    </Layout>
  );
}
