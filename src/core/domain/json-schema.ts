type Nodes = Readonly<Record<string, unknown>>;

/** The schema of an object with these keys and no others; the optional ones may be missing. */
export function closedObject<
  const Required extends Nodes,
  const Optional extends Nodes = Record<never, never>,
>(required: Required, optional: Optional = {} as Optional) {
  return {
    type: "object",
    required: Object.keys(required) as (keyof Required & string)[],
    additionalProperties: false,
    properties: { ...required, ...optional },
  } as const;
}
