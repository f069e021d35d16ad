import { METER_QUANTITIES, type MeterWarning } from "../../core/domain/meter.js";
import { VIENNA } from "../../core/time/zone.js";
import { usualQuantity } from "../../money/meter/choose.js";
import type { ColumnMapping } from "../../money/meter/columns.js";
import type { ReadSeries } from "../../store/meter-values.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { type FieldErrors, Form, Notice, SelectField, SubmitButton, TextField } from "../ui/form.js";
import { dateTimeText, siteName } from "../ui/format.js";
import { formButton } from "../ui/parts.js";
import { namedValues } from "../ui/table.js";
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
  const isRead = draft.files.some(({ reading }) => "series" in reading);
  return (
    <section id="check">
      <h2>{check.title}</h2>
      <p>
        {check.intro(DRAFT_MINUTES)}
        {context.sites.length > 1 &&
          context.site !== undefined &&
          ` ${check.forSite(siteName(context.site))}`}
      </p>
      {draft.files.map((file, index) => (
        <UnreadableFile
          key={index}
          {...{ context, file, index }}
          draftId={draft.id}
          refused={refused?.file === index ? refused : undefined}
        />
      ))}
      {isRead && (
        <Form context={context} action="/meter/import" hidden={{ draft: draft.id }}>
          {draft.files.map((file, index) => (
            <ReadFile
              key={index}
              {...{ context, file, index }}
              uses={uses[index] ?? []}
              overlaps={overlaps[index] ?? []}
            />
          ))}
          <p>
            <SubmitButton>{check.submit}</SubmitButton>
          </p>
        </Form>
      )}
      {formButton(context, "/meter/discard", check.discard, { kind: "plain" })}
    </section>
  );
}

interface FileProps {
  context: SignedInContext;
  file: DraftFile;
  index: number;
}

/** A file of a form that is not known, with the fields that say what its columns hold. */
function UnreadableFile({
  draftId,
  refused,
  ...of
}: FileProps & { draftId: string; refused: DraftSectionProps["refused"] }) {
  const { meter, meterPage } = textsOf(of.context.language);
  const { reading, name, mapping } = of.file;
  if ("series" in reading) return null;
  return (
    <section class="card">
      <h3>{name}</h3>
      <Notice kind="error">
        <p>
          <strong>{meterPage.check.unreadable}.</strong>
        </p>
        <p>{`${name} ${meter.fault(reading.fault)}`}</p>
      </Notice>
      {reading.preview !== undefined && (
        <MappingForm
          {...of}
          draftId={draftId}
          preview={reading.preview}
          typed={refused?.mapping ?? mapping}
          errors={refused?.errors ?? {}}
        />
      )}
    </section>
  );
}

/** A file that was read: what its series hold, and what each is imported as. */
function ReadFile({
  context,
  file: { name, reading },
  index,
  uses,
  overlaps,
}: FileProps & { uses: readonly SeriesUse[]; overlaps: readonly (readonly MeterWarning[])[] }) {
  const { check } = textsOf(context.language).meterPage;
  if (!("series" in reading)) return null;
  const { series } = reading;
  const hasSeveral = new Set(series.map(usualQuantity)).size < series.length;
  return (
    <section class="card">
      <h3>{name}</h3>
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
      {namedValues([
        [
          check.operator,
          series.operator === "unknown" ? check.unknownOperator : `${series.operator} (${series.format})`,
        ],
        [check.meterPoint, series.meterPoint ?? check.noMeterPoint],
        [
          check.period,
          `${dateTimeText(new Date(series.firstStartMs), context)} – ${dateTimeText(end, context)}`,
        ],
        [check.values, check.rows(number(series.intervals, 0), series.stepMinutes, series.label)],
        [check.energy, <strong>{`${number(series.kwh, 3)} kWh`}</strong>],
        [check.counts, counts],
        [
          check.remarks,
          warnings.length > 0 &&
            warnings.map((warning) => <p key={meter.warning(warning)}>{meter.warning(warning)}</p>),
        ],
      ])}
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
