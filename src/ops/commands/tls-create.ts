import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import type { Settings } from "../../config/settings.js";
import { errorMessage } from "../../core/error-message.js";
import type { CertificatePair } from "../../core/net/certificates.js";
import { errorCode } from "../../store/errors.js";
import { CommandError, command, configOption, EXIT, repeatableOption } from "./command.js";
import { loadConfiguration } from "./configuration.js";

export const tlsCreateCommand = command({
  name: "tls create",
  summary: "Creates a local certificate authority and a certificate for the names of this machine.",
  options: {
    host: repeatableOption("NAME", "Further name or address; http.hosts and base_url are included."),
    config: configOption,
  },
  async run(args, terminal) {
    const { settings } = loadConfiguration(args, terminal);
    const folder = join(resolve(settings.data_dir), "tls");
    const hosts = hostsOf(settings, args.options.host);
    try {
      const { createAuthority, createCertificate } = await import("../../core/net/certificates.js");
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const now = new Date();
      const authority = (await existing(folder)) ?? (await createAuthority(hostname(), now));
      const { certificate, key } = await createCertificate(authority, { hosts, now });
      const files = {
        "ca.pem": authority.certificate,
        "ca-key.pem": authority.key,
        "cert.pem": certificate,
        "key.pem": key,
      };
      for (const [name, text] of Object.entries(files))
        await writeFile(join(folder, name), text, { mode: name.endsWith("key.pem") ? 0o600 : 0o644 });
    } catch (error) {
      throw new CommandError(`The certificate cannot be written to ${folder}: ${errorMessage(error)}.`);
    }
    for (const line of [
      `Certificate for ${hosts.join(", ")}.`,
      `Import ${join(folder, "ca.pem")} as a trusted authority in browsers and clients.`,
      "Set in the configuration:",
      "  http:",
      `    tls: { cert_file: ${join(folder, "cert.pem")}, key_file: ${join(folder, "key.pem")} }`,
      "  mqtt:",
      `    broker: { tls: { cert_file: ${join(folder, "cert.pem")}, key_file: ${join(folder, "key.pem")} } }`,
    ])
      await terminal.out(line);
    return EXIT.done;
  },
});

/** The authority of an earlier run, so that clients need not import a new one. */
async function existing(folder: string): Promise<CertificatePair | undefined> {
  try {
    return {
      certificate: await readFile(join(folder, "ca.pem"), "utf8"),
      key: await readFile(join(folder, "ca-key.pem"), "utf8"),
    };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function hostsOf({ http }: Settings, more: readonly string[]): string[] {
  const name = hostname().toLowerCase();
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address)
    .filter((address) => !address.startsWith("fe80:"));
  const base = http.base_url === null ? [] : [new URL(http.base_url).hostname.replace(/^\[|\]$/g, "")];
  const names = [name, `${name.split(".")[0]}.local`, "localhost", ...base, ...http.hosts, ...more];
  return [...new Set([...names, ...addresses])];
}
