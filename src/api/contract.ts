/** Groups of operations in openapi.json. */
export const TAGS = {
  prices: "Prices and decisions from them.",
  planning: "Windows, and the plan of battery and devices.",
  plant: "Readings, forecasts and devices of a plant.",
  gateway: "The gateway itself.",
} as const;

/** What openapi.json says of an operation beyond the schemas that its input is checked with. */
export interface Contract {
  tag: keyof typeof TAGS;
  /** More sentences about the operation. */
  description?: string;
  /** Keywords of the whole input, such as the members that a call must have. */
  keywords?: object;
  /** Keywords of members that the operation checks itself, by the member's name. */
  members?: Readonly<Record<string, object>>;
  /** A call that is answered with 200. */
  example: Readonly<Record<string, unknown>>;
  /** The answer to the example. */
  answer?: Readonly<Record<string, unknown>>;
}

/** A time as generated clients send it; other forms of ISO 8601 are accepted, too. */
export const DOCUMENTED_TIME = { format: "date-time", minLength: 1 } as const;

/** The access of a registered key in examples of answers. */
export const EXAMPLE_ACCESS = {
  tier: "community",
  label: "Community",
  full_version_available: true,
  token_present: true,
  token_valid: true,
} as const;
