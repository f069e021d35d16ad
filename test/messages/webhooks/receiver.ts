import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Host name in the receiver's certificate besides 127.0.0.1. */
export const RECEIVER_NAME = "hook.example.com";

export interface Certificate {
  key: string;
  /** Self-signed, therefore also the CA certificate. */
  cert: string;
}

/** Reason why the tests are skipped if openssl is missing; undefined otherwise. Throws on CI. */
export function missingOpenssl(): string | undefined {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return undefined;
  } catch (error) {
    if (process.env.CI === "true") throw error;
    return "openssl is not installed: the delivery over HTTPS was not tested.";
  }
}

/** A new certificate for 127.0.0.1 and the receiver's name. */
export function makeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-certificate-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    const names = `subjectAltName=IP:127.0.0.1,DNS:${RECEIVER_NAME}`;
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-days", "30", "-subj", "/CN=receiver", "-addext", names, "-keyout", keyFile, "-out", certFile],
      ],
      { stdio: "ignore" },
    );
    return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: string;
  response: ServerResponse;
}

export interface Receiver {
  port: number;
  received: Received[];
  /** Handles a complete request; default: answers 204. */
  answer: (request: Received) => void;
  /** Resolves when so many requests are there. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A real HTTPS server on loopback that writes down what it is sent. */
export async function startReceiver({ key, cert }: Certificate): Promise<Receiver> {
  const received: Received[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const one = { method, path, headers, rawBody: Buffer.concat(chunks).toString("utf8"), response };
      received.push(one);
      receiver.answer(one);
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
      waiting = waiting.filter(({ count }) => received.length < count);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    port: (server.address() as AddressInfo).port,
    received,
    answer: ({ response }) => void response.writeHead(204).end(),
    until: (count) =>
      new Promise((resolve) => {
        if (received.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
