import { describe, expect, it } from "vitest";
import { KEYS, withGateway } from "./harness.js";

describe("the heartbeat", () => {
  it("is published for each plant with the gateway's time, not retained, and off with 0 seconds", () =>
    withGateway(
      async (_gateway, device) => {
        const watcher = await device(KEYS.owner);
        await watcher.subscribe("hourgate/+/heartbeat");
        await watcher.until(() => watcher.texts("hourgate/cabin/heartbeat").length >= 2);
        // 2026-01-15T02:07:30Z.
        expect(new Set(watcher.messages.map(({ text, retain }) => `${text} ${retain}`))).toEqual(
          new Set(["1768442850 false"]),
        );
        const late = await device(KEYS.home);
        await late.subscribe("hourgate/home/heartbeat");
        await late.until(() => late.messages.length > 0);
        expect(late.messages[0]?.retain).toBe(false);
      },
      {},
      { settings: { heartbeat_seconds: 0.05 } },
    ));
});
