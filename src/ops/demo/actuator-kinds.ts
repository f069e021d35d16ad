/** The actuators that can drive the battery of the demonstration. */
export const DEMO_ACTUATORS = ["evcc-battery", "http"] as const;

export type DemoActuator = (typeof DEMO_ACTUATORS)[number];
