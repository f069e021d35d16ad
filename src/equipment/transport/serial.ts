import type { Duplex } from "node:stream";
import { errorMessage } from "../../core/error-message.js";
import { DeviceError } from "../command.js";

export interface SerialSettings {
  baud: number;
  parity: "none" | "even" | "odd";
}

interface SerialModule {
  SerialPort: new (options: {
    path: string;
    baudRate: number;
    parity: string;
    autoOpen: false;
  }) => Duplex & { open(done: (error: Error | null) => void): void };
}

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
  const port = new found.SerialPort({ path, baudRate: baud, parity, autoOpen: false });
  return new Promise((resolve, reject) => {
    port.open((error) =>
      error ? reject(new DeviceError("unreachable", `${path}: ${errorMessage(error)}`)) : resolve(port),
    );
  });
}
