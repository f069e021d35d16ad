import type { SavingsPageDocument } from "../../api/documents/savings-page.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { periodText } from "../bill/format.js";
import type { SignedInContext } from "../context.js";
import { SelectField, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { NoSite } from "../ui/notices.js";
import { siteName } from "../ui/site-name.js";
import { BarChart } from "./bar-chart.js";
import { DayTable, PromiseTable, YearTable } from "./tables.js";

interface SavingsPageProps {
  context: SignedInContext;
  /** Months to choose from, latest first. */
  months: readonly string[];
  document: SavingsPageDocument | undefined;
}

/** The page "Savings": what the days of a month and the year cost, and what was saved. */
export function SavingsPage({ context, months, document }: SavingsPageProps) {
  const { savings: texts } = textsOf(context.language);
  const { site } = context;
  if (site === undefined || document === undefined)
    return (
      <Layout context={context} title={texts.title}>
        <NoSite context={context} />
      </Layout>
    );
  const format = formatOf(context.language, site.plant.timezone);
  const props = { context, document, format };
  const { month, total, year, now } = document;
  return (
    <Layout context={context} title={texts.title} stylesheets={["dashboard.css"]}>
      <p>{texts.intro}</p>
      <div class="figures">
        <Figure label={texts.week} eur={now?.week_eur} format={format} />
        <Figure label={texts.today} eur={now?.today_eur} format={format} />
        <Figure label={texts.thisMonth} eur={now?.month_eur} format={format} />
        <Figure label={texts.inYear(year.year)} eur={year.total.saved_eur} format={format} />
      </div>
      <form method="get" action="/savings" class="card">
        <input type="hidden" name="site" value={site.id} />
        <SelectField
          name="month"
          label={texts.month}
          value={month}
          options={months.map((value) => ({ value, label: periodText(context, value) }))}
        />
        <SubmitButton>{texts.show}</SubmitButton>
      </form>
      <section class="card">
        <h2>{`${siteName(site)}, ${periodText(context, month)}`}</h2>
        {total.saved_eur === null ? (
          <p class="empty">{site.plant.battery === null ? texts.noBattery : texts.nothing}</p>
        ) : (
          <>
            <p class="lead">{texts.saved(format.number(total.saved_eur))}</p>
            {total.saved_devices_eur !== null && Math.abs(total.saved_devices_eur) >= 0.005 && (
              <p>
                {texts.parts(format.number(total.saved_battery_eur), format.number(total.saved_devices_eur))}
              </p>
            )}
            <BarChart
              bars={document.days.map((day) => ({
                label: String(Number(day.date.slice(8))),
                value: day.before_installation ? null : day.saved_eur,
              }))}
              description={texts.chart}
              format={format}
            />
          </>
        )}
        <DayTable {...props} />
        <p class="muted">{texts.note}</p>
      </section>
      <section class="card">
        <h2>{texts.inYear(year.year)}</h2>
        {year.total.saved_eur !== null && (
          <BarChart
            bars={year.months.map((one) => ({ label: one.month.slice(5), value: one.saved_eur }))}
            description={texts.yearChart}
            format={format}
          />
        )}
        <YearTable {...props} />
      </section>
      <section class="card">
        <h2>{texts.promiseTitle}</h2>
        <PromiseTable {...props} />
      </section>
    </Layout>
  );
}

function Figure({
  label,
  eur,
  format,
}: {
  label: string;
  eur: number | null | undefined;
  format: ReturnType<typeof formatOf>;
}) {
  return (
    <section class="card">
      <h2>{label}</h2>
      <p class="big">{`${format.number(eur)} EUR`}</p>
    </section>
  );
}
