import { createSocket } from "node:dgram";
import { DeviceError } from "../command.js";

export interface UdpText {
  host: string;
  port: number;
  /** Devices such as KEBA answer to a fixed port; 0: any. */
  localPort: number;
  text: string;
  timeoutMs: number;
}

/** Sends a text in a datagram and waits for the answer of that host. Throws DeviceError. */
export async function askUdp({ host, port, localPort, text, timeoutMs }: UdpText): Promise<string> {
  const socket = createSocket({ type: host.includes(":") ? "udp6" : "udp4" });
  let isRetried = false;
  let limit: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      limit = setTimeout(
        () =>
          reject(new DeviceError("timeout", `${host}:${port} did not answer within ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      socket.on("message", (message, from) => {
        const answer = message.toString("utf8");
        if (from.address === host && isAnswerTo(text, answer)) resolve(answer);
      });
      const bind = (own: number) => socket.bind(own, () => socket.send(text, port, host));
      socket.on("error", (error: NodeJS.ErrnoException) => {
        // Another program has the port; a device that answers to the sender's port is read all the same.
        if (error.code === "EADDRINUSE" && !isRetried) {
          isRetried = true;
          bind(0);
        } else
          reject(
            new DeviceError(
              "unreachable",
              `${host}:${port} is not reachable (${error.code ?? error.message})`,
            ),
          );
      });
      bind(localPort);
    });
  } finally {
    clearTimeout(limit);
    socket.close();
  }
}

/** KEBA numbers its reports, and sends changes such as `{"Plug": 5}` unasked. */
function isAnswerTo(request: string, answer: string): boolean {
  const [, report] = /^report (\d+)$/.exec(request) ?? [];
  if (report === undefined) return true;
  const [, id] = /"ID"\s*:\s*"?(\d+)/.exec(answer) ?? [];
  return id === undefined ? !/^\s*\{[^,{]*\}\s*$/.test(answer) : id === report;
}
