import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";

interface PriceNoteProps {
  context: SignedInContext;
  /** Prices of the present hour, ct/kWh; undefined before there are any. */
  price: { spotCtKwh: number; ctKwh: number } | undefined;
}

/** What a kWh costs now under the tariff of the form; the script of the page replaces it when a field changes. */
export function PriceNote({ context, price }: PriceNoteProps) {
  const { start, format } = textsOf(context.language);
  const number = (value: number) =>
    value.toLocaleString(format.locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return (
    <p id="price-now" class="big" aria-live="polite">
      {price === undefined
        ? start.tariff.noPrice
        : start.tariff.now(number(price.ctKwh), number(price.spotCtKwh))}
    </p>
  );
}
