import { describe, expect, it, onTestFinished } from "vitest";
import { parseChallenge } from "../../../src/equipment/transport/digest.js";
import { FroniusGen24 } from "../../support/devices/batteries.js";
import { type DigestAccess, digestResponse } from "../../support/devices/digest.js";
import { manualClock } from "../../support/manual-clock.js";
import { bench } from "../harness.js";

/** The battery of a Fronius inverter with a real HTTP server, charged by its template. */
async function charged(access: Partial<DigestAccess>) {
  const clock = manualClock(new Date("2026-01-15T08:00:00Z"));
  const device = new FroniusGen24(clock, access);
  await device.start();
  const one = await bench({
    clock,
    template: "fronius-gen24-http",
    control: "battery",
    with: { host: device.host, password: "secret" },
  });
  onTestFinished(async () => {
    await one.actuator.stop();
    await device.stop();
  });
  await one.actuator.start();
  one.want("charge", { powerKw: 3, socStopPct: 80 });
  return { one, device };
}

// RFC 7616, section 3.9.1: what the simulated device expects is what the standard says.
it.each([
  ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
  ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
] as const)("the simulated device expects the %s response of the standard", (algorithm, response) => {
  const access = {
    algorithm,
    realm: "http-auth@example.org",
    user: "Mufasa",
    password: "Circle of Life",
  };
  const sent = {
    method: "GET",
    url: "/dir/index.html",
    nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
    nc: "00000001",
    cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
  };
  expect(digestResponse(access, sent)).toBe(response);
});

describe("the sign-in of a Fronius inverter", () => {
  it.each([
    ["before 2025: MD5", { algorithm: "MD5" }, 0],
    [
      "newer firmware: SHA256, the password by MD5 at once",
      { algorithm: "SHA-256", algorithmName: "SHA256", secretAlgorithm: "MD5" },
      0,
    ],
    [
      "a password that was set anew: SHA256 for all, at the second try",
      { algorithm: "SHA-256", algorithmName: "SHA256" },
      1,
    ],
    ["with the name of the standard", { algorithm: "SHA-256", secretAlgorithm: "MD5" }, 0],
  ] satisfies [string, Partial<DigestAccess>, number][])("%s", async (_, access, refused) => {
    const { one, device } = await charged(access);
    await one.reaches("confirmed");
    expect([device.actual(), device.refused]).toEqual(["CHARGE_MIN 3000", refused]);
  });

  it("is refused with a wrong password, and says so", async () => {
    const { one, device } = await charged({ algorithm: "SHA-256", password: "another" });
    await one.pass(10_000);
    expect(one.actuator.status()).toMatchObject({ phase: "waiting", lastError: { fault: "unauthorized" } });
    // What is switched off has no problem.
    await one.actuator.setEnabled(false);
    expect(one.actuator.status()).toMatchObject({ phase: "disabled", lastError: null });
    expect([device.actual(), device.refused > 1]).toEqual(["free", true]);
  });
});

it("an overlong header is refused at once", () => {
  const challenge = 'Digest realm="a", nonce="b", ';
  expect(parseChallenge(challenge)).toMatchObject({ nonce: "b" });
  // Minutes where each character begins a name.
  expect(parseChallenge(challenge + "a".repeat(300_000))).toBeUndefined();
  expect(parseChallenge(challenge + "a".repeat(4_000))).toMatchObject({ nonce: "b" });
});
