import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { servers } from "../../../src/app/servers.js";
import { createAuthority, createCertificate } from "../../../src/core/net/certificates.js";
import { main } from "../../../src/ops/commands/main.js";

/** A data folder, and the command in it. */
function machine() {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "hourgate.yaml");
  writeFileSync(config, `data_dir: ${join(folder, "data")}\nhttp: { hosts: [energy.example.org] }\n`);
  const out: string[] = [];
  const line = (text: string) => void out.push(text);
  const file = (name: string) => join(folder, "data/tls", name);
  return {
    out,
    file,
    read: (name: string) => readFileSync(file(name), "utf8"),
    create: (...options: string[]) =>
      main(
        ["tls", "create", "--config", config, ...options],
        { environment: {}, out: line, error: line },
        servers,
      ),
    /** What OpenSSL says to a certificate of the authority for a host. */
    async verify(host: string) {
      const authority = {
        certificate: readFileSync(file("ca.pem"), "utf8"),
        key: readFileSync(file("ca-key.pem"), "utf8"),
      };
      const { certificate } = await createCertificate(authority, { hosts: [host], now: new Date() });
      writeFileSync(join(folder, "forged.pem"), certificate);
      try {
        return execFileSync("openssl", ["verify", "-CAfile", file("ca.pem"), join(folder, "forged.pem")], {
          encoding: "utf8",
          stdio: "pipe",
        });
      } catch (error) {
        return String((error as { stderr: unknown }).stderr);
      }
    },
  };
}

it("writes an authority once and certificates that it has signed", async () => {
  const { create, read, out, file } = machine();
  expect(await create("--host", "127.0.0.1")).toBe(0);
  const [ca, certificate] = [read("ca.pem"), read("cert.pem")];
  expect(out.join("\n")).toContain("energy.example.org");
  chmodSync(file("key.pem"), 0o644);
  expect(await create("--host", "127.0.0.1")).toBe(0);
  for (const name of ["ca-key.pem", "key.pem"]) expect(statSync(file(name)).mode & 0o777, name).toBe(0o600);
  expect(read("ca.pem")).toBe(ca);
  expect(read("cert.pem")).not.toBe(certificate);
});

it("the authority is limited to the names and networks of the machine", async () => {
  const { create, verify, out, read, file } = machine();
  expect(await create("--host", "198.51.100.7")).toBe(0);
  for (const host of ["energy.example.org", "localhost", "127.0.0.1", "198.51.100.7"])
    expect(await verify(host), host).toMatch(/: OK/);
  for (const host of ["bank.example", "example.org", "xenergy.example.org", "198.51.100.8", "2001:db8::1"])
    expect(await verify(host), host).toMatch(/permitted subtree violation/);
  const ca = read("ca.pem");
  expect(await create("--host", "other.example")).toBe(1);
  expect(out.at(-1)).toBe(
    `The authority ${file("ca.pem")} is not for other.example: run this command with --new-authority, and import the new ca.pem in browsers and clients.`,
  );
  expect(read("ca.pem")).toBe(ca);
  expect(await create("--host", "other.example", "--new-authority")).toBe(0);
  expect(await verify("other.example")).toMatch(/: OK/);
});

it("the authority's key can be deleted, and is not replaced by itself", async () => {
  const { create, out, read, file } = machine();
  expect(await create("--discard-ca-key")).toBe(0);
  expect(existsSync(file("ca-key.pem"))).toBe(false);
  const ca = read("ca.pem");
  expect(await create()).toBe(1);
  expect(out.at(-1)).toMatch(
    /ca-key\.pem, is not there: put it back for this run, or run with --new-authority/,
  );
  expect(read("ca.pem")).toBe(ca);
  expect(await create("--new-authority")).toBe(0);
  expect(read("ca.pem")).not.toBe(ca);
});

it("an authority of an earlier version keeps working, and its reach is said", async () => {
  const { create, out, read, file } = machine();
  await create();
  const { certificate, key } = await createAuthority("earlier", new Date());
  writeFileSync(file("ca.pem"), certificate);
  writeFileSync(file("ca-key.pem"), key);
  out.length = 0;
  expect(await create("--host", "other.example")).toBe(0);
  expect(read("ca.pem")).toBe(certificate);
  expect(out[0]).toContain("other.example");
  expect(out[1]).toMatch(/can sign certificates for any name: --new-authority/);
});
