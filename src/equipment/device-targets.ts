import { render, type Variables } from "./expression.js";
import { hostAndPort } from "./released-hosts.js";

/**
 * What a device's commands drive, each with the address that they go to, so that the text of a parameter never names a
 * device at another one. Two actuators must not share one. Throws ExpressionError.
 */
export function deviceTargets(device: {
  /** `target` of the template; undefined: where the first command goes. */
  target: string | undefined;
  variables: Variables;
  first: { url?: string | undefined; topic?: string | undefined } | undefined;
  /** Address of the device's own broker; undefined: the gateway's, or none. */
  brokerUrl: string | undefined;
}): string[] {
  const { target, variables, first, brokerUrl } = device;
  const names =
    target === undefined
      ? [first?.topic ?? first?.url?.replace(/[?#].*$/, "") ?? ""]
      : namesIn(target).map((name) => render(name, variables));
  const url = first?.url ?? brokerUrl;
  const address = url === undefined ? "own broker" : URL.canParse(url) ? hostAndPort(new URL(url)) : url;
  return names.filter((name) => name !== "").map((name) => JSON.stringify([address, name]));
}

/** The names in a `target`, separated by spaces outside of expressions; one with tags is a single name. */
function namesIn(target: string): string[] {
  return target.includes("{%") ? [target] : (target.match(/(?:\{\{.*?\}\}|\S)+/g) ?? []);
}
