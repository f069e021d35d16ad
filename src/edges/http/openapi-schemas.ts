import type { Operation } from "../../api/operation.js";
import { accessSchema, errorSchema, timezoneSchema } from "../../api/schemas.js";
import { recipeSchema } from "../../api/windows-schema.js";

/** Schemas that have a name of their own wherever they are used. */
const SHARED: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [accessSchema, "Access"],
  [errorSchema, "Error"],
  [timezoneSchema, "TimeZone"],
  [recipeSchema, "DeviceSchedule"],
]);

export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A schema in which the shared ones are references. */
export function documented(schema: unknown): unknown {
  const name = SHARED.get(schema);
  return name === undefined ? membersOf(schema) : ref(name);
}

function membersOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, documented(value)]));
}

/** The shared schemas by name. */
export function sharedSchemas(): Record<string, unknown> {
  const named = Object.fromEntries([...SHARED].map(([schema, name]) => [name, membersOf(schema)]));
  return { ...named, TimeZone: { ...timezoneSchema, minLength: 1, pattern: zonePattern() } };
}

/** The names of the time zones as a pattern. */
function zonePattern(): string {
  const names = ["UTC", ...Intl.supportedValuesOf("timeZone")].map((name) => name.replaceAll("+", "\\+"));
  return `^(?:${[...new Set(names)].join("|")})$`;
}

/** The members of an operation's input, each with what the operation checks itself. */
export function inputMembers({ schema, contract }: Operation): [name: string, schema: unknown][] {
  const { properties = {} } = schema as { properties?: Record<string, object> };
  return Object.entries(properties).map(([name, member]) => {
    const more = contract.members?.[name];
    return [name, more === undefined ? documented(member) : documented({ ...member, ...more })];
  });
}

/** The body of a POST. */
export function bodySchema(operation: Operation): object {
  const { properties: _, ...rest } = operation.schema as { properties?: object };
  return {
    ...(documented(rest) as object),
    properties: Object.fromEntries(inputMembers(operation)),
    ...operation.contract.keywords,
  };
}
