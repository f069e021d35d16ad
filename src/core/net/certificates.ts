import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { AsnConvert } from "@peculiar/asn1-schema";
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_nameConstraints,
  NameConstraints,
} from "@peculiar/asn1-x509";
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import ipaddr from "ipaddr.js";

const { IPv4, IPv6 } = ipaddr;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
/** Apple's systems refuse certificates with a longer validity. */
const CERTIFICATE_DAYS = 820;

/** A certificate and its private key, PEM. */
export interface CertificatePair {
  certificate: string;
  key: string;
}

/**
 * A new certificate authority for this gateway. `permitted`: host names, addresses and networks (CIDR) for which its
 * certificates are valid, so that a stolen key is of no use for other names; empty: any.
 */
export async function createAuthority(
  name: string,
  now: Date,
  permitted: readonly string[] = [],
): Promise<CertificatePair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16).toString("hex"),
    name: [{ CN: [`hourgate ${name}`] }],
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + CA_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(permitted.length === 0 ? [] : [constraintsOf(permitted)]),
    ],
  });
  return { certificate: `${certificate.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

/** RFC 5280, 4.2.1.10: a name permits itself and what is below it; an address is a network of one. */
function constraintsOf(permitted: readonly string[]): Extension {
  const subtrees = permitted.map((entry) => {
    const [address = "", given] = entry.split("/");
    const version = isIP(address);
    if (version === 0) return new GeneralSubtree({ base: new GeneralName({ dNSName: entry }) });
    const prefix = given ?? (version === 4 ? "32" : "128");
    const kind = version === 4 ? IPv4 : IPv6;
    const network = `${kind.networkAddressFromCIDR(`${address}/${prefix}`).toNormalizedString()}/${prefix}`;
    return new GeneralSubtree({ base: new GeneralName({ iPAddress: network }) });
  });
  const constraints = new NameConstraints({ permittedSubtrees: new GeneralSubtrees(subtrees) });
  return new Extension(id_ce_nameConstraints, true, AsnConvert.serialize(constraints));
}

/** Whether an authority permits certificates for a host name or address; undefined if it is not limited. */
export function permitsHost(authority: string, host: string): boolean | undefined {
  const extension = new X509Certificate(authority).getExtension(id_ce_nameConstraints);
  if (extension === null) return undefined;
  const { permittedSubtrees = [] } = AsnConvert.parse(extension.value, NameConstraints);
  const networks = new BlockList();
  const names: string[] = [];
  for (const { base } of permittedSubtrees) {
    if (base.dNSName !== undefined) names.push(base.dNSName);
    const [address = "", prefix] = (base.iPAddress ?? "").split("/");
    if (address !== "") networks.addSubnet(address, Number(prefix), familyOf(address));
  }
  if (isIP(host) !== 0) return networks.check(host, familyOf(host));
  return names.some((name) => host === name || host.endsWith(`.${name}`));
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** A new server certificate for host names and addresses, signed by the authority; with its chain. */
export async function createCertificate(
  authority: CertificatePair,
  { hosts, now }: { hosts: readonly string[]; now: Date },
): Promise<CertificatePair> {
  cryptoProvider.set(webcrypto as Crypto);
  const issuer = new X509Certificate(authority.certificate);
  const keys = await newKeys();
  const signingKey = await webcrypto.subtle.importKey("pkcs8", derOf(authority.key), ALGORITHM, false, [
    "sign",
  ]);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomBytes(16).toString("hex"),
    // OpenSSL reads an address here as a host name, which the authority does not permit.
    subject: [{ CN: [hosts.find((host) => isIP(host) === 0) ?? "hourgate"] }],
    issuer: issuer.subject,
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(Math.min(now.getTime() + CERTIFICATE_DAYS * DAY_MS, issuer.notAfter.getTime())),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value })),
      ),
    ],
  });
  return {
    certificate: `${certificate.toString("pem")}\n${authority.certificate}`,
    key: await pemOf(keys.privateKey),
  };
}

function newKeys() {
  cryptoProvider.set(webcrypto as Crypto);
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
}
