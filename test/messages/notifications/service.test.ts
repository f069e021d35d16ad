import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.js";
import { smtpResponder } from "../mail/smtp-responder.js";
import { makeCertificate, missingOpenssl, startReceiver } from "../webhooks/receiver.js";
import { BROKEN, INPUT, newDisk, notificationsOn, ntfyServer } from "./harness.js";

const missing = missingOpenssl();
const TOKEN = "tk_verysecrettoken";

it.skipIf(missing !== undefined)(
  "reports a failed device by e-mail, ntfy and a signed webhook in the account's language, without secrets in the log",
  async () => {
    const certificate = makeCertificate();
    const [ntfy, mail, receiver] = [
      await ntfyServer(),
      await smtpResponder(),
      await startReceiver(certificate),
    ];
    const site = await notificationsOn(await newDisk(), { smtpPort: mail.port, ca: certificate.cert });
    const { secret } = await site.service.settings.set("owner", {
      ...INPUT,
      language: "de",
      email: { enabled: true, address: "anna@example.net" },
      ntfy: { ...INPUT.ntfy, enabled: true, server: ntfy.url, topic: "my-secret-topic", token: TOKEN },
      webhook: { enabled: true, url: `https://127.0.0.1:${receiver.port}/hook?key=1`, renewSecret: false },
    });
    site.facts.actuators = [BROKEN];
    site.bus.emit("actuator.changed", {
      siteId: "home",
      id: "car",
      controls: "battery",
      obstacle: undefined,
    });
    await site.run(6);

    const title = "Gerät reagiert nicht: car";
    expect(ntfy.received).toHaveLength(1);
    const [{ headers, body }] = ntfy.received as [(typeof ntfy.received)[number]];
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(body).toMatchObject({ topic: "my-secret-topic", title, priority: 4 });
    expect(body.message).toBe(
      "Das Gerät ist nicht erreichbar: Adresse und Netzwerk prüfen. Seit heute 13:00.",
    );
    expect(body.click).toBe("http://192.168.1.5:8080/dashboard?site=home");
    const [hook] = receiver.received;
    const [, time, v1] = /^t=(\d+),v1=(.+)$/.exec(String(hook!.headers["x-service-signature"]))!;
    expect(createHmac("sha256", secret!).update(`${time}.${hook!.rawBody}`).digest("hex")).toBe(v1);
    expect(JSON.parse(hook!.rawBody)).toMatchObject({
      event: "notification",
      issued_at: "2026-01-15T13:05:00+01:00",
      kind: "actuator_failed",
      site: "home",
      title,
      details: [{ key: "car", id: "car", fault: "unreachable", ended: null }],
    });
    expect(mail.mails.map(({ envelope }) => envelope[1])).toEqual(["RCPT TO:<anna@example.net>"]);
    expect(mail.mails[0]?.data).toContain("http://192.168.1.5:8080/dashboard?site=3Dhome");
    expect(await site.service.log("home")).toHaveLength(3);
    for (const text of [TOKEN, "my-secret-topic", secret!, "key=1"])
      expect(site.lines.join("\n")).not.toContain(text);
    await receiver.close();
  },
);

it("sends a message again while the server is down, and once on a day across restarts", async () => {
  const ntfy = await ntfyServer();
  const disk = await newDisk();
  const first = await notificationsOn(disk);
  await first.service.settings.set("owner", {
    ...INPUT,
    ntfy: { ...INPUT.ntfy, enabled: true, server: ntfy.url, topic: "home" },
  });
  ntfy.answer = ({ response }) => void response.writeHead(503).end();
  first.facts.actuators = [BROKEN];
  await first.run(20);
  expect(ntfy.received.length).toBeGreaterThan(2);
  expect(await first.service.log("home")).toMatchObject([{ kind: "actuator_failed", fault: "refused" }]);
  await first.service.stop();

  const second = await notificationsOn(disk, { now: first.clock.now(), actuators: [BROKEN] });
  const taken: unknown[] = [];
  ntfy.answer = ({ response, body }) => {
    taken.push(body.title);
    response.writeHead(200).end();
  };
  await second.run(40);
  expect(taken).toEqual(["Device does not react: car"]);
  // Another one fails on the same day, and then the gateway is restarted.
  second.facts.actuators = [BROKEN, { ...BROKEN, id: "boiler" }];
  await second.run(30);
  await second.service.stop();
  const { actuators } = second.facts;
  const third = await notificationsOn(disk, { now: second.clock.now(), actuators });
  await third.run(30);
  expect(taken).toHaveLength(1);
  await third.clock.set(new Date("2026-01-15T23:01:00Z"));
  await third.service.settled();
  expect(taken).toEqual(["Device does not react: car", "Device does not react: boiler"]);
}, 20_000);

