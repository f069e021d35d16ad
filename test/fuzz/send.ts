import { request } from "node:http";
import { connect } from "node:net";
import type { HttpCase } from "./http-cases.js";

/** No call may take longer; the gateway's own answers take milliseconds, also on a machine that is busy. */
export const PATIENCE_MS = 20_000;

export interface HttpOutcome {
  status: number;
  text: string;
  ms: number;
}

/** Sends a request and reads the whole answer; of a stream of events, its beginning. Rejects when none comes in time. */
export function ask(port: number, one: HttpCase): Promise<HttpOutcome> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = one;
    const sent = request(
      { port, host: "127.0.0.1", method, path, headers, timeout: PATIENCE_MS },
      (answer) => {
        let text = "";
        const done = () => resolve({ status: answer.statusCode ?? 0, text, ms: performance.now() - began });
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        answer.on("end", done).on("error", reject);
        if (answer.headers["content-type"]?.startsWith("text/event-stream")) {
          done();
          answer.on("error", () => {}).destroy();
        }
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

/**
 * Sends bytes, says that nothing more comes, and gives back what the other side sent until it closed the connection.
 * Rejects when it stays open.
 */
export function sendRaw(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let received = "";
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy();
      reject(new Error(`the connection was still open after ${PATIENCE_MS / 1000} s`));
    });
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received = (received + chunk).slice(0, 1_000_000);
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.end(bytes);
  });
}
