import { isRecord } from "../../core/net/json.js";

/** Parameters that every template with a Modbus transport has; a template may declare them itself. */

interface Written {
  parameters?: Record<string, unknown>;
  transports?: Record<string, { kind?: string; modbus?: Record<string, unknown> } | undefined>;
}

const text = (en: string, de: string) => ({ en, de });

/** Adds the parameters of Modbus connections to a template as it was read, before it is checked. */
export function addConnectionParameters(template: unknown): void {
  if (!isRecord(template)) return;
  const { transports, parameters } = template as Written;
  if (!isRecord(transports) || !isRecord(parameters)) return;
  const all = Object.entries(transports);
  const isModbus = ([name, one]: (typeof all)[number]) => isRecord(one) && (one.kind ?? name) === "modbus";
  const found = all.find(isModbus);
  if (found === undefined) return;
  const modbus = isRecord(found[1]?.modbus) ? found[1].modbus : {};
  const { port = 502, unit = 1, framing = ["tcp"] } = modbus;
  const isOnly = all.every(isModbus);
  const own = {
    host: {
      type: "string",
      title: text("Address of the device", "Adresse des Geräts"),
      hint: text(
        "For example 192.168.1.80; for a serial line /dev/ttyUSB0.",
        "Zum Beispiel 192.168.1.80; bei einer seriellen Leitung /dev/ttyUSB0.",
      ),
      ...(!isOnly && { default: "" }),
    },
    port: {
      type: "integer",
      title: text("Port", "Port"),
      minimum: 0,
      maximum: 65_535,
      default: port,
    },
    unit: {
      type: "integer",
      title: text("Modbus unit", "Modbus-Adresse (Unit)"),
      minimum: 0,
      maximum: 255,
      default: unit,
    },
    framing: {
      type: "string",
      title: text("Framing", "Protokoll"),
      hint: text(
        "tcp: Modbus TCP. rtu: a serial adapter that passes bytes on unchanged.",
        "tcp: Modbus TCP. rtu: ein Adapter, der die Bytes der seriellen Leitung unverändert weitergibt.",
      ),
      enum: ["auto", "tcp", "rtu", "udp"],
      default: Array.isArray(framing) && framing.length === 1 ? framing[0] : "auto",
    },
    baud: {
      type: "integer",
      title: text("Speed of the serial line (baud)", "Geschwindigkeit der seriellen Leitung (Baud)"),
      minimum: 1_200,
      maximum: 921_600,
      default: modbus.baud ?? 9_600,
    },
    parity: {
      type: "string",
      title: text("Parity of the serial line", "Parität der seriellen Leitung"),
      enum: ["none", "even", "odd"],
      default: modbus.parity ?? "none",
    },
  };
  for (const [name, parameter] of Object.entries(own)) parameters[name] ??= parameter;
}