it("does not repeat a message on the same day after a kill while it was being sent", async () => {
  const ntfy = await ntfyServer();
  const disk = await newDisk();
  const first = await notificationsOn(disk);
  await first.service.settings.set("owner", {
    ...INPUT,
    ntfy: { ...INPUT.ntfy, enabled: true, server: ntfy.url, topic: "home" },
  });
  // Taken, but the gateway never learns it.
  ntfy.answer = () => {};
  first.facts.actuators = [BROKEN];
  await first.run(4);
  await first.clock.advance(120_000);
  await eventually(() => expect(ntfy.received).toHaveLength(1));
  // What is on disk at that moment.
  const killed = { ...disk, documents: new Map(structuredClone([...disk.documents])) };
  const second = await notificationsOn(killed, { now: first.clock.now(), actuators: [BROKEN] });
  ntfy.answer = ({ response }) => void response.writeHead(200).end();
  await second.run(30);
  expect(ntfy.received).toHaveLength(1);
  await second.clock.set(new Date("2026-01-15T23:01:00Z"));
  await second.service.settled();
  expect(ntfy.received).toHaveLength(2);
  ntfy.received[0]?.response.end();
});

it("keeps accounts apart, and lets only administrators use the own network", async () => {
  const ntfy = await ntfyServer();
  const site = await notificationsOn(await newDisk());
  const { settings } = site.service;
  const local = { ...INPUT, ntfy: { ...INPUT.ntfy, enabled: true, server: ntfy.url, topic: "flat" } };
  await expect(settings.set("anna", local)).rejects.toMatchObject({ faults: { server: "url_not_https" } });
  await settings.set("owner", local);
  await site.service.test(site.home, "ntfy");
  expect(ntfy.received.map(({ body }) => body.title)).toEqual(["Test message"]);
  expect(settings.channels("anna")).toEqual([]);
  // An account without administration cannot have its messages sent to somebody else.
  await settings.set("anna", { ...INPUT, email: { enabled: true, address: "victim@example.org" } });
  expect(settings.recipient("anna").address).toBe("anna@example.org");
  expect(await site.service.test({ ...site.home, id: "flat", accountId: "anna" }, "email")).toBe(
    "no_mail_server",
  );
});

it("checks the address again when it connects", async () => {
  let address = "8.8.8.8";
  const resolve = async () => [{ address, family: 4 }];
  const site = await notificationsOn(await newDisk(), { resolve });
  const flat = { ...site.home, id: "flat", accountId: "anna" };
  const server = "https://ntfy.example";
  await site.service.settings.set("anna", {
    ...INPUT,
    ntfy: { ...INPUT.ntfy, enabled: true, server, topic: "x" },
  });
  address = "192.168.1.20";
  expect(await site.service.test(flat, "ntfy")).toBe("not_public");
  // Clear text never leaves the own network.
  await site.service.settings.set("owner", {
    ...INPUT,
    ntfy: { ...INPUT.ntfy, enabled: true, server: "http://ntfy.example", topic: "x", token: TOKEN },
  });
  address = "9.9.9.9";
  expect(await site.service.test(site.home, "ntfy")).toBe("not_public");
  await expect(
    site.service.settings.set("owner", {
      ...INPUT,
      ntfy: { ...INPUT.ntfy, enabled: true, server: "http://ntfy.example", topic: "x" },
    }),
  ).rejects.toMatchObject({ faults: { server: "url_not_https_public" } });
});

