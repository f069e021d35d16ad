/** Reason codes of MQTT 5 (section 2.4) that the broker sends. */
export const REASON = {
  noSubscription: 0x11,
  malformed: 0x81,
  protocolError: 0x82,
  unsupportedVersion: 0x84,
  clientIdNotValid: 0x85,
  badCredentials: 0x86,
  notAuthorised: 0x87,
  filterInvalid: 0x8f,
  topicInvalid: 0x90,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  aliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  administrative: 0x98,
  sharedNotSupported: 0x9e,
  rateExceeded: 0x9f,
} as const;

/** SUBACK code of MQTT 3.1.1 for every refusal. */
export const SUBSCRIPTION_FAILED = 0x80;

/** Why a packet of a client is refused. */
export interface PacketRefusal {
  code: number;
  /** A sentence: what is wrong and what to do. */
  reason: string;
}

/** CONNACK codes of MQTT 3.1.1 by the reason code of MQTT 5. */
const RETURN_CODES: Readonly<Record<number, number>> = {
  [REASON.unsupportedVersion]: 1,
  [REASON.clientIdNotValid]: 2,
  [REASON.quotaExceeded]: 3,
  [REASON.rateExceeded]: 3,
  [REASON.badCredentials]: 4,
};

/** The CONNACK code of MQTT 3.1.1: 5 (not authorised) for what it has no code for. */
export function returnCodeOf(reasonCode: number): number {
  return RETURN_CODES[reasonCode] ?? 5;
}
