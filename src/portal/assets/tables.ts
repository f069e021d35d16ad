/** Tables, and the cards that they become where they have no room. */
export const TABLES = `
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; padding-bottom: var(--space-6); }
th, td { text-align: left; vertical-align: top; padding: var(--space-8) var(--space-12) var(--space-8) 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
:is(th, td):last-child { padding-right: 0; }
th { color: var(--muted); font-weight: 600; }
thead th { vertical-align: bottom; overflow-wrap: break-word; }
tbody th { color: inherit; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
th .hint { display: block; }
tr.total :is(th, td) { font-weight: 700; border-bottom-width: 2px; }
.table { container-type: inline-size; margin: 0 0 var(--space-12); }
.table:last-child { margin-bottom: 0; }
${["@container (max-width: 36rem) { .table:not(.short)", "@container (max-width: 56rem) { .table.wide"]
  .map(
    (narrow) => `
${narrow} {
  & table, & caption, & tbody, & tfoot { display: block; }
  & thead { display: none; }
  & tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: var(--space-4) var(--space-12); padding: var(--space-12) 0; border-bottom: 1px solid var(--line); }
  & tr.total { border-bottom-width: 2px; }
  & :is(th, td) { border: 0; padding: 0; text-align: left; min-width: 0; }
  & :is(th, .instead) { grid-column: 1 / -1; }
  & td:empty { display: none; }
  & td.number { white-space: normal; }
  & td[data-label]::before { content: attr(data-label); display: block; color: var(--muted); font-size: var(--type-14); font-weight: 400; }
} }`,
  )
  .join("")}
table.lines tbody th { font-weight: 400; }
table.lines .group { color: var(--muted); padding-top: var(--space-16); font-weight: 600; }
table.lines .total :is(th, td) { font-weight: 700; }
@media (max-width: 40rem) {
  table.lines thead { display: none; }
  table.lines tr { display: grid; grid-template-columns: 1fr auto; gap: 0 var(--space-12); padding: var(--space-6) 0; border-bottom: 1px solid var(--line); }
  table.lines tr :is(th, td) { border: none; padding: 0; }
  table.lines td:last-child { grid-area: 1 / 2; }
  table.lines td:not(:last-child) { color: var(--muted); font-size: var(--type-14); grid-row: 2; }
  table.lines th + td:not(:last-child) { text-align: left; }
}
`;
