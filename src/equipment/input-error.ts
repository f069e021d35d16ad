/** There is no such actuator, or it cannot do this; the message says what to do. */
export class ActuatorInputError extends Error {
  override readonly name = "ActuatorInputError";
}
