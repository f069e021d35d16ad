import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Running } from "../../../src/app/running.js";
import { tlsIdentityOf } from "../../../src/app/tls.js";
import { silentLog } from "../../../src/core/log.js";
import {
  type CertificatePair,
  createAuthority,
  createCertificate,
} from "../../../src/core/net/certificates.js";
import { createHttpServer } from "../../../src/edges/http/server.js";
import { fakeServices } from "../../api/fake-services.js";
import { buildProgram } from "../../support/built-programs.js";
import { eventually } from "../../support/eventually.js";
import { listening } from "../../support/listening.js";

let authority: CertificatePair;
beforeAll(async () => {
  authority = await createAuthority("test", new Date());
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function serve() {
  const folder = temporaryFolder();
  const files = { cert_file: join(folder, "cert.pem"), key_file: join(folder, "key.pem") };
  const write = async (hosts: string[]) => {
    const { certificate, key } = await createCertificate(authority, { hosts, now: new Date() });
    writeFileSync(files.key_file, key);
    writeFileSync(files.cert_file, certificate);
  };
  await write(["localhost", "127.0.0.1"]);
  const running = new Running(silentLog);
  const tls = await tlsIdentityOf(files, { running, log: silentLog, checkMs: 10 });
  const server = createHttpServer({
    operations: [],
    services: fakeServices(),
    settings: { host: "127.0.0.1", port: 0 },
    ...listening(),
    tls,
    log: silentLog,
  });
  const { port } = await server.start();
  onTestFinished(async () => {
    await server.stop();
    await running.stop();
  });
  return { port, write };
}

/** Status and HSTS header of a request over TLS that trusts the authority alone. */
function getTls(port: number): Promise<{ status: number | undefined; hsts: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: "/", ca: authority.certificate }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, hsts: answer.headers["strict-transport-security"] });
    });
    sent.on("error", reject).end();
  });
}

const namesOf = async (port: number) => {
  const socket: TLSSocket = connectTls({ host: "127.0.0.1", port, ca: authority.certificate });
  await once(socket, "secureConnect");
  const { subjectaltname } = socket.getPeerCertificate();
  socket.destroy();
  return subjectaltname;
};

describe("a port with TLS", () => {
  it("serves HTTPS with HSTS, and plain HTTP for controllers", async () => {
    const { port } = await serve();
    expect(await getTls(port)).toEqual({ status: 200, hsts: "max-age=15552000" });
    const plain = await fetch(`http://127.0.0.1:${port}/`);
    expect([plain.status, plain.headers.get("strict-transport-security")]).toEqual([200, null]);
    // Split into single bytes, as slow devices send.
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received += chunk;
    });
    for (const byte of "GET / HTTP/1.0\r\n\r\n") socket.write(byte);
    await once(socket, "close");
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("closes connections that are neither TLS nor HTTP, and keeps serving", async () => {
    const { port } = await serve();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    socket.write(Buffer.concat([Buffer.from([22, 3, 1]), Buffer.alloc(300, 0xff)]));
    await once(socket, "close");
    expect(await getTls(port)).toMatchObject({ status: 200 });
  });

  it("uses a changed certificate without a restart", async () => {
    const { port, write } = await serve();
    expect(await namesOf(port)).toBe("DNS:localhost, IP Address:127.0.0.1");
    await write(["127.0.0.1", "new.example"]);
    await eventually(async () => expect(await namesOf(port)).toBe("IP Address:127.0.0.1, DNS:new.example"));
  });
});

it("sources with a certificate of one's own authority are trusted with NODE_EXTRA_CA_CERTS", async () => {
  const { port } = await serve();
  const file = join(temporaryFolder(), "authority.pem");
  writeFileSync(file, authority.certificate);
  const { file: module } = await buildProgram(resolve(import.meta.dirname, "../../../src/core/net/fetch.ts"));
  const program = `
    const { fetchText } = await import(${JSON.stringify(module)});
    const { signal } = new AbortController();
    await fetchText(new URL("https://127.0.0.1:${port}/"), { signal }).then(
      ({ body }) => console.log(JSON.parse(body).name),
      ({ message }) => console.log(message),
    );`;
  const answer = async (environment: Record<string, string>) =>
    (
      await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
        env: { ...process.env, ...environment },
      })
    ).stdout.trim();
  expect(await answer({ NODE_EXTRA_CA_CERTS: file })).toBe("hourgate");
  expect(await answer({ NODE_EXTRA_CA_CERTS: "" })).toMatch(/cannot be reached/);
});