it("keeps a stored token for the same server only", async () => {
  const { settings } = (await notificationsOn(await newDisk(), { resolve: async () => [] })).service;
  const ntfy = { ...INPUT.ntfy, enabled: true, server: "https://one.example", topic: "x" };
  const token = () => settings.of("owner").ntfy.token;
  await settings.set("owner", { ...INPUT, ntfy: { ...ntfy, token: TOKEN } });
  await settings.set("owner", { ...INPUT, ntfy });
  expect(token()).toBe(TOKEN);
  await settings.set("owner", { ...INPUT, ntfy: { ...ntfy, server: "https://other.example" } });
  expect(token()).toBeUndefined();
  await settings.set("owner", { ...INPUT, ntfy: { ...ntfy, token: TOKEN } });
  await settings.set("owner", { ...INPUT, ntfy: { ...ntfy, removeToken: true } });
  expect(token()).toBeUndefined();
});

it("sends the report of the last month once, on the first after eight in the morning", async () => {
  const ntfy = await ntfyServer();
  const months: string[] = [];
  const site = await notificationsOn(await newDisk(), {
    now: new Date("2026-01-31T22:50:00Z"),
    report: async (_site, month) => {
      months.push(month);
      return { month, savedEur: 12.345, days: 30, ofDays: 31, billEur: 45.6, missingHours: 0 };
    },
  });
  await site.service.settings.set("owner", {
    ...INPUT,
    ntfy: { ...INPUT.ntfy, enabled: true, server: ntfy.url, topic: "home" },
  });
  await site.run(30);
  expect(ntfy.received).toEqual([]);
  await site.clock.set(new Date("2026-02-01T06:58:30Z"));
  await site.service.settled();
  expect(ntfy.received).toEqual([]);
  await site.run(20);
  expect(months).toEqual(["2026-01"]);
  expect(ntfy.received.map(({ body }) => [body.title, body.message])).toEqual([
    [
      "Report for January 2026",
      "Saved: 12.35 € compared with the same home uncontrolled. Measured on 30 of 31 days. Bill: 45.60 €.",
    ],
  ]);
});

it("mails the story of the last week once, on Monday after eight in the morning, in the account's language", async () => {
  const mail = await smtpResponder();
  const weeks: string[] = [];
  const site = await notificationsOn(await newDisk(), {
    smtpPort: mail.port,
    // Sunday, 23:50 in Vienna.
    now: new Date("2026-01-18T22:50:00Z"),
    story: async (_site, from) => {
      weeks.push(from);
      return {
        from,
        to: "2026-01-18",
        savedEur: 5.104,
        days: 7,
        cheapest: { startMs: Date.parse("2026-01-17T02:00:00Z"), ctKwh: 4.5, energyKwh: 3.4 },
        missed: {
          what: "pv",
          startMs: Date.parse("2026-01-15T23:00:00Z"),
          forecastKwh: 12,
          measuredKwh: 4.5,
        },
        suggestion: { kind: "override", days: 2, worthEur: 0.8 },
      };
    },
  });
  await site.service.settings.set("owner", {
    ...INPUT,
    language: "de",
    email: { enabled: true, address: "anna@example.net" },
  });
  await site.run(30);
  await site.clock.set(new Date("2026-01-19T06:59:30Z"));
  await site.service.settled();
  expect(mail.mails).toEqual([]);
  await site.run(20);
  expect(weeks).toEqual(["2026-01-12"]);
  expect(mail.mails).toHaveLength(1);
  const text = plainText(mail.mails[0]!.data);
  expect(text).toContain("http://192.168.1.5:8080/settings/notifications?site=home");
  for (const sentence of [
    "Ersparnis: 5,10 € gegenüber demselben Haus ohne Steuerung.\n",
    "Billigste genutzte Stunde: Sa., 17. Jän. 03:00–04:00, 3,4 kWh aus dem Netz zu 4,50 ct/kWh.",
    "Am weitesten lag die Prognose am 16.01.2026 daneben: 12,0 kWh Sonne waren erwartet, 4,5 kWh kamen.",
    "Änderungen von Hand haben 2 Tage um 0,80 € teurer gemacht als ohne Steuerung.",
  ])
    expect(text).toContain(sentence);
  expect(await site.service.preview(site.home, "de")).toMatchObject({ title: "Ihre Woche bis 18.01.2026" });
  // Whoever reads the page may read another language than that of the messages.
  expect(await site.service.preview(site.home, "en")).toMatchObject({
    title: "Your week to 18 Jan 2026",
  });
  expect(weeks).toEqual(["2026-01-12", "2026-01-12", "2026-01-12"]);
});

/** The text of a mail, decoded from quoted-printable. */
function plainText(data: string): string {
  const bytes = data
    .replaceAll("=\n", "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
