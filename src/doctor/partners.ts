import { randomUUID } from "node:crypto";
import type { RedisLink } from "../accounts/redis-link.js";
import type { Settings } from "../config/settings.js";
import { silentLog } from "../log.js";
import { errorCode } from "../store/errors.js";
import { about, type Finding, within } from "./finding.js";

/** The servers in the house that the gateway joins where they are configured: broker, mail, Redis. */
export async function examinePartners(settings: Settings, limitMs: number): Promise<Finding[]> {
  const checks: Promise<Finding>[] = [];
  const { mqtt, smtp, redis } = settings;
  if (mqtt.external.url !== null)
    checks.push(examineBroker({ ...mqtt.external, url: mqtt.external.url, prefix: mqtt.prefix }, limitMs));
  if (smtp !== null) checks.push(examineMail(smtp, limitMs));
  if (redis.url !== null) checks.push(examineRedis({ ...redis, url: redis.url }));
  return Promise.all(checks);
}

interface BrokerAddress {
  url: string;
  username: string | null;
  password: string | null;
  prefix: string;
}

/** Signs in as the gateway does, under a name of its own, and leaves again. */
async function examineBroker(
  { url, username, password, prefix }: BrokerAddress,
  limitMs: number,
): Promise<Finding> {
  const { MqttConnection } = await import("../mqtt/client.js");
  const found = about("external broker");
  const { host } = new URL(url);
  let problem = "";
  let onConnect = () => {};
  const connected = new Promise<Finding>((resolve) => {
    onConnect = () => resolve(found.ok(`${host} takes the sign-in.`));
  });
  const connection = new MqttConnection({
    url,
    username: username ?? undefined,
    password: password ?? undefined,
    clientId: `hourgate-doctor-${randomUUID().slice(0, 8)}`,
    persistentSession: false,
    // Not the gateway's status: that one must not turn offline because somebody looked.
    will: { topic: `${prefix}/doctor`, payload: "" },
    subscriptions: [],
    onConnect: () => onConnect(),
    onDisconnect() {},
    async onMessage() {},
    log: {
      ...silentLog,
      warn: (_fields, message) => {
        problem = message;
      },
    },
  });
  connection.start();
  const late = () =>
    found.bad(
      `${host} does not let the gateway in within ${limitMs / 1000} s${problem === "" ? "" : ` (${problem})`}; check mqtt.external.url, username and password, and that the broker runs.`,
    );
  return within(limitMs, connected, late).finally(() => connection.stop({ leaveWill: false }));
}

async function examineMail(smtp: NonNullable<Settings["smtp"]>, limitMs: number): Promise<Finding> {
  const { createTransport } = await import("nodemailer");
  const found = about("mail server");
  const server = `${smtp.host}:${smtp.port}`;
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.secure,
    ...(smtp.username !== null && { auth: { user: smtp.username, pass: smtp.password ?? "" } }),
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    dnsTimeout: limitMs,
  });
  const outcome = transport.verify().then(
    () => found.ok(`${server} takes the sign-in; no mail was sent.`),
    // Codes only: a server's words may repeat what it was told.
    (error: unknown) =>
      errorCode(error) === "EAUTH"
        ? found.bad(`${server} refuses the sign-in; check smtp.username and smtp.password.`)
        : found.bad(
            `${server} cannot be used (${errorCode(error) ?? "unknown reason"}); check smtp.host, port and secure. Mails go into the outbox meanwhile.`,
          ),
  );
  const late = () =>
    found.bad(`${server} does not answer within ${limitMs / 1000} s; check smtp.host and smtp.port.`);
  return within(limitMs, outcome, late).finally(() => transport.close());
}

async function examineRedis(redis: Settings["redis"] & { url: string }): Promise<Finding> {
  const redisLink = await import("../accounts/redis-link.js");
  const found = about("Redis");
  let problem: string | undefined = "it did not answer";
  const link: RedisLink = new redisLink.RedisLink({
    settings: redis,
    probe: () => link.client.ping(),
    onChange: (told) => {
      problem = told;
    },
  });
  await link.start();
  await link.stop();
  return problem === undefined
    ? found.ok(`${link.address} answers.`)
    : found.warn(
        `${link.address} does not serve (${problem}); check redis.url, username and password. Each gateway counts alone meanwhile.`,
      );
}
