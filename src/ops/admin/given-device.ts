import { newDevice } from "../../config/new-device.js";
import type { DeviceSettings, PlantSettings } from "../../config/settings.js";
import type { ActuatorTemplate } from "../../equipment/template.js";

/** A device as the command line states it. */
export interface GivenDevice {
  template: string;
  site?: string;
  /** Parameters as JSON. */
  with?: string;
  id?: string;
  reads?: string;
  controls?: string;
  live?: boolean;
}

/** The settings of a device as the command line states it. */
export function deviceSettingsOf(
  request: GivenDevice,
  plant: Pick<PlantSettings, "devices">,
  known: Pick<ActuatorTemplate, "parameters"> | undefined,
): DeviceSettings {
  const { template, reads, controls, live } = request;
  return {
    ...newDevice(template, plant),
    ...(request.id !== undefined && { id: request.id }),
    with: valuesOf(JSON.parse(request.with ?? "{}") as Record<string, string>, known?.parameters ?? {}),
    reads: (reads === undefined ? null : listOf(reads)) as DeviceSettings["reads"],
    controls: (controls ?? null) as DeviceSettings["controls"],
    dry_run: controls === undefined ? null : live !== true,
  };
}

/** The texts of the command line as the types of the parameters. */
function valuesOf(
  texts: Readonly<Record<string, string>>,
  parameters: ActuatorTemplate["parameters"],
): DeviceSettings["with"] {
  const plain = Object.entries(texts).filter(([name]) => !isInMap(name, parameters));
  const maps = Object.entries(texts).filter(([name]) => isInMap(name, parameters));
  const values: Record<string, Record<string, string>> = {};
  for (const [name, text] of maps) {
    const [map = "", ...key] = name.split(".");
    values[map] = { ...values[map], [key.join(".")]: text };
  }
  return {
    ...values,
    ...Object.fromEntries(
      plain.map(([name, text]) => {
        const type = parameters[name]?.type;
        const number = text.trim() === "" ? Number.NaN : Number(text);
        if ((type === "number" || type === "integer") && Number.isFinite(number)) return [name, number];
        if (type === "boolean" && /^(true|false)$/.test(text)) return [name, text === "true"];
        return [name, text];
      }),
    ),
  };
}

/** Whether a name is that of a key in a map, such as `entities.soc_pct`. */
function isInMap(name: string, parameters: ActuatorTemplate["parameters"]): boolean {
  return name.includes(".") && parameters[name.split(".", 1)[0]!]?.type === "map";
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
