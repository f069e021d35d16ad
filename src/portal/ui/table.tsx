import type { ComponentChildren } from "preact";

/** A column: its label, empty for none, and its cell of a row. */
interface Column<Row> {
  /** `head`: the cell names its row; `number`: aligned to the right. */
  kind: "head" | "text" | "number";
  label: string;
  cell: (row: Row) => ComponentChildren;
}

type MakeColumn<Row> = (label: string, cell: (row: Row) => ComponentChildren) => Column<Row>;

/** Makes the columns of a table with rows of a type. */
export function columnsOf<Row>(): Record<Column<Row>["kind"], MakeColumn<Row>> {
  return {
    head: (label, cell) => ({ kind: "head", label, cell }),
    text: (label, cell) => ({ kind: "text", label, cell }),
    number: (label, cell) => ({ kind: "number", label, cell }),
  };
}

interface DataTableProps<Row> {
  rows: readonly Row[];
  columns: (col: ReturnType<typeof columnsOf<Row>>) => readonly Column<Row>[];
  caption?: string;
  /** Names a table without a caption to screen readers. */
  label?: string;
  rowClass?: (row: Row) => string | undefined;
  /** A text in place of the further cells of a row that has no values. */
  gap?: (row: Row) => string | undefined;
  /** The last row: its label and the numbers of the further columns. */
  sums?: { label: string; numbers: readonly ComponentChildren[] };
}

/** Tables with more columns have room on large screens only. */
const MOST_NARROW_COLUMNS = 5;

/** Class of the room of a table, by which the style sheet decides where its rows become cards. */
export function tableClass(columns: number): string {
  return `table${columns > MOST_NARROW_COLUMNS ? " wide" : columns > 2 ? "" : " short"}`;
}

/**
 * A table with a row for each entry. Where it has no room, each row is a card: its name, and below it the label and the value
 * of each further column. With two columns it remains a table.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, caption, label, rowClass, gap, sums } = props;
  const columns = props.columns(columnsOf<Row>());
  const cellsOf = (row: Row) => {
    const instead = gap?.(row);
    const shown = instead === undefined ? columns : columns.slice(0, 1);
    return (
      <>
        {shown.map((column) => (
          <Cell key={column.label} column={column} row={row} />
        ))}
        {instead !== undefined && (
          <td colSpan={columns.length - 1} class="muted instead">
            {instead}
          </td>
        )}
      </>
    );
  };
  return (
    <div class={tableClass(columns.length)}>
      <table aria-label={label}>
        {caption !== undefined && <caption>{caption}</caption>}
        {tableHead(columns.map(({ kind, label: name }) => (kind === "number" ? { number: name } : name)))}
        <tbody>
          {rows.map((row, index) => (
            // Tables are rendered once and never reordered.
            <tr key={index} class={rowClass?.(row)}>
              {cellsOf(row)}
            </tr>
          ))}
        </tbody>
        {sums !== undefined && (
          <tfoot>
            <tr class="total">
              <th scope="row">{sums.label}</th>
              {sums.numbers.map((number, index) => (
                <td key={index} data-label={columns[index + 1]?.label} class="number">
                  {number}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

function Cell<Row>({ column: { kind, label, cell }, row }: { column: Column<Row>; row: Row }) {
  if (kind === "head") return <th scope="row">{cell(row)}</th>;
  return (
    <td data-label={label === "" ? undefined : label} class={kind === "number" ? "number" : undefined}>
      {cell(row)}
    </td>
  );
}

/** The head of a table: the labels of its columns, also of those with numbers; empty for a column without a label. */
export function tableHead(columns: readonly (string | { number: string })[]) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          if (column === "") return <td key="" />;
          const isNumber = typeof column !== "string";
          const label = isNumber ? column.number : column;
          return (
            <th key={label} scope="col" {...(isNumber && { class: "number" })}>
              {label}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Names with their values; those without a value are left out. */
export function namedValues(rows: readonly (readonly [name: string, value: ComponentChildren])[]) {
  return (
    <dl class="facts">
      {rows.map(
        ([name, value]) =>
          value && (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ),
      )}
    </dl>
  );
}
