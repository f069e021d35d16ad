import type { MeterQuantity, MeterSeries } from "../../core/domain/meter.js";
import { METER_QUANTITIES } from "../../core/domain/meter.js";

type Arrays = "starts" | "values" | "estimates";

/** A series as JSON, for the socket of the running gateway: arrays are base64 of their little-endian bytes. */
export type MeterTransfer = Omit<MeterSeries, Arrays> & Record<Arrays, string> & { quantity: MeterQuantity };

export function transferOf(series: MeterSeries, quantity: MeterQuantity): MeterTransfer {
  const { starts, values, estimates } = series;
  return {
    ...series,
    quantity,
    starts: base64(starts),
    values: base64(values),
    estimates: base64(estimates),
  };
}

export function receivedSeries(transfer: MeterTransfer): MeterSeries & { quantity: MeterQuantity } {
  return {
    ...transfer,
    starts: doubles(transfer.starts),
    values: doubles(transfer.values),
    estimates: Uint8Array.from(Buffer.from(transfer.estimates, "base64")),
  };
}

/** Whether a value of a request is a series with at least one value and arrays of equal length. */
export function isMeterTransfer(value: unknown): value is MeterTransfer {
  if (typeof value !== "object" || value === null) return false;
  const { starts, values, estimates, quantity, stepMinutes, warnings } = value as Record<string, unknown>;
  if (typeof starts !== "string" || typeof values !== "string" || typeof estimates !== "string") return false;
  const count = Buffer.byteLength(estimates, "base64");
  return (
    count > 0 &&
    Buffer.byteLength(starts, "base64") === 8 * count &&
    Buffer.byteLength(values, "base64") === 8 * count &&
    [15, 30, 60].includes(stepMinutes as number) &&
    Array.isArray(warnings) &&
    METER_QUANTITIES.includes(quantity as MeterQuantity)
  );
}

function base64(array: Float64Array | Uint8Array): string {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
}

function doubles(text: string): Float64Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  return new Float64Array(bytes.buffer, 0, Math.floor(bytes.length / 8));
}
