import { realClock } from "../src/core/time/clock.js";
import { ShellyGen2 } from "../test/support/devices/relays.js";

/**
 * A simulated Shelly Gen2 on a port of this machine, for trying out actuators: `npx tsx scripts/fake-shelly.ts`. It prints its
 * address and each change of its relay until Ctrl-C.
 */
const relay = new ShellyGen2(realClock());
await relay.start();
console.log(`The simulated Shelly listens at ${relay.host}`);
let shown = relay.actual();
setInterval(() => {
  const now = relay.actual();
  if (now !== shown) console.log(`${new Date().toISOString()} relay ${now}`);
  shown = now;
}, 100);
