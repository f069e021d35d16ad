import { mkdir, readFile, rm } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import type { Settings } from "../../config/settings.js";
import { errorMessage } from "../../core/error-message.js";
import type { CertificatePair } from "../../core/net/certificates.js";
import { errorCode } from "../../store/errors.js";
import { writeFlushed } from "../../store/flush.js";
import { CommandError, command, configOption, EXIT, flagOption, repeatableOption } from "./command.js";
import { loadConfiguration } from "./configuration.js";

export const tlsCreateCommand = command({
  name: "tls create",
  summary: "Creates a local certificate authority and a certificate for the names of this machine.",
  options: {
    host: repeatableOption("NAME", "Further name or address; http.hosts and base_url are included."),
    "new-authority": flagOption("Create a new authority, which browsers and clients have to import."),
    "discard-ca-key": flagOption("Do not keep the authority's key, so that it can sign nothing else."),
    config: configOption,
  },
  async run({ options, ...args }, terminal) {
    const { settings } = loadConfiguration({ ...args, options }, terminal);
    const folder = join(resolve(settings.data_dir), "tls");
    try {
      for (const line of await create(settings, { folder, options })) await terminal.out(line);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`The certificate cannot be written to ${folder}: ${errorMessage(error)}.`);
    }
    return EXIT.done;
  },
});

/** Writes the files and returns what to do with them. */
async function create(
  settings: Settings,
  {
    folder,
    options,
  }: {
    folder: string;
    options: { host: readonly string[]; "new-authority": boolean; "discard-ca-key": boolean };
  },
): Promise<string[]> {
  const { createAuthority, createCertificate, permitsHost } = await import("../../core/net/certificates.js");
  const [ca, caKey, cert, certKey] = ["ca.pem", "ca-key.pem", "cert.pem", "key.pem"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const now = new Date();
  const names = namesOf(settings, options.host);
  const own = ownAddresses();
  const authority =
    (options["new-authority"] ? undefined : await existing(ca, caKey)) ??
    (await createAuthority(hostname(), now, [...new Set([...names, ...own.map(({ network }) => network)])]));
  const isRefused = (host: string) => permitsHost(authority.certificate, host) === false;
  const refused = names.filter(isRefused);
  if (refused.length > 0)
    throw new CommandError(
      `The authority ${ca} is not for ${refused.join(", ")}: run this command with --new-authority, and import the new ca.pem in browsers and clients.`,
    );
  const addresses = own.map(({ address }) => address);
  const leftOut = addresses.filter(isRefused);
  const hosts = [...new Set([...names, ...addresses.filter((address) => !isRefused(address))])];
  const { certificate, key } = await createCertificate(authority, { hosts, now });
  const keepsKey = !options["discard-ca-key"];
  await writeFlushed(ca, authority.certificate, 0o644);
  await writeFlushed(cert, certificate, 0o644);
  await writeFlushed(certKey, key);
  if (keepsKey) await writeFlushed(caKey, authority.key);
  else await rm(caKey, { force: true });
  return [
    `Certificate for ${hosts.join(", ")}.`,
    ...(leftOut.length === 0
      ? []
      : [
          `Left out, because the authority is for other networks: ${leftOut.join(", ")}. --new-authority creates one for them.`,
        ]),
    ...(permitsHost(authority.certificate, "localhost") === undefined
      ? [
          "This authority, of an earlier version, can sign certificates for any name: --new-authority creates one for this machine only.",
        ]
      : []),
    `Import ${ca} as a trusted authority in browsers and clients.`,
    keepsKey
      ? `${caKey} is only needed for the next certificate: keep it elsewhere, or delete it.`
      : "The authority's key was not kept: the next certificate needs --new-authority.",
    "Set in the configuration:",
    "  http:",
    `    tls: { cert_file: ${cert}, key_file: ${certKey} }`,
    "  mqtt:",
    `    broker: { tls: { cert_file: ${cert}, key_file: ${certKey} } }`,
  ];
}

/** The authority of an earlier run, so that clients need not import a new one; undefined if there is none. */
async function existing(ca: string, caKey: string): Promise<CertificatePair | undefined> {
  const certificate = await textOf(ca);
  if (certificate === undefined) return undefined;
  const key = await textOf(caKey);
  if (key === undefined)
    throw new CommandError(
      `The key of the authority, ${caKey}, is not there: put it back for this run, or run with --new-authority and import the new ca.pem in browsers and clients.`,
    );
  return { certificate, key };
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function namesOf({ http }: Settings, more: readonly string[]): string[] {
  const name = hostname().toLowerCase();
  const base = http.base_url === null ? [] : [new URL(http.base_url).hostname.replace(/^\[|\]$/g, "")];
  const names = [name, `${name.split(".")[0]}.local`, "localhost", ...base, ...http.hosts, ...more];
  return [...new Set(names)];
}

/** The addresses of this machine, and the networks they are in: addresses in a home change within them. */
function ownAddresses(): { address: string; network: string }[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ address }) => !address.startsWith("fe80:"))
    .map(({ address, cidr }) => ({ address, network: cidr ?? address }));
}
