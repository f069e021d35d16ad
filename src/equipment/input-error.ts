/** There is no such actuator, or it cannot do this; the message says what to do. */
export class ActuatorInputError extends Error {
  override readonly name = "ActuatorInputError";
}

/** A site has no such actuator or device, but these. */
export function notThere(
  what: "actuator" | "device",
  id: string,
  site: { id: string; has: readonly { id: string }[] },
) {
  const known = site.has.map((one) => one.id).join(", ") || "none";
  return new ActuatorInputError(`There is no ${what} "${id}" at site "${site.id}"; it has ${known}.`);
}
