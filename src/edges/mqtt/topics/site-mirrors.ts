import type { Site } from "../../../config/site.js";
import { VIENNA } from "../../../core/time/zone.js";
import { textLanguage } from "../home-assistant/plant.js";
import type { MqttOptions } from "../options.js";
import { createActuatorMirror } from "./actuators.js";
import type { ChargeTargets } from "./charge-targets.js";
import { createDeviceMirror } from "./devices.js";
import { DisplayMirror } from "./display.js";
import { createMirror } from "./mirror.js";
import { PacedValues } from "./paced-values.js";
import { createPresenceMirror } from "./presence.js";
import { createSlotMirror } from "./slots.js";
import type { Topics } from "./topics.js";

/** What publishes the topics of the sites. */
export function siteMirrors(
  options: MqttOptions,
  parts: {
    topics: Topics;
    site(id: string): Site | undefined;
    chargeTargets: Pick<ChargeTargets, "of">;
    setValue(topic: string, payload: string): void;
  },
) {
  const { topics, site, chargeTargets, setValue } = parts;
  const zoneOf = (siteId: string) => site(siteId)?.plant.timezone ?? VIENNA;
  const textLanguageOf = (siteId: string) => textLanguage(options, site(siteId)!);
  const chargeTargetPct = (siteId: string) => {
    const one = site(siteId);
    return one && chargeTargets.of(one);
  };
  const paced = new PacedValues(options.clock, (topic, make) => {
    try {
      setValue(topic, make());
    } catch (error) {
      options.log.error(
        { err: error, topic },
        "A value could not be published over MQTT; the previous one remains.",
      );
    }
  });
  const shared = { ...options, topics, zoneOf, textLanguage: textLanguageOf, setValue, paced };
  return {
    paced,
    mirror: createMirror({ ...shared, chargeTargetPct }),
    display: new DisplayMirror({ ...shared, facts: options.display }),
    mirrorSlots: createSlotMirror({
      topics,
      slotDocuments: (siteId) => options.slots.documents(siteId),
      setValue,
    }),
    mirrorPresence: createPresenceMirror(shared),
    mirrorActuators: createActuatorMirror(shared),
    mirrorDevices: createDeviceMirror(shared),
  };
}
