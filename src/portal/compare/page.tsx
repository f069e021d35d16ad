import type { Site } from "../../config/site.js";
import type { NamedTariff } from "../../money/compare/preset-tariffs.js";
import type { ComparisonRun } from "../../money/compare/service.js";
import { tariffPresets } from "../../tariff/presets.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Form, Notice, SelectField, SubmitButton } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { Failed, NoSite } from "../ui/notices.js";
import { siteName } from "../ui/site-name.js";
import { ComparisonResult } from "./result.js";

/** What the page offers for a site. */
export interface CompareChoice {
  area: string | undefined;
  tariffs: readonly NamedTariff[];
  /** Years with prices, latest first. */
  years: readonly string[];
}

interface ComparePageProps {
  context: SignedInContext;
  content: { site: Site; choice: CompareChoice; run: ComparisonRun | undefined; isBusy: boolean } | undefined;
  /** Why a form was refused. */
  error: string | undefined;
}

const REFRESH_SECONDS = 3;

/** The page "Compare": a form that starts a comparison of tariffs, its progress and its result. */
export function ComparePage({ context, content, error }: ComparePageProps) {
  const { compare: texts } = textsOf(context.language);
  if (content === undefined)
    return (
      <Layout context={context} title={texts.title}>
        <NoSite context={context} />
      </Layout>
    );
  const { site, run, isBusy } = content;
  const format = formatOf(context.language, site.plant.timezone);
  const isRunning = run?.status === "running";
  return (
    <Layout
      context={context}
      title={texts.title}
      // A refused form is a POST, which a reload would send again.
      refreshSeconds={isRunning && error === undefined ? REFRESH_SECONDS : undefined}
    >
      <p>{texts.intro}</p>
      <Failed text={error} />
      {isRunning && (
        <section class="card">
          <h2>{siteName(site)}</h2>
          <p class="big">{texts.running(format.number(run.progress * 100, 0))}</p>
          <progress max={1} value={run.progress} aria-label={texts.title} />
          <p class="muted">{texts.runningNote}</p>
        </section>
      )}
      {run?.status === "failed" && <Notice kind="warning">{texts.faults[run.fault]}</Notice>}
      {run?.status === "done" && <ComparisonResult context={context} site={site} run={run} format={format} />}
      {!isRunning && isBusy && error === undefined && <Notice kind="info">{texts.busy}</Notice>}
      {!isRunning && <Choice context={context} {...content} />}
    </Layout>
  );
}

function Choice({
  context,
  site,
  choice,
  isBusy,
}: {
  context: SignedInContext;
  site: Site;
  choice: CompareChoice;
  isBusy: boolean;
}) {
  const { compare: texts } = textsOf(context.language);
  const presets = tariffPresets();
  const areas = presets.areas.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <form method="get" action="/compare" class="card">
        <input type="hidden" name="site" value={site.id} />
        <SelectField
          name="area"
          label={texts.area}
          value={choice.area ?? ""}
          options={choice.area === undefined ? [{ value: "", label: "–" }, ...areas] : areas}
          hint={choice.area === undefined ? texts.areaChoose : texts.areaHint}
        />
        <SubmitButton kind="plain">{texts.showTariffs}</SubmitButton>
      </form>
      <section class="card">
        {choice.tariffs.length === 0 ? (
          <p class="empty">{texts.noTariffs}</p>
        ) : (
          <Form context={context} action="/compare">
            {choice.area !== undefined && <input type="hidden" name="area" value={choice.area} />}
            <fieldset class="choices">
              <legend>{texts.tariffs}</legend>
              {choice.tariffs.map(({ name }) => {
                const preset = presets.suppliers.find(({ id }) => id === name);
                return (
                  <div class="field checkbox" key={name}>
                    <input id={`tariff-${name}`} type="checkbox" name="tariff" value={name} checked />
                    <label for={`tariff-${name}`}>{preset?.name ?? texts.own}</label>
                    {preset !== undefined && <p class="hint">{texts.asOf(preset.asOf)}</p>}
                  </div>
                );
              })}
            </fieldset>
            <SelectField
              name="year"
              label={texts.year}
              value=""
              options={[
                { value: "", label: texts.newest },
                ...choice.years.map((year) => ({ value: year, label: year })),
              ]}
            />
            {site.plant.battery === null && <p class="hint">{texts.noBatteryNote}</p>}
            <p class="muted">{texts.note}</p>
            {!isBusy && <SubmitButton>{texts.start}</SubmitButton>}
          </Form>
        )}
      </section>
    </>
  );
}
