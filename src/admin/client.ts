import { connect } from "node:net";
import { join } from "node:path";
import { errorCode } from "../store/errors.js";
import type { AdminRequest, AdminResponse } from "./operations.js";
import { SOCKET_NAME, withShortPath } from "./socket-path.js";

/** How long a connected gateway may take to answer, wall time, ms: longer than any mail or webhook lasts. */
const ANSWER_MS = 60_000;

/**
 * Asks the gateway that runs on the data folder. Undefined when none listens there; an Error with a sentence when one does
 * but may not be asked, or does not answer.
 */
export async function askGateway(folder: string, request: AdminRequest): Promise<AdminResponse | undefined> {
  try {
    return await withShortPath(folder, (path) => exchange(join(path, SOCKET_NAME), request));
  } catch (error) {
    const code = errorCode(error);
    // Nothing there, or what a killed gateway left behind.
    if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ENOTSOCK") return undefined;
    if (code === "EACCES" || code === "EPERM") {
      throw new Error(
        `The gateway on ${folder} belongs to another user; run the command as that one (sudo -u …).`,
        { cause: error },
      );
    }
    throw error;
  }
}

function exchange(path: string, request: AdminRequest): Promise<AdminResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let heard = "";
    const ended = () => new Error("The gateway ended before it answered; look into its log and try again.");
    socket.setEncoding("utf8");
    socket.setTimeout(ANSWER_MS, () => {
      reject(new Error("The gateway took the command but does not answer; look into its log."));
      socket.destroy();
    });
    socket.on("connect", () => socket.write(`${JSON.stringify(request)}\n`));
    socket.on("data", (chunk: string) => {
      heard += chunk;
    });
    socket.on("error", (error) => {
      const broke = ["ECONNRESET", "EPIPE"].includes(errorCode(error) ?? "");
      reject(broke ? ended() : error);
    });
    socket.on("close", () => {
      try {
        resolve(JSON.parse(heard) as AdminResponse);
      } catch {
        reject(ended());
      }
    });
  });
}
