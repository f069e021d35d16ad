import { randomUUID } from "node:crypto";
import type { Settings } from "../../config/settings.js";
import { silentLog } from "../../core/log.js";
import type { RedisLink } from "../../core/net/redis-link.js";
import { errorCode } from "../../store/errors.js";
import { postgresAddress } from "../../store/place.js";
import { about, type DoctorTexts, type Finding, within } from "./finding.js";

interface Check {
  /** Time limit for each server, ms of wall time. */
  limitMs: number;
  texts: DoctorTexts;
}

/** Examines the configured servers that the gateway connects to: broker, mail, Redis, PostgreSQL. */
export async function examinePartners(settings: Settings, check: Check): Promise<Finding[]> {
  const checks: Promise<Finding>[] = [];
  const { mqtt, smtp, redis, store } = settings;
  if (mqtt.external.url !== null)
    checks.push(examineBroker({ ...mqtt.external, url: mqtt.external.url, prefix: mqtt.prefix }, check));
  if (smtp !== null) checks.push(examineMail(smtp, check));
  if (redis.url !== null) checks.push(examineRedis({ ...redis, url: redis.url }, check));
  if (store.postgres.url !== null) checks.push(examinePostgres(store.postgres.url, check));
  return Promise.all(checks);
}

interface BrokerAddress {
  url: string;
  username: string | null;
  password: string | null;
  prefix: string;
}

/** Connects as the gateway does, with a separate client id, and disconnects. */
async function examineBroker(
  { url, username, password, prefix }: BrokerAddress,
  { limitMs, texts }: Check,
): Promise<Finding> {
  const { MqttConnection } = await import("../../edges/mqtt/client/client.js");
  const found = about(texts.what.externalBroker);
  const { host } = new URL(url);
  let problem = "";
  let onConnect = () => {};
  const connected = new Promise<Finding>((resolve) => {
    onConnect = () => resolve(found.ok(texts.externalBroker.ok(host)));
  });
  const connection = new MqttConnection({
    url,
    username: username ?? undefined,
    password: password ?? undefined,
    clientId: `hourgate-doctor-${randomUUID().slice(0, 8)}`,
    persistentSession: false,
    // Not the status topic of the gateway: the check must not set it to offline.
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
  const late = () => found.bad(texts.externalBroker.bad(host, limitMs / 1000, problem));
  return within(limitMs, connected, late).finally(() => connection.stop({ leaveWill: false }));
}

async function examineMail(smtp: NonNullable<Settings["smtp"]>, { limitMs, texts }: Check): Promise<Finding> {
  const { createTransport } = await import("nodemailer");
  const found = about(texts.what.mail);
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
    () => found.ok(texts.mail.ok(server)),
    // Codes only: the server's own words may repeat the credentials.
    (error: unknown) =>
      errorCode(error) === "EAUTH"
        ? found.bad(texts.mail.denied(server))
        : found.bad(texts.mail.unusable(server, errorCode(error))),
  );
  const late = () => found.bad(texts.mail.silent(server, limitMs / 1000));
  return within(limitMs, outcome, late).finally(() => transport.close());
}

async function examineRedis(
  redis: Settings["redis"] & { url: string },
  { texts }: Pick<Check, "texts">,
): Promise<Finding> {
  const redisLink = await import("../../core/net/redis-link.js");
  const found = about(texts.what.redis);
  let problem: string | undefined = texts.redis.silent;
  const link: RedisLink = new redisLink.RedisLink({
    settings: redis,
    probe: () => link.client.ping(),
    onChange: (reported) => {
      problem = reported;
    },
  });
  await link.start();
  await link.stop();
  return problem === undefined
    ? found.ok(texts.redis.ok(link.address))
    : found.warn(texts.redis.bad(link.address, problem));
}

async function examinePostgres(url: string, { texts }: Pick<Check, "texts">): Promise<Finding> {
  const { postgresProblem, serverVersion, withClient } = await import("../../store/postgres/server.js");
  const found = about(texts.what.postgres);
  const address = postgresAddress(url);
  return withClient(url, serverVersion).then(
    (version) => found.ok(texts.postgres.ok(address, version)),
    (cause: unknown) => found.bad(texts.postgres.bad(address, postgresProblem(cause))),
  );
}
