import type { TelemetryMapEntry } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { readMapped, TopicMapError } from "../../telemetry/topic-map.js";
import { withMinus } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";

/** The last message on a topic of another device. */
export interface LastPayload {
  topic: string;
  payload: string;
  at: Date;
}

/** Most messages shown below one entry: a wildcard may match many topics. */
const MOST_SHOWN = 3;
/** Longest piece of a payload that is shown. */
const LONGEST_PAYLOAD = 200;

/** Below an entry of the topic map: the last payloads and the number each gives now. */
export function preview(
  context: PageContext,
  entry: TelemetryMapEntry,
  payloads: readonly LastPayload[],
  zone: string,
) {
  const texts = textsOf(context.language).ems.preview;
  const { locale } = textsOf(context.language).format;
  const time = new Intl.DateTimeFormat(locale, { dateStyle: "short", timeStyle: "medium", timeZone: zone });
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 });
  return (
    <div class="preview">
      <h3>{texts.title}</h3>
      {payloads.length === 0 && <p class="hint">{texts.none}</p>}
      {payloads.slice(0, MOST_SHOWN).map(({ topic, payload, at }) => {
        const read = readNow(payload, entry, context.language);
        return (
          <p key={topic}>
            <code>{`${topic} ${payload.slice(0, LONGEST_PAYLOAD)}`}</code>
            {` ${texts.at} ${time.format(at)} ${texts.gives} `}
            <strong class={typeof read === "string" ? "error" : undefined}>
              {typeof read === "string" ? read : `${entry.field} = ${withMinus(number.format(read))}`}
            </strong>
          </p>
        );
      })}
    </div>
  );
}

/** The number that the entry makes of a payload, or the sentence that says why there is none. */
function readNow(payload: string, entry: TelemetryMapEntry, language: Language): number | string {
  try {
    return readMapped(payload, entry);
  } catch (error) {
    if (error instanceof TopicMapError) return error.text(language);
    throw error;
  }
}
