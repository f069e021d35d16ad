import { copyFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { TlsFileWatcher } from "../../../src/core/net/tls-files.js";
import { makeCertificate, missingOpenssl } from "../../messages/webhooks/receiver.js";
import { componentOf } from "../../support/components.js";
import { eventually } from "../../support/eventually.js";
import { Device, KEYS, startGateway, withFolder } from "./harness.js";

describe.skipIf(missingOpenssl() !== undefined)("TLS", () => {
  const writeCertificate = (folder: string, name: string) => {
    const { cert, key } = makeCertificate();
    const files = { cert_file: join(folder, `${name}.crt`), key_file: join(folder, `${name}.key`) };
    writeFileSync(files.cert_file, cert);
    writeFileSync(files.key_file, key);
    return { ...files, cert };
  };

  it("serves MQTT and WebSocket besides the plain listeners, and an external gateway trusts its CA file", () =>
    withFolder(async (folder) => {
      const { cert, ...files } = writeCertificate(folder, "broker");
      const gateway = await startGateway(join(folder, "a"), { tls: { ...files, port: 0, ws_port: 0 } });
      const ports = gateway.service.ports;
      const trusted = { protocol: "mqtts", ca: cert } as const;
      const device = await new Device(ports.tls!, KEYS.home, trusted).connected();
      await device.settled();
      const plain = await new Device(ports.tcp!, KEYS.home).connected();
      await plain.settled();
      const web = await new Device(ports.wss!, KEYS.home, { ...trusted, protocol: "wss" }).connected();
      await web.settled();
      const untrusting = new Device(ports.tls!, KEYS.home, { protocol: "mqtts", reconnectPeriod: 0 });
      await untrusting.until(() => untrusting.closes > 0);
      expect(untrusting.connects).toBe(0);
      const url = `mqtts://127.0.0.1:${ports.tls}`;
      const external = await startGateway(
        join(folder, "b"),
        {},
        {
          settings: {
            prefix: "other",
            external: { url, username: "gateway", password: KEYS.owner, ca: cert },
          },
        },
      );
      await eventually(() =>
        expect(componentOf(external.components, "broker")).toMatchObject({ state: "ok" }),
      );
      await Promise.all([device, plain, web, untrusting].map((one) => one.end()));
      await external.service.stop();
      await gateway.service.stop();
    }));

  it("reads renewed files while it runs and keeps the previous certificate if they are damaged", () =>
    withFolder(async (folder) => {
      const first = writeCertificate(folder, "first");
      const second = writeCertificate(folder, "second");
      const watcher = new TlsFileWatcher(first, { section: "mqtt.broker.tls", log: silentLog, checkMs: 10 });
      onTestFinished(() => watcher.stop());
      let changes = 0;
      let change = () => {};
      const changed = new Promise<void>((resolve) => {
        change = resolve;
      });
      const before = await watcher.start(() => {
        changes++;
        change();
      });
      expect(before.cert.toString()).toBe(first.cert);
      writeFileSync(first.cert_file, "damaged");
      copyFileSync(second.key_file, first.key_file);
      copyFileSync(second.cert_file, first.cert_file);
      utimesSync(first.cert_file, new Date(), new Date());
      await changed;
      expect(changes).toBe(1);
    }));

  it("refuses to start with a certificate that does not exist and names the key", () =>
    withFolder(async (folder) => {
      const tls = { cert_file: join(folder, "none"), key_file: join(folder, "none"), port: 0, ws_port: null };
      const gateway = await startGateway(folder, { tls });
      expect(componentOf(gateway.components, "broker")?.detail).toContain("mqtt.broker.tls.cert_file");
      await gateway.service.stop();
    }));

  it("closes connections that do not complete the handshake for newer ones", () =>
    withFolder(async (folder) => {
      const { cert, ...files } = writeCertificate(folder, "broker");
      const gateway = await startGateway(folder, { tls: { ...files, port: 0, ws_port: null } });
      const port = gateway.service.ports.tls!;
      const idle = Array.from({ length: 200 }, () => connect({ port, host: "127.0.0.1", ca: cert }));
      for (const socket of idle) socket.on("error", () => {});
      const device = await new Device(port, KEYS.home, { protocol: "mqtts", ca: cert }).connected();
      await device.settled();
      for (const socket of idle) socket.destroy();
      await device.end();
      await gateway.service.stop();
    }));
});
