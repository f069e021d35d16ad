import { accessDocument } from "../accounts/access.js";
import { FlexInputError } from "../plan/windows/request.js";
import type { FlexResult } from "../plan/windows/result.js";
import { SegmentLimitError } from "../plan/windows/segment-sets.js";
import { DOCUMENTED_TIME } from "./contract.js";
import { windowsDocument } from "./documents/windows.js";
import { slotNotAssigned } from "./errors.js";
import { ForecastKeys, localZone } from "./horizon.js";
import { invalidParameter } from "./input.js";
import { notAvailable, notReady } from "./not-available.js";
import type { Call, Document, Operation } from "./operation.js";
import type { Services } from "./services.js";
import { type WindowsInput, windowsReader } from "./windows-input.js";
import {
  notAvailableAnswer,
  SEGMENTS_PATTERN,
  SLOT_ID_PATTERN,
  windowsBody,
  windowsQuery,
  windowsResponse,
} from "./windows-schema.js";

/** GET /v1/decision/windows (docs/spec/http-api.md section 7). */
export function windowsQueryOperation(services: Services): Operation<WindowsInput> {
  return {
    method: "GET",
    purpose: "Ranked windows of the cheapest or most expensive hours, or the run times of a flexible device.",
    schema: windowsQuery,
    ...common(services),
    contract: {
      ...WINDOWS_CONTRACT,
      example: { count: 3, window_start_hour: 22, window_end_hour: 6, timezone: "Europe/Vienna" },
    },
    read: windowsReader(services, windowsQuery),
  };
}

/** POST /v1/decision/windows: the same with the parameters in a JSON body. */
export function windowsBodyOperation(services: Services): Operation<WindowsInput> {
  return {
    method: "POST",
    purpose: "The same as GET with the parameters in a JSON body, including those that only a body accepts.",
    schema: windowsBody,
    ...common(services),
    contract: {
      ...WINDOWS_CONTRACT,
      example: { energy_kwh: 9, max_power_kw: 3, segment_consecutive: "soft", timezone: "Europe/Vienna" },
    },
    read: windowsReader(services, windowsBody),
  };
}

const WINDOWS_CONTRACT = {
  tag: "planning",
  description:
    "The window is given by start and end, by window_start_hour and window_end_hour, or by flex_pack, not by two of them. energy_delivered_kwh and battery_to_ev_pct need energy_kwh or max_power_kw. A start without an end must be within the horizon, an end without a start after now.",
  members: {
    start: DOCUMENTED_TIME,
    end: DOCUMENTED_TIME,
    slot_id: { pattern: SLOT_ID_PATTERN },
    segments: { pattern: SEGMENTS_PATTERN },
  },
} as const;

function common(services: Services) {
  const keys = new ForecastKeys();
  return {
    path: "/v1/decision/windows",
    response: windowsResponse,
    reduced: notAvailableAnswer,
    quotaClass: () => "decision" as const,
    run: (call: Call<WindowsInput>) => windows(services, call),
    cacheKey: (call: Call<WindowsInput>) => windowsKey(services, keys, call),
    perSecondCache: true,
  };
}

/**
 * The cache key of an answer: that of the forecast, the published prices, the plant's settings, the second (because of
 * `issued_at`) and the request. Requests of a slot change its schedule and are not cached; neither are windows with
 * fractions of a second, which may start or end within one.
 */
function windowsKey(services: Services, keys: ForecastKeys, call: Call<WindowsInput>): string | undefined {
  const { access, input, now } = call;
  const { ask, slot } = input;
  if (access.site === undefined || slot !== undefined) return undefined;
  const { window } = ask;
  if (window?.kind === "fixed" && [window.start, window.end].some((at) => at && at.getTime() % 1000 !== 0))
    return undefined;
  return [
    keys.of(services, call),
    keys.number(services.prices.published()),
    keys.number(access.site.plant),
    Math.floor(now.getTime() / 1000),
    JSON.stringify(ask),
  ].join("|");
}

async function windows(services: Services, { access, input, now }: Call<WindowsInput>): Promise<Document> {
  const { site } = access;
  if (site === undefined) throw notAvailable("The ranking of windows");
  const { ask, slot } = input;
  if (slot !== undefined && services.flex.sites.of(site.id).settings(slot.number) === undefined)
    throw slotNotAssigned(slot.number);
  const result = await solved(() =>
    slot === undefined
      ? services.flex.sites.of(site.id).answer(ask)
      : services.flex.sites.of(site.id).request(slot.number, ask),
  );
  if (result === undefined) throw notReady();
  return windowsDocument(result, {
    now,
    zone: input.timezone ?? localZone(services, access),
    schema: ask.gridMinutes === 15 ? "windows_v1.1" : "windows_v1",
    slotId: slot?.name ?? null,
    access: accessDocument(access),
  });
}

/** Maps input errors of the core to ApiError. */
async function solved(
  solve: () => FlexResult | undefined | Promise<FlexResult | undefined>,
): Promise<FlexResult | undefined> {
  try {
    return await solve();
  } catch (error) {
    if (error instanceof FlexInputError || error instanceof SegmentLimitError)
      throw invalidParameter([{ field: error.field, message: error.message }]);
    throw error;
  }
}
