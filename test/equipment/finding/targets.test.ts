import { describe, expect, it } from "vitest";
import { privateSubnets } from "../../../src/equipment/finding/network/subnets.js";
import { parseTargets, TargetError } from "../../../src/equipment/finding/targets.js";

const hosts = (...of: Parameters<typeof parseTargets>) => parseTargets(...of).map(({ host }) => host);

describe("targets of a search", () => {
  it("are addresses, addresses with a port, and subnets without their first and last address", () => {
    expect(parseTargets(["192.168.1.80", "127.0.0.1:1502"])).toEqual([
      { host: "192.168.1.80" },
      { host: "127.0.0.1", port: 1502 },
    ]);
    expect(hosts(["10.0.0.17/30"])).toEqual(["10.0.0.17", "10.0.0.18"]);
    expect(hosts(["192.168.4.0/22"])).toHaveLength(1022);
    expect(hosts(["192.168.1.0/24"])[253]).toBe("192.168.1.254");
  });

  it("leaves out what is excluded", () => {
    expect(hosts(["192.168.1.0/29"], { exclude: ["192.168.1.2", "192.168.1.4/30"] })).toEqual([
      "192.168.1.1",
      "192.168.1.3",
    ]);
  });

  it.each([
    ["8.8.8.8", "public"],
    ["192.0.2.0/24", "public"],
    ["192.168.0.0/16", "too_large"],
    ["10.0.0.0/8", "too_large"],
    ["192.168.1.300", "invalid"],
    ["192.168.1.1:70000", "invalid"],
    ["192.168.1.0/24:502", "invalid"],
    ["inverter", "invalid"],
    ["", "invalid"],
  ])("refuses %s: %s", (text, code) => {
    const refused = (use: () => unknown, field: string) => {
      try {
        use();
      } catch (error) {
        expect(error).toBeInstanceOf(TargetError);
        expect(error).toMatchObject({ field, code, target: text });
        return;
      }
      expect.fail("was taken");
    };
    refused(() => parseTargets([text]), "targets");
    refused(() => parseTargets(["10.0.0.1"], { exclude: [text] }), "exclude");
  });

  it("are the own private networks if none are stated, of large ones the part around the own address", () => {
    const address = (cidr: string, internal = false) => ({
      address: cidr.split("/")[0]!,
      netmask: "",
      family: "IPv4" as const,
      mac: "",
      internal,
      cidr,
    });
    const own = privateSubnets({
      lo: [address("127.0.0.1/8", true)],
      eth0: [address("192.168.1.5/24"), address("8.8.4.4/24")],
      docker0: [address("172.17.5.1/16")],
    });
    expect(own).toEqual(["192.168.1.0/24", "172.17.4.0/22"]);
    expect(hosts([], { ownSubnets: own })).toHaveLength(254 + 1022);
  });
});
