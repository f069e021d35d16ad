import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GatewayRoles, PRESENCE_MS, SILENT_MS } from "../../../src/edges/mqtt/client/gateway-role.js";

const LIVE = { isRetained: false };
const RETAINED = { isRetained: true };

function gateway(id: string, startedAtMs: number): GatewayRoles {
  return new GatewayRoles({ id, startedAtMs, machine: `machine of ${id}` });
}

/** Each of the gateways hears the others. */
function exchange(gateways: readonly GatewayRoles[], nowMs: number, how = LIVE): void {
  for (const one of gateways)
    for (const other of gateways) if (one !== other) one.hear(other.own, { nowMs, ...how });
}

const rolesOf = (gateways: readonly GatewayRoles[]) => gateways.map(({ own }) => own.role);

describe("the roles of gateways with one installation id", () => {
  it("a gateway alone commands", () => {
    const alone = gateway("a", 0);
    alone.decide(0);
    expect(alone.own.role).toBe("commanding");
    expect(alone.other).toBeUndefined();
  });

  it("a copy waits, and commands when the other one has been silent for its time", () => {
    const [first, copy] = [gateway("a", 5_000), gateway("b", 1_000)];
    first.decide(0);
    // The clock of the copy is late: who commands is kept all the same.
    exchange([first, copy], 10_000);
    first.decide(10_000);
    copy.decide(10_000);
    expect(rolesOf([first, copy])).toEqual(["commanding", "standby"]);
    expect([first.other?.id, copy.other?.machine]).toEqual(["b", "machine of a"]);
    copy.decide(10_000 + SILENT_MS - 1);
    expect(copy.own.role).toBe("standby");
    expect(copy.decide(10_000 + SILENT_MS)).toEqual(["a"]);
    expect(copy.own.role).toBe("commanding");
  });

  it("a restart is not used by the copy, whether the gateway was stopped or killed", () => {
    for (const isStopped of [true, false]) {
      const [first, copy] = [gateway("a", 0), gateway("b", 1_000)];
      first.decide(0);
      exchange([first, copy], 0);
      copy.decide(0);
      if (isStopped) copy.left("a");
      copy.decide(5_000);
      const again = gateway("c", 6_000);
      again.hear(copy.own, { nowMs: 6_000, ...RETAINED });
      if (!isStopped) {
        // The last will is published late.
        again.hear(first.own, { nowMs: 6_000, ...RETAINED });
        again.decide(6_300);
        expect(again.own.role).toBe("starting");
        again.left("a");
      }
      again.decide(6_300);
      copy.hear(again.own, { nowMs: 6_300, ...LIVE });
      copy.decide(SILENT_MS + 1_000);
      expect(rolesOf([again, copy])).toEqual(["commanding", "standby"]);
    }
  });

  it("the retained presence of a process that has died keeps a restart from commanding for less than a minute", () => {
    const dead = gateway("a", 0);
    dead.decide(0);
    const again = gateway("b", 1_000);
    again.hear(dead.own, { nowMs: 2_000, ...RETAINED });
    again.decide(2_300);
    expect(again.own.role).toBe("starting");
    again.decide(2_000 + SILENT_MS);
    expect(again.own.role).toBe("commanding");
    expect(SILENT_MS + PRESENCE_MS).toBeLessThan(60_000);
  });

  it("the time without a connection is not silence of the other one", () => {
    const [first, copy] = [gateway("a", 0), gateway("b", 1_000)];
    first.decide(0);
    exchange([first, copy], 0);
    copy.decide(0);
    copy.connected(10 * SILENT_MS);
    copy.decide(10 * SILENT_MS + 300);
    expect(copy.own.role).toBe("standby");
  });

  it("of two that command after a time without a broker, the one that started first goes on", () => {
    const [first, copy] = [gateway("a", 0), gateway("b", 1_000)];
    first.decide(0);
    copy.decide(0);
    expect(rolesOf([first, copy])).toEqual(["commanding", "commanding"]);
    exchange([first, copy], 5_000);
    copy.decide(5_000);
    first.decide(5_000);
    expect(rolesOf([first, copy])).toEqual(["commanding", "standby"]);
  });

  it("exactly one commands once all have heard each other, in whatever order they decide", () => {
    const event = fc.record({ kind: fc.constantFrom("decide", "hear"), one: fc.nat(3), other: fc.nat(3) });
    fc.assert(
      fc.property(
        fc.array(fc.nat(5_000), { minLength: 2, maxLength: 4 }),
        fc.array(event, { maxLength: 40 }),
        (starts, events) => {
          const gateways = starts.map((startedAtMs, index) => gateway(`g${index}`, startedAtMs));
          let nowMs = 10_000;
          for (const { kind, one, other } of events) {
            nowMs += 100;
            const [self, heard] = [gateways[one % gateways.length]!, gateways[other % gateways.length]!];
            if (kind === "decide") self.decide(nowMs);
            else self.hear(heard.own, { nowMs, ...LIVE });
          }
          for (let round = 0; round < 3; round++) {
            exchange(gateways, nowMs);
            for (const one of gateways) one.decide(nowMs);
          }
          expect(rolesOf(gateways).filter((role) => role === "commanding")).toHaveLength(1);
        },
      ),
    );
  });
});
