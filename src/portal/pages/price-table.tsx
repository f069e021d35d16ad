import type { QuotaSettings } from "../../config/settings.js";
import type { PortalTexts } from "../../texts/index.js";
import { TableHead } from "../ui/table-head.js";

/** The plans side by side: prices of docs/spec/http-api.md section 3, limits as this gateway is configured. */
export function PriceTable({ texts, quotaTable }: { texts: PortalTexts["plan"]; quotaTable: QuotaSettings }) {
  const { column, name } = texts;
  const { basic, community, professional, oem } = quotaTable;
  const rows = [
    [name.basic, texts.free, texts.hours(48), texts.perHour(basic.decision, "address")],
    [name.community, texts.free, texts.hours(168), texts.perDay(community.decision)],
    [
      name.professional,
      texts.professionalPrice,
      texts.hours(168),
      texts.perHour(professional.decision, "account"),
    ],
    [name.oem, texts.oemPrice, texts.hours(168), texts.perHour(oem.decision, "account")],
  ] as const;
  return (
    <table>
      <TableHead columns={Object.values(column)} />
      <tbody>
        {rows.map(([plan, ...cells]) => (
          <tr key={plan}>
            <th scope="row">{plan}</th>
            {cells.map((cell) => (
              <td key={cell}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
