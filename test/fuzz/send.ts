import { request } from "node:http";
import { connect } from "node:net";
import type { HttpCase } from "./http-cases.js";

/** Maximum duration of a request; normal responses take milliseconds, also on a busy machine. */
export const TIMEOUT_MS = 20_000;

export interface HttpOutcome {
  status: number;
  text: string;
  ms: number;
}

/**
 * Sends a request and reads the whole response; of an event stream only the headers. Rejects after the timeout. Each has a
 * connection of its own: an idle one may be closed at the moment that it is used again.
 */
export function ask(port: number, one: HttpCase): Promise<HttpOutcome> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = one;
    const sent = request(
      { port, host: "127.0.0.1", method, path, headers, timeout: TIMEOUT_MS, agent: false },
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
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

/**
 * Sends bytes, half-closes the connection, and resolves with the received data when the peer closes it. Rejects if it
 * remains open.
 */
export function sendRaw(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let received = "";
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy();
      reject(new Error(`the connection was still open after ${TIMEOUT_MS / 1000} s`));
    });
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received = (received + chunk).slice(0, 1_000_000);
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.end(bytes);
  });
}
