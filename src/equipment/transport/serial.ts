import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { errorMessage } from "../../core/error-message.js";
import { DeviceError } from "../command.js";

export interface SerialSettings {
  baud: number;
  parity: "none" | "even" | "odd";
}

type SerialLine = Duplex & {
  open(done: (error: Error | null) => void): void;
  close(done: () => void): void;
};

interface SerialModule {
  SerialPort: new (options: {
    path: string;
    baudRate: number;
    parity: string;
    autoOpen: false;
  }) => SerialLine;
}

const ATTEMPTS = 10;
const BETWEEN_MS = 50;
/** Not every installation has the package, which is built for its machine. */
const PACKAGE = "serialport";

/** Opens a serial line. Throws DeviceError. */
export async function openSerial(path: string, { baud, parity }: SerialSettings): Promise<Duplex> {
  let found: SerialModule;
  try {
    found = (await import(PACKAGE)) as SerialModule;
  } catch {
    throw new DeviceError(
      "unreachable",
      `${path} needs the package ${PACKAGE}, which is not installed: npm install ${PACKAGE}, or use a serial adapter in the network`,
    );
  }
  for (let attempt = 1; ; attempt++) {
    const port = new found.SerialPort({ path, baudRate: baud, parity, autoOpen: false });
    const error = await new Promise<Error | null>((resolve) => port.open(resolve));
    if (error === null) return closedWhenDestroyed(port);
    // A line that was just closed is free after a moment only.
    if (attempt === ATTEMPTS || !/lock|busy/i.test(error.message))
      throw new DeviceError("unreachable", `${path}: ${errorMessage(error)}`);
    await wait(BETWEEN_MS);
  }
}

/** The package leaves a line open that is destroyed. */
function closedWhenDestroyed(port: SerialLine): Duplex {
  port._destroy = (error, done) => port.close(() => done(error));
  return port;
}
