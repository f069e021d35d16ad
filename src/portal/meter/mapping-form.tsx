import type { MeterDirection } from "../../core/domain/meter.js";
import {
  COLUMN_UNITS,
  type ColumnMapping,
  type ColumnMappingError,
  type ColumnPreview,
} from "../../money/meter/columns.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { boundFields, errorSummary, type FieldErrors, Form, SelectField, SubmitButton } from "../ui/form.js";
import { DataTable } from "../ui/table.js";
import type { DraftFile } from "./drafts.js";

/** Quantities that the form offers a column for. */
const DIRECTIONS: readonly MeterDirection[] = ["import", "export", "community", "residual"];

/** Field of the form for a part of the mapping that is refused. */
export function mappingField(part: ColumnMappingError["field"]): string {
  return part === "values" ? "column-import" : part;
}

/** The mapping that a form states; parts without a number are refused where it is used. */
export function mappingOf(form: FormBody): ColumnMapping {
  const values = DIRECTIONS.flatMap((direction) => {
    const column = Number(form.text(`column-${direction}`));
    return column > 0 ? [{ column, direction }] : [];
  });
  const clock = Number(form.text("clock"));
  return {
    time: Number(form.text("time")),
    ...(clock > 0 && { clock }),
    values,
    unit: form.text("unit") as ColumnMapping["unit"],
    label: form.text("label") as ColumnMapping["label"],
  };
}

interface MappingFormProps {
  context: SignedInContext;
  draftId: string;
  index: number;
  file: DraftFile;
  preview: ColumnPreview;
  /** A refused form of this file. */
  typed: ColumnMapping | undefined;
  errors: FieldErrors;
}

/** The first rows of a file of an unknown format, and the fields that say what its columns hold. */
export function MappingForm({ context, draftId, index, file, preview, typed, errors }: MappingFormProps) {
  const { columns, quantities } = textsOf(context.language).meterPage;
  const { rows, names, guess } = preview;
  const mapping = typed ?? guess;
  const scope = String(index);
  const field = boundFields(errors);
  const options = names.map((name, at) => ({ value: at + 1, label: columns.column(at + 1, name) }));
  const withNone = [{ value: "", label: columns.none }, ...options];
  const columnOf = (direction: MeterDirection) =>
    mapping.values.find((value) => value.direction === direction)?.column ?? "";
  const units = COLUMN_UNITS.map((unit) => ({
    value: unit,
    label: unit.endsWith("h") ? unit : columns.power(unit),
  }));
  const labels = (["start", "end"] as const).map((value) => ({ value, label: columns[value] }));
  type Choices = readonly { value: string | number; label: string }[];
  const fields: [name: string, value: string | number, label: string, choices: Choices, hint?: string][] = [
    ["time", mapping.time, columns.time, options],
    ["clock", mapping.clock ?? "", columns.clock, withNone],
    ...DIRECTIONS.map((direction): (typeof fields)[number] => [
      `column-${direction}`,
      columnOf(direction),
      columns.of(quantities[direction]),
      withNone,
    ]),
    ["unit", mapping.unit, columns.unit, units],
    ["label", mapping.label, columns.label, labels, columns.labelHint],
  ];
  return (
    <>
      <h3>{columns.title}</h3>
      <p>{columns.intro}</p>
      {errorSummary(context, errors, scope)}
      <DataTable
        label={`${columns.preview}: ${file.name}`}
        rows={rows}
        columns={(col) => options.map(({ value }, at) => col.text(columns.short(value), (row) => row[at]))}
      />
      <Form
        context={context}
        action="/meter/columns"
        label={`${columns.title}: ${file.name}`}
        hidden={{ draft: draftId, file: index }}
      >
        <div class="columns">
          {fields.map(([name, value, label, choices, hint]) => (
            <SelectField
              key={name}
              {...field(name, value)}
              label={label}
              options={choices}
              scope={scope}
              hint={hint}
            />
          ))}
        </div>
        <SubmitButton>{columns.submit}</SubmitButton>
      </Form>
    </>
  );
}
