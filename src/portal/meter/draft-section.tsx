import type { MeterWarning } from "../../core/domain/meter.js";
import { METER_QUANTITIES } from "../../core/domain/meter.js";
import { VIENNA } from "../../core/time/zone.js";
import { usualQuantity } from "../../money/meter/choose.js";
import type { ColumnMapping } from "../../money/meter/columns.js";
import type { ReadSeries } from "../../store/meter-values.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { type FieldErrors, Form, Notice, SelectField, SubmitButton, TextField } from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { siteName } from "../ui/site-name.js";
import { communityField, isShare, type SeriesUse, useField } from "./chosen-series.js";
import { DRAFT_MINUTES, type DraftFile, type ImportDraft } from "./drafts.js";
import { MappingForm } from "./mapping-form.js";

export interface DraftSectionProps {
  context: SignedInContext;
  draft: ImportDraft;
  /** What each series is imported as. */
  uses: readonly (readonly SeriesUse[])[];
  /** What the import of each series would replace, by file and series. */
  overlaps: readonly (readonly (readonly MeterWarning[])[])[];
  /** A refused column mapping. */
  refused: { file: number; mapping: ColumnMapping; errors: FieldErrors } | undefined;
}

/** Uploaded files: what they hold, what they are imported as, and the dialog for unknown formats. */
export function DraftSection({ context, draft, uses, overlaps, refused }: DraftSectionProps) {
  const { check } = textsOf(context.language).meterPage;
  const files = draft.files.map((file, index) => ({ file, index }));
  const readable = files.filter(({ file }) => "series" in file.reading);
  const others = files.filter(({ file }) => !("series" in file.reading));
  return (
    <section id="check">
      <h2>{check.title}</h2>
      <p>
        {check.intro(DRAFT_MINUTES)}
        {context.sites.length > 1 &&
          context.site !== undefined &&
          ` ${check.forSite(siteName(context.site))}`}
      </p>
      {others.map(({ file, index }) => (
        <UnreadableFile
          key={index}
          context={context}
          draftId={draft.id}
          file={file}
          index={index}
          refused={refused?.file === index ? refused : undefined}
        />
      ))}
      {readable.length > 0 && (
        <Form context={context} action="/meter/import">
          <input type="hidden" name="draft" value={draft.id} />
          {readable.map(({ file, index }) => (
            <ReadFile
              key={index}
              context={context}
              file={file}
              index={index}
              uses={uses[index] ?? []}
              overlaps={overlaps[index] ?? []}
            />
          ))}
          <p>
            <SubmitButton>{check.submit}</SubmitButton>
          </p>
        </Form>
      )}
      <Form context={context} action="/meter/discard">
        <SubmitButton kind="plain">{check.discard}</SubmitButton>
      </Form>
    </section>
  );
}

function UnreadableFile({
  context,
  draftId,
  file,
  index,
  refused,
}: {
  context: SignedInContext;
  draftId: string;
  file: DraftFile;
  index: number;
  refused: DraftSectionProps["refused"];
}) {
  const { meter, meterPage } = textsOf(context.language);
  if ("series" in file.reading) return null;
  const { fault, preview } = file.reading;
  return (
    <section class="card">
      <h3>{file.name}</h3>
      <Notice kind="error">
        <p>
          <strong>{meterPage.check.unreadable}.</strong>
        </p>
        <p>
          {file.name} {meter.fault(fault)}
        </p>
      </Notice>
      {preview !== undefined && (
        <MappingForm
          context={context}
          draftId={draftId}
          index={index}
          file={file}
          preview={preview}
          typed={refused?.mapping ?? file.mapping}
          errors={refused?.errors ?? {}}
        />
      )}
    </section>
  );
}

interface ReadFileProps {
  context: SignedInContext;
  file: DraftFile;
  index: number;
  uses: readonly SeriesUse[];
  overlaps: readonly (readonly MeterWarning[])[];
}

function ReadFile({ context, file, index, uses, overlaps }: ReadFileProps) {
  const { check } = textsOf(context.language).meterPage;
  if (!("series" in file.reading)) return null;
  const { series } = file.reading;
  const hasSeveral = new Set(series.map(usualQuantity)).size < series.length;
  return (
    <section class="card">
      <h3>{file.name}</h3>
      {hasSeveral && <Notice kind="warning">{check.several}</Notice>}
      <div class="columns">
        {series.map((one, number) => (
          <SeriesFacts
            key={useField(index, number)}
            context={context}
            series={one}
            field={useField(index, number)}
            communityName={communityField(index, number)}
            use={uses[number]}
            warnings={[...one.warnings, ...(overlaps[number] ?? [])]}
          />
        ))}
      </div>
    </section>
  );
}

interface SeriesFactsProps {
  context: SignedInContext;
  series: ReadSeries;
  field: string;
  communityName: string;
  use: SeriesUse;
  warnings: readonly MeterWarning[];
}

function SeriesFacts({ context, series, field, communityName, use, warnings }: SeriesFactsProps) {
  const { meter, meterPage } = textsOf(context.language);
  const { check, quantities } = meterPage;
  const { number } = formatOf(context.language, context.site?.plant.timezone ?? VIENNA);
  const end = new Date(series.lastStartMs + series.stepMinutes * 60_000);
  const counts = (["missing", "estimated", "doubled", "dropped"] as const)
    .map((name) => `${number(series[name], 0)} ${check[name]}`)
    .join(", ");
  return (
    <div>
      <dl class="facts">
        <dt>{check.operator}</dt>
        <dd>
          {series.operator === "unknown" ? check.unknownOperator : `${series.operator} (${series.format})`}
        </dd>
        <dt>{check.meterPoint}</dt>
        <dd>{series.meterPoint ?? check.noMeterPoint}</dd>
        <dt>{check.period}</dt>
        <dd>
          {dateTimeText(new Date(series.firstStartMs), context)} – {dateTimeText(end, context)}
        </dd>
        <dt>{check.values}</dt>
        <dd>{check.rows(number(series.intervals, 0), series.stepMinutes, series.label)}</dd>
        <dt>{check.energy}</dt>
        <dd>
          <strong>{number(series.kwh, 3)} kWh</strong>
        </dd>
        <dt>{check.counts}</dt>
        <dd>{counts}</dd>
        {warnings.length > 0 && (
          <>
            <dt>{check.remarks}</dt>
            <dd>
              {warnings.map((warning) => (
                <p key={meter.warning(warning)}>{meter.warning(warning)}</p>
              ))}
            </dd>
          </>
        )}
      </dl>
      <SelectField
        name={field}
        label={check.use}
        value={use ?? ""}
        options={[
          ...METER_QUANTITIES.map((quantity) => ({ value: quantity, label: quantities[quantity] })),
          { value: "", label: check.skip },
        ]}
      />
      {isShare(usualQuantity(series)) && (
        <TextField
          name={communityName}
          label={check.community}
          hint={check.communityHint}
          value={series.communities.join(", ")}
        />
      )}
    </div>
  );
}
