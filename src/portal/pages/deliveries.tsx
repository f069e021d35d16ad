import type { PortalTexts } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { PortalDelivery } from "../options.js";
import { dateTimeText } from "../ui/format.js";
import { TableHead } from "../ui/table-head.js";

interface DeliveriesProps {
  context: SignedInContext;
  /** Newest first. */
  deliveries: readonly PortalDelivery[];
}

/** Results of the latest deliveries of a webhook. */
export function Deliveries({ context, deliveries }: DeliveriesProps) {
  const { webhook: texts } = context.texts;
  if (deliveries.length === 0) return <p>{texts.noDeliveries}</p>;
  const { column } = texts;
  return (
    <table>
      <TableHead columns={[column.time, column.event, column.result, { number: column.duration }]} />
      <tbody>
        {deliveries.map((delivery, at) => (
          // Two deliveries may have the same time; the list is never reordered.
          <tr key={at}>
            <td>{dateTimeText(delivery.time, context)}</td>
            <td>
              <code>{delivery.event}</code>
            </td>
            <td>
              <span class={delivery.error === null ? "state ok" : "state failed"}>
                {deliveryText(delivery, texts)}
              </span>
            </td>
            <td class="number">{Math.round(delivery.durationMs)} ms</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Result of a delivery with the status of the response, if any. */
export function deliveryText({ status, error }: PortalDelivery, texts: PortalTexts["webhook"]): string {
  const faults: Readonly<Record<string, string>> = texts.fault;
  const text = error === null ? texts.delivered : (faults[error.code] ?? error.message);
  return status === null ? text : `${status}, ${text}`;
}
