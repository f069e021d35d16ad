/** The files for Loxone Config: virtual HTTP inputs, virtual HTTP outputs, and topics for its MQTT client. */
export const LOXONE_KINDS = ["http-input", "http-output", "mqtt"] as const;

export type LoxoneKind = (typeof LOXONE_KINDS)[number];
