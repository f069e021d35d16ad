import type { ActuatorState } from "./states.js";
import type { ActuatorTemplate } from "./template.js";

/** What a state of a battery does to load and PV. */
export interface StateEffect {
  /** The battery discharges for the load. */
  servesLoad: boolean;
  /** Surplus of PV is stored. */
  storesPv: boolean;
  /** The power is that of the command, not the device's own. */
  setsPower: boolean;
}

const effect = (servesLoad: boolean, storesPv: boolean): StateEffect => ({
  servesLoad,
  storesPv,
  setsPower: true,
});

/** Of a template that says nothing else. */
const USUAL: Readonly<Partial<Record<ActuatorState, StateEffect>>> = {
  free: effect(true, true),
  charge: effect(false, true),
  hold: effect(false, true),
  cap: effect(true, true),
  block: effect(true, false),
  discharge: effect(true, false),
};

/** The effects of a battery's states; only of those that it can be set to over the transport. */
export function effectsOf(
  template: Pick<ActuatorTemplate, "effect" | "transports">,
  transport: string,
): Partial<Record<ActuatorState, StateEffect>> {
  const { commands = {}, effect: own } = template.transports[transport] ?? {};
  return Object.fromEntries(
    Object.entries(USUAL)
      .filter(([state]) => (commands[state] ?? []).length > 0)
      .map(([state, usual]): [string, StateEffect] => {
        const stated = (own ?? template.effect)?.[state];
        return [
          state,
          {
            servesLoad: stated?.serves_load ?? usual.servesLoad,
            storesPv: stated?.stores_pv ?? usual.storesPv,
            setsPower: stated?.sets_power ?? usual.setsPower,
          },
        ];
      }),
  );
}
