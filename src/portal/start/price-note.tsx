import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { VIENNA } from "../../time/zone.js";
import type { SignedInContext } from "../context.js";

interface PriceNoteProps {
  context: SignedInContext;
  /** Prices of the present hour, ct/kWh; undefined before there are any. */
  price: { spotCtKwh: number; ctKwh: number } | undefined;
}

/** What a kWh costs now under the tariff of the form; the script of the page replaces it when a field changes. */
export function PriceNote({ context, price }: PriceNoteProps) {
  const { start } = textsOf(context.language);
  const { number } = formatOf(context.language, VIENNA);
  return (
    <p id="price-now" class="big" aria-live="polite">
      {price === undefined
        ? start.tariff.noPrice
        : start.tariff.now(number(price.ctKwh, 1), number(price.spotCtKwh, 1))}
    </p>
  );
}
