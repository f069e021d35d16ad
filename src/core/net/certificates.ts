import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

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

/** A new certificate authority for this gateway. */
export async function createAuthority(name: string, now: Date): Promise<CertificatePair> {
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
    ],
  });
  return { certificate: `${certificate.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

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
    subject: [{ CN: [hosts[0] ?? "hourgate"] }],
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
