import fc from "fast-check";
import { expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { localDate, VIENNA } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import {
  quartiles,
  quartilesOverall,
  rankWithinDays,
  storedHoursBefore,
} from "../../../src/plan/windows/quartiles.js";

function hoursFrom(start: string, values: readonly number[]) {
  return values.map((value, index) => ({ start: new Date(Date.parse(start) + index * HOUR_MS), value }));
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const counts = (found: readonly number[]) => [1, 2, 3, 4].map((q) => found.filter((x) => x === q).length);

test("a day of 24 rising hours has six hours in each quarter", () => {
  const found = quartiles(hoursFrom("2026-01-14T23:00:00Z", upTo(24)), VIENNA);
  expect(found).toEqual([...upTo(24)].map((hour) => Math.floor(hour / 6) + 1));
});

test("days of 23 and 25 hours use ceil(4 * rank / hours)", () => {
  // 2026-03-29 has 23 hours, 2026-10-25 has 25; by hand: 4 * rank / 23 passes 1 after rank 5, 2 after 11, 3 after 17.
  expect(counts(quartiles(hoursFrom("2026-03-28T23:00:00Z", upTo(23)), VIENNA))).toEqual([5, 6, 6, 6]);
  expect(counts(quartiles(hoursFrom("2026-10-24T22:00:00Z", upTo(25)), VIENNA))).toEqual([6, 6, 6, 7]);
});

test("ties go to the earlier hour", () => {
  const ranked = rankWithinDays(hoursFrom("2026-01-14T23:00:00Z", [5, 1, 5, 1]), VIENNA);
  expect(ranked.map(({ rank }) => rank)).toEqual([3, 1, 4, 2]);
});

test("days are those of the zone", () => {
  // 22:00Z is still the 14th in Vienna, already the 15th in Helsinki.
  const hours = hoursFrom("2026-01-14T22:00:00Z", [9, 1, 2]);
  expect(rankWithinDays(hours, VIENNA).map(({ rank }) => rank)).toEqual([1, 1, 2]);
  expect(rankWithinDays(hours, "Europe/Helsinki").map(({ rank }) => rank)).toEqual([3, 1, 2]);
});

test("rejects a value that is not a number and names its position", () => {
  expect(() => quartiles(hoursFrom("2026-01-15T00:00:00Z", [1, Number.NaN]), VIENNA)).toThrow(
    /hours\[1\]\.value/,
  );
});

test("rejects an invalid zone and names the parameter, with hours or without", () => {
  const hour = { start: new Date("2026-01-15T00:00:00Z"), value: 1 };
  for (const zone of ["Mars/Olympus", "", undefined as never])
    for (const hours of [[], [hour]]) expect(() => quartiles(hours, zone)).toThrow(/^timezone must be/);
});

test("ranks of each day are 1 to its hours, in order of price", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 8760 }),
      fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 80 }),
      (offset, values) => {
        const start = new Date(Date.parse("2026-01-01T00:00:00Z") + offset * HOUR_MS).toISOString();
        const hours = hoursFrom(start, values);
        const ranked = rankWithinDays(hours, VIENNA);
        const dates = new Set(hours.map((hour) => localDate(hour.start, VIENNA)));
        for (const date of dates) {
          const day = hours
            .map((hour, index) => ({ ...hour, ...ranked[index]! }))
            .filter((hour) => localDate(hour.start, VIENNA) === date)
            .sort((a, b) => a.rank - b.rank);
          expect(day.map(({ rank }) => rank)).toEqual(day.map((_, index) => index + 1));
          for (let index = 1; index < day.length; index++) {
            expect(day[index - 1]!.value).toBeLessThanOrEqual(day[index]!.value);
            expect(day[index - 1]!.quartile).toBeLessThanOrEqual(day[index]!.quartile);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("quartiles over the horizon include all hours", () => {
  expect(counts(quartilesOverall(hoursFrom("2026-01-14T23:00:00Z", upTo(168))))).toEqual([42, 42, 42, 42]);
});

test("past hours of today with a stored price, without gaps", () => {
  const start = Date.parse("2026-01-14T21:00:00Z");
  const series = PriceSeries.of(
    upTo(12)
      .filter((hour) => hour !== 4)
      .map((hour) => ({ start: new Date(start + hour * HOUR_MS), minutes: 60 as const, eurPerMwh: hour })),
  );
  // Local midnight is hour 2, 04:30 local is in hour 6.
  const hours = storedHoursBefore(series, new Date("2026-01-15T03:30:00Z"), VIENNA);
  expect(hours.map(({ value }) => value)).toEqual([2, 3, 5]);
});

test("an hour that contains midnight belongs to the day on which it begins", () => {
  // In Kolkata the 15th begins at 18:30Z; its hours are those from 19:00Z on, 18:00Z (23:30) is still the 14th.
  const series = PriceSeries.of(
    upTo(24).map((hour) => ({
      start: new Date(Date.parse("2026-01-14T12:00:00Z") + hour * HOUR_MS),
      minutes: 60 as const,
      eurPerMwh: 12 + hour,
    })),
  );
  const hours = (at: string) =>
    storedHoursBefore(series, new Date(at), "Asia/Kolkata").map(({ start, value }) => [
      start.getUTCHours(),
      value,
    ]);
  expect(hours("2026-01-14T21:20:00Z")).toEqual([
    [19, 19],
    [20, 20],
  ]);
  // 00:10 on the 15th: the current hour began on the 14th and is ranked among its hours.
  expect(hours("2026-01-14T18:40:00Z")).toEqual(upTo(6).map((hour) => [12 + hour, 12 + hour]));
});
