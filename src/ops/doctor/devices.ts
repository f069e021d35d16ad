import type { DeviceSettings, Settings } from "../../config/settings.js";
import { errorMessage } from "../../core/error-message.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import { about, type DoctorTexts, type Finding, within } from "./finding.js";

interface Check {
  /** A running gateway says itself how its devices are; many take one connection only. */
  gateway: "running" | "none" | "other";
  /** Time limit for all, ms of wall time. */
  limitMs: number;
  texts: DoctorTexts;
}

/** Reads each configured device once. */
export async function examineDevices(settings: Settings, check: Check): Promise<Finding[]> {
  const all = settings.plants.flatMap((plant) => plant.devices.map((device) => ({ plant, device })));
  if (check.gateway === "running" || all.length === 0) return [];
  // Loaded here: most gateways are examined while they run.
  const { readerAlone } = await import("../devices-alone.js");
  const read = await readerAlone(settings);
  return Promise.all(
    all.map(({ plant, device }) => {
      const found = about(check.texts.what.device(plant.id, device.id));
      const late = () => [found.bad(check.texts.device.silent(String(device.with.host ?? ""), ""))];
      const examined = read(plant, device).then(
        async (view) => findingsOf(view, device, { found, texts: check.texts, settings }),
        (error: unknown) => [found.warn(errorMessage(error))],
      );
      return within(check.limitMs, examined, late);
    }),
  ).then((findings) => findings.flat());
}

async function findingsOf(
  view: DeviceView,
  device: DeviceSettings,
  { found, texts, settings }: { found: ReturnType<typeof about>; texts: DoctorTexts; settings: Settings },
): Promise<Finding[]> {
  const { address, readings, identity, lastError, notes } = view;
  const known = Object.entries(readings).filter(([, { value }]) => value !== null);
  const hasAnswered = known.length > 0 || Object.keys(identity).length > 0;
  const others = notes.map((note) => found.warn(note));
  if (device.serial !== null && identity.serial !== undefined && identity.serial !== device.serial)
    return [found.bad(texts.device.stranger(address, identity.serial, device.serial)), ...others];
  if (known.length === Object.keys(readings).length && known.length > 0)
    return [found.ok(texts.device.ok(address, identity.model ?? view.name, known.length)), ...others];
  if (known.length > 0) {
    const missing = Object.keys(readings).filter((name) => readings[name]!.value === null);
    return [found.warn(texts.device.partly(address, missing.join(", "))), ...others];
  }
  if (lastError?.code === "no_broker") return [found.note(texts.device.broker)];
  const reason = lastError?.message ?? "";
  const fitting = await fittingTemplates(device, settings);
  if (fitting.length > 0 && !fitting.includes(device.template))
    return [found.bad(texts.device.template(address, device.template, fitting.join(", "))), ...others];
  return [
    found.bad(hasAnswered ? texts.device.nothing(address, reason) : texts.device.silent(address, reason)),
    ...others,
  ];
}

/** The templates that fit what is at the address of a device. */
async function fittingTemplates(device: DeviceSettings, settings: Settings): Promise<string[]> {
  const { finderAlone } = await import("../devices-alone.js");
  const { TargetError } = await import("../../equipment/finding/targets.js");
  const { host = "", port } = device.with;
  const target = port === undefined || String(host).includes(":") ? String(host) : `${host}:${port}`;
  try {
    const { found } = await (await finderAlone(settings)).find({ targets: [target] });
    return found.flatMap(({ template, also }) => [template, ...also.map((one) => one.template)]);
  } catch (error) {
    if (error instanceof TargetError) return [];
    throw error;
  }
}
