import { render } from "./expression.js";
import type { TemplateTransport } from "./template.js";

/** Sign-in of HTTP requests. */
export interface DeviceAuth {
  kind: string;
  username: string;
  password: string;
  token: string;
  challengeHeader: string;
}

/** Connection of its own to another broker. */
export interface ForeignBroker {
  url: string;
  username: string;
  password: string;
  will: { topic: string; payload: string } | undefined;
}

/** Throws ExpressionError. */
export function authOf(
  transport: TemplateTransport,
  parameters: Readonly<Record<string, unknown>>,
): DeviceAuth {
  const { kind = "none", username = "", password = "", token = "", challenge_header } = transport.auth ?? {};
  const text = (expression: string) => render(expression, parameters);
  return {
    kind: text(kind) || "none",
    username: text(username),
    password: text(password),
    token: text(token),
    challengeHeader: challenge_header ?? "www-authenticate",
  };
}

/** Undefined: the gateway's own connection. Throws ExpressionError. */
export function foreignBrokerOf(
  { broker }: TemplateTransport,
  parameters: Readonly<Record<string, unknown>>,
): ForeignBroker | undefined {
  const text = (expression: string | undefined) => render(expression ?? "", parameters);
  if (broker === undefined || text(broker.url) === "") return undefined;
  const { will } = broker;
  return {
    url: text(broker.url),
    username: text(broker.username),
    password: text(broker.password),
    will: will && { topic: text(will.topic), payload: text(will.payload) },
  };
}
