import { flag, integer, nullableText, section, text } from "./kinds.js";

export const httpSchema = section("The HTTP server.", {
  host: text(
    { format: "host", default: "0.0.0.0" },
    "Address the server listens on; 127.0.0.1: this machine only.",
  ),
  port: integer(
    { minimum: 0, maximum: 65535, unit: "TCP port", default: 8080 },
    "Port the server listens on; 0: any free port.",
  ),
  base_url: nullableText(
    { format: "http-url" },
    "Address of the gateway in links; null: the first LAN address and the port.",
  ),
  tls: {
    type: ["object", "null"],
    description:
      "TLS on this port and that of the Node-RED editor. The portal is then served with HTTPS only, API and controller links also without. `hourgate tls create` makes a certificate.",
    additionalProperties: false,
    default: null,
    required: ["cert_file", "key_file"],
    properties: {
      cert_file: text({ format: "path" }, "File with the certificate and its chain (PEM)."),
      key_file: text({ format: "path" }, "File with the private key (PEM)."),
    },
  },
  hosts: {
    type: "array",
    maxItems: 100,
    default: [],
    description:
      "Further host names, such as that of a reverse proxy; requests for unknown ones are answered with 421.",
    items: text({ format: "host" }, "A host name without port."),
  },
  trust_proxy: {
    type: ["array", "boolean"],
    maxItems: 100,
    default: [],
    description: "Reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are used.",
    items: text({ format: "network" }, "An address or a network in CIDR notation."),
  },
  base_path: nullableText(
    { format: "base-path" },
    "Path that the proxies of trust_proxy remove from requests; ingress: that of Home Assistant.",
  ),
});

export const smtpSchema = {
  type: ["object", "null"],
  description: "Mail server; null: mails are written as .eml files into the outbox of the data folder.",
  additionalProperties: false,
  default: null,
  required: ["host"],
  properties: {
    host: text({ format: "host" }, "Name or address of the mail server."),
    port: integer({ minimum: 1, maximum: 65535, unit: "TCP port", default: 587 }, "Port of the mail server."),
    secure: flag(false, "Implicit TLS (port 465); otherwise STARTTLS if the server offers it."),
    require_tls: flag(true, "Send mails only over TLS; a mail server on this machine never needs it."),
    username: { type: ["string", "null"], default: null, description: "User name; null: no sign-in." },
    password: nullableText({ writeOnly: true }, "Password of that user."),
    from: nullableText({ format: "email" }, "Sender address; null: the owner's e-mail."),
  },
} as const;
