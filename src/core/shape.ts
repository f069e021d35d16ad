import { isRecord } from "./net/json.js";

/**
 * Whether a value has a form. For own documents, which may be of another version or have been changed by hand: what does not fit
 * is not used, so that no page and no start fails because of it.
 */
export type Shape<T> = (value: unknown) => value is T;

export const isNumber: Shape<number> = (value): value is number =>
  typeof value === "number" && Number.isFinite(value);
/** A number that is not below 0, such as an energy or a power. */
export const isAmount: Shape<number> = (value): value is number => isNumber(value) && value >= 0;
export const isText: Shape<string> = (value): value is string => typeof value === "string";
export const isFlag: Shape<boolean> = (value): value is boolean => typeof value === "boolean";

/** A valid time. */
export const isTime: Shape<Date> = (value): value is Date =>
  value instanceof Date && !Number.isNaN(value.getTime());

/** An ISO 8601 time as a text. */
export const isTimeText: Shape<string> = (value): value is string =>
  typeof value === "string" && !Number.isNaN(Date.parse(value));

export const isOneOf =
  <const Choice>(choices: readonly Choice[]): Shape<Choice> =>
  (value): value is Choice =>
    choices.includes(value as Choice);

export const isNullOr =
  <T>(is: Shape<T>): Shape<T | null> =>
  (value): value is T | null =>
    value === null || is(value);

/** May be left out. */
export const isMaybe =
  <T>(is: Shape<T>): Shape<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || is(value);

export const isListOf =
  <T>(is: Shape<T>): Shape<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(is);

/** An object with values of one form under any names. */
export const isMapOf =
  <T>(is: Shape<T>): Shape<Record<string, T>> =>
  (value): value is Record<string, T> =>
    isRecord(value) && Object.values(value).every(is);

/** An object with these fields, and others. */
export const hasFields =
  <T extends object>(fields: { readonly [Name in keyof T]-?: Shape<T[Name]> }): Shape<T> =>
  (value): value is T =>
    isRecord(value) &&
    Object.entries<(value: unknown) => boolean>(fields).every(([name, is]) => is(value[name]));

/** The same for each of some names, such as one form for several fields. */
export const each = <const Name extends string, Value>(
  names: readonly Name[],
  value: Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
