import { expect, it } from "vitest";
import { parse } from "../../src/config/load.js";
import { isReleased } from "../../src/equipment/released-hosts.js";

it.each([
  ["http://192.168.1.40/rpc", ["192.168.1.40:80"], true],
  ["http://192.168.1.40:8080/rpc", ["192.168.1.40:80"], false],
  ["http://192.168.1.40:8080/rpc", ["192.168.1.40:8080"], true],
  ["https://192.168.1.40/", ["192.168.1.40:80"], false],
  ["https://192.168.1.40/", ["192.168.1.40:443"], true],
  ["mqtt://broker.lan", ["broker.lan:1883"], true],
  ["mqtt://broker.lan:1884", ["broker.lan:1883"], false],
  ["http://[fd00::1]:8080/", ["[fd00::1]:8080"], true],
  // An entry without a port releases the whole host, as in earlier versions.
  ["http://192.168.1.40:8080/", ["192.168.1.40"], true],
  ["http://[fd00::1]/", ["fd00::1"], true],
  ["http://Shelly.lan/", ["SHELLY.lan"], true],
  ["http://192.168.1.41/", ["192.168.1.40", "192.168.1.40:80"], false],
])("a device at %s with the released hosts %j: %s", (url, hosts, expected) => {
  expect(isReleased(new URL(url), hosts)).toBe(expected);
  expect(
    parse(JSON.stringify({ actuators: { tenant_hosts: hosts } })).settings.actuators.tenant_hosts,
  ).toEqual(hosts);
});

it.each(["192.168.1.40:", "192.168.1.40:99999", "http://192.168.1.40", "a b", "host:80:80x"])(
  "refuses the released host %s",
  (host) => {
    expect(() => parse(JSON.stringify({ actuators: { tenant_hosts: [host] } }))).toThrow(
      /with or without a port/,
    );
  },
);
