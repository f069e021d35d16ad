import { CONSUMER_FAMILIES } from "./consumers.js";
import type { Family } from "./family.js";
import { HTTP_FAMILIES } from "./http-devices.js";
import { HYBRID_FAMILIES } from "./hybrids.js";
import { METER_FAMILIES } from "./meters.js";
import { MORE_MODBUS_FAMILIES } from "./more-modbus.js";
import { MQTT_FAMILIES } from "./mqtt-devices.js";
import { PLUG_FAMILIES } from "./plugs.js";
import { RCT_FAMILIES } from "./rct.js";
import { SOURCE_FAMILIES } from "./sources.js";
import { SUNSPEC_FAMILIES } from "./sunspec-families.js";
import { UDP_FAMILIES } from "./udp-devices.js";

/** All simulated device families. */
export const FAMILIES: readonly Family[] = [
  ...SUNSPEC_FAMILIES,
  ...HYBRID_FAMILIES,
  ...METER_FAMILIES,
  ...HTTP_FAMILIES,
  ...MQTT_FAMILIES,
  ...UDP_FAMILIES,
  ...MORE_MODBUS_FAMILIES,
  ...CONSUMER_FAMILIES,
  ...PLUG_FAMILIES,
  ...RCT_FAMILIES,
  ...SOURCE_FAMILIES,
];
