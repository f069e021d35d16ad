import { describe, expect, it } from "vitest";
import { basicAccess } from "../../../src/accounts/access.js";
import { silentLog } from "../../../src/core/log.js";
import { BrokerSignIn } from "../../../src/edges/mqtt/broker/sign-in.js";
import type { KnownAddress } from "../../../src/edges/mqtt/broker/sign-in-throttle.js";

function signIn() {
  let nowMs = 0;
  const remembered: KnownAddress[] = [];
  const service = new BrokerSignIn({
    access: () => basicAccess(true),
    users: [{ username: "meter", password: "secret", plant: "home" }],
    anonymous: false,
    remember: (known) => void remembered.push(known),
    log: silentLog,
    nowMs: () => nowMs,
  });
  return {
    service,
    remembered,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Whether the password gets in from the address. */
    check: (password: string, address: string) => {
      const result = service.check("meter", Buffer.from(password), address);
      return typeof result === "string" ? result : "in";
    },
  };
}

const DEVICE = "192.168.1.20";
const ATTACKER = "2001:db8:1:1::66";

describe("guesses of an MQTT password", () => {
  it("do not get in from a foreign address, although the password has been right at the device's", () => {
    const { check } = signIn();
    expect(check("secret", DEVICE)).toBe("in");
    for (let guess = 0; guess < 287; guess++) check(`wrong-${guess}`, ATTACKER);
    expect(check("secret", ATTACKER)).toBe("throttled");
  });

  it("of the whole /64 of an IPv6 address count together", () => {
    const { check } = signIn();
    for (let guess = 0; guess < 6; guess++) check("wrong", `2001:db8:1:1::${guess}`);
    expect(check("secret", "2001:db8:1:1:ffff::1")).toBe("throttled");
  });

  it("do not keep the device out at its own address, also after a restart", () => {
    const first = signIn();
    expect(first.check("secret", DEVICE)).toBe("in");
    expect(first.remembered).toEqual([{ user: "meter", network: DEVICE }]);
    const second = signIn();
    for (const known of first.remembered) second.service.know(known);
    for (let guess = 0; guess < 50; guess++) second.check(`wrong-${guess}`, ATTACKER);
    expect(second.check("secret", DEVICE)).toBe("in");
    // Known already: nothing more is stored.
    expect(second.remembered).toEqual([]);
    expect(second.check("wrong", DEVICE)).toBe("throttled");
  });

  it("are forgotten in time", () => {
    const { check, pass } = signIn();
    for (let guess = 0; guess < 50; guess++) check("wrong", ATTACKER);
    expect(check("secret", DEVICE)).toBe("throttled");
    pass(16 * 60_000);
    expect(check("secret", DEVICE)).toBe("in");
  });
});
