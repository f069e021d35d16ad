import { connect } from "node:net";
import { join } from "node:path";
import { errorCode } from "../../store/errors.js";
import type { AdminRequest, AdminResponse } from "./operations.js";
import { SOCKET_NAME, withShortPath } from "./socket-path.js";

/** Timeout of an answer, ms of wall time: longer than any mail or webhook delivery, and than the trial run of a device. */
const ANSWER_MS = 120_000;

/**
 * Sends a request to the gateway that runs on the data folder. Undefined if none listens there. Throws an Error that says
 * what to do if access is denied or the gateway does not answer.
 */
export async function askGateway(folder: string, request: AdminRequest): Promise<AdminResponse | undefined> {
  try {
    return await withShortPath(folder, (path) => exchange(join(path, SOCKET_NAME), request));
  } catch (error) {
    const code = errorCode(error);
    // No socket, or one left behind by a killed gateway.
    if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ENOTSOCK") return undefined;
    if (code === "EACCES" || code === "EPERM") {
      throw new Error(
        `The gateway on ${folder} runs as another user; run the command as that user (sudo -u …).`,
        { cause: error },
      );
    }
    throw error;
  }
}

function exchange(path: string, request: AdminRequest): Promise<AdminResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let received = "";
    const ended = () => new Error("The gateway ended before it answered; check its log and try again.");
    socket.setEncoding("utf8");
    socket.setTimeout(ANSWER_MS, () => {
      reject(new Error("The gateway accepted the command but does not answer; check its log."));
      socket.destroy();
    });
    socket.on("connect", () => socket.write(`${JSON.stringify(request)}\n`));
    socket.on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("error", (error) => {
      const broke = ["ECONNRESET", "EPIPE"].includes(errorCode(error) ?? "");
      reject(broke ? ended() : error);
    });
    socket.on("close", () => {
      try {
        resolve(JSON.parse(received) as AdminResponse);
      } catch {
        reject(ended());
      }
    });
  });
}
