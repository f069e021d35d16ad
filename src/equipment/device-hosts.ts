import { ExpressionError, render, type Variables } from "./expression.js";
import { hostAndPort } from "./released-hosts.js";
import type { ActuatorState } from "./states.js";
import type { TemplateTransport } from "./template.js";

/** Hosts with their ports of all addresses of a transport; those of a command are rendered for its state. */
export function hostsIn(
  { commands, ...others }: TemplateTransport,
  resting: Variables,
  of: (state: ActuatorState) => Variables,
): string[] {
  const hosts = new Set<string>();
  const visit = (node: unknown, variables: Variables): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key !== "url" || typeof value !== "string") visit(value, variables);
      else for (const host of hostOf(value, variables)) hosts.add(host);
    }
  };
  visit(others, resting);
  for (const [state, requests] of Object.entries(commands)) visit(requests, of(state as ActuatorState));
  return [...hosts].sort();
}

/** None for an address that is empty, or that needs what has not been read yet. */
function hostOf(text: string, variables: Variables): string[] {
  try {
    const address = render(text, variables);
    return URL.canParse(address) ? [hostAndPort(new URL(address))] : [];
  } catch (error) {
    if (error instanceof ExpressionError) return [];
    throw error;
  }
}
