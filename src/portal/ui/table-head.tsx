/** Label of a column, also of one with numbers; empty for a column without a label. */
type Column = string | { number: string };

/** The head of a table with one row of labels. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
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
