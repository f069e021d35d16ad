import { BlockList } from "node:net";
import os from "node:os";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { reachOfAddress } from "../../../src/core/net/address.js";
import { WebhookInputError } from "../../../src/messages/webhooks/input-error.js";
import { checkReceiverName, parseReceiverUrl } from "../../../src/messages/webhooks/receiver-url.js";
import { runs } from "../../support/runs.js";

const codeOf = (action: () => unknown) => {
  try {
    action();
  } catch (error) {
    if (error instanceof WebhookInputError) return error.code;
    throw error;
  }
  return "accepted";
};
const codeOfUrl = (url: string, allowPrivateHosts = false) =>
  codeOf(() => parseReceiverUrl(url, allowPrivateHosts));

describe("a receiver's URL", () => {
  it.each([
    ["https://example.com/hook?token=1", "https://example.com/hook?token=1"],
    ["  https://Example.COM:8443/Hook#part ", "https://example.com:8443/Hook"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    // Not reserved names.
    ["https://local.example/", "https://local.example/"],
    ["https://notlocalhost/", "https://notlocalhost/"],
    ["https://[64:ff9b::808:808]/", "https://[64:ff9b::808:808]/"],
  ])("%s is accepted", (typed, stored) => {
    expect(parseReceiverUrl(typed, false).href).toBe(stored);
  });

  it.each([
    ["http://example.com/", "url_not_https"],
    ["HTTP://example.com/", "url_not_https"],
    ["ftp://example.com/", "url_invalid"],
    ["javascript:alert(1)", "url_invalid"],
    ["example.com/hook", "url_invalid"],
    ["https:/example.com/", "url_invalid"],
    ["https:\\\\example.com\\", "url_invalid"],
    ["https://example.com/a b", "url_invalid"],
    ["https://exam\nple.com/", "url_invalid"],
    ["https://", "url_invalid"],
    ["https://1.2.3.4.5/", "url_invalid"],
    [`https://example.com/${"a".repeat(2000)}`, "url_invalid"],
    ["", "url_invalid"],
    ["https://user:word@example.com/", "url_with_credentials"],
    ["https://example.com@127.0.0.1/", "url_with_credentials"],
  ])("%s is %s", (typed, code) => {
    expect(codeOfUrl(typed)).toBe(code);
    expect(codeOfUrl(typed, true)).toBe(code);
  });

  it.each([
    // Spellings of 127.0.0.1 that resolvers or sockets accept.
    ...[
      "127.0.0.1",
      "127.1",
      "127.0.1",
      "2130706433",
      "0x7f000001",
      "0x7f.0.0.1",
      "0177.0.0.1",
      "017700000001",
    ],
    ...["127.0.0.1.", "①②⑦.⓪.⓪.①", "127%2e0%2e0%2e1", "0x7F.1", "localhost", "LOCALHOST", "localhost."],
    ...[
      "a.localhost",
      "localhost.localdomain",
      "printer.local",
      "printer.local.",
      "db.internal",
      "nas.home.arpa",
    ],
    ...[
      "10.0.0.1",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "3232235777",
    ],
    ...["[::1]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:a00:1]", "[::ffff:192.168.1.1]"],
    ...["[64:ff9b::10.0.0.1]", "[2002:7f00:1::]", "[2002:c0a8:101::1]", "[0:0:0:0:0:ffff:7f00:1]"],
  ])("https://%s/ is refused unless private hosts are allowed", (host) => {
    expect(codeOfUrl(`https://${host}/hook`)).toBe("host_not_public");
    expect(codeOfUrl(`https://${host}/hook`, true)).toBe("accepted");
  });

  it.each([
    ...["0.0.0.0", "0", "0.1.2.3", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
    ...["192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
    ...[
      "[::]",
      "[ff02::1]",
      "[::ffff:0.0.0.0]",
      "[::ffff:224.0.0.1]",
      "[::127.0.0.1]",
      "[::8.8.8.8]",
      "[fec0::1]",
    ],
    ...["[2001::1]", "[2001:db8::1]", "[100::1]", "[64:ff9b:1::1]", "[4000::1]", "[::ffff:0:127.0.0.1]"],
  ])("https://%s/ is always refused", (host) => {
    expect(codeOfUrl(`https://${host}/`)).toBe("host_not_public");
    expect(codeOfUrl(`https://${host}/`, true)).toBe("host_not_public");
  });

  it("is refused for every private IPv4 address in every notation, and in IPv6", () => {
    // RFC 1122, 1918, 3927, 5735, 6598, checked with an independent implementation.
    const closed = new BlockList();
    for (const [net, prefix] of [
      ["0.0.0.0", 8],
      ["10.0.0.0", 8],
      ["100.64.0.0", 10],
      ["127.0.0.0", 8],
      ["169.254.0.0", 16],
      ["172.16.0.0", 12],
      ["192.168.0.0", 16],
      ["224.0.0.0", 3],
    ] as const) {
      closed.addSubnet(net, prefix);
    }
    const interesting = fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 224, 255);
    const octet = fc.integer({ min: 0, max: 255 });
    const bytes = fc.tuple(
      fc.oneof(interesting, octet),
      fc.oneof(fc.constantFrom(16, 31, 64, 127, 168, 254), octet),
      octet,
      octet,
    );
    fc.assert(
      fc.property(bytes, ([a, b, c, d]) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const hex = number.toString(16).padStart(8, "0");
        const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
        const spellings = [
          `${a}.${b}.${c}.${d}`,
          `${number}`,
          `0x${hex}`,
          `0${number.toString(8)}`,
          `0${a.toString(8)}.0x${b.toString(16)}.${c * 256 + d}`,
          `${a}.${number % 2 ** 24}`,
          `[::ffff:${a}.${b}.${c}.${d}]`,
          `[::ffff:${groups}]`,
          `[64:ff9b::${groups}]`,
          `[2002:${groups}::1]`,
        ];
        const codes = new Set(spellings.map((host) => codeOfUrl(`https://${host}/`)));
        expect(codes.size, spellings.join(" ")).toBe(1);
        if (closed.check(`${a}.${b}.${c}.${d}`)) expect([...codes]).toEqual(["host_not_public"]);
      }),
      { numRuns: runs(300), seed: 42 },
    );
    expect(reachOfAddress("1.1.1.1")).toBe("public");
  });
});

describe("networks of this machine", () => {
  const own = ["2001:470:1f0b:12::5/64", "81.10.20.30/24"];

  it.each([
    ["2001:470:1f0b:12::99", "private"],
    ["2001:470:1f0b:13::99", "public"],
    ["81.10.20.1", "private"],
    ["81.10.21.1", "public"],
    ["64:ff9b::510a:1401", "private"],
  ])("%s is %s", (address, reach) => {
    expect(reachOfAddress(address, own)).toBe(reach);
  });

  it("are refused in a URL", () => {
    const interfaces = vi.spyOn(os, "networkInterfaces").mockReturnValue({
      eth0: [
        {
          address: "2001:470:1f0b:12::5",
          netmask: "ffff:ffff:ffff:ffff::",
          family: "IPv6",
          mac: "00:00:00:00:00:00",
          internal: false,
          cidr: "2001:470:1f0b:12::5/64",
          scopeid: 0,
        },
      ],
    });
    onTestFinished(() => interfaces.mockRestore());
    expect(codeOfUrl("https://[2001:470:1f0b:12::1]/hook")).toBe("host_not_public");
    expect(codeOfUrl("https://[2001:470:1f0b:12::1]/hook", true)).toBe("accepted");
    expect(codeOfUrl("https://[2001:470:1f0b:13::1]/hook")).toBe("accepted");
  });
});

describe("the host name of a receiver's URL", () => {
  const check = async (addresses: string[] | "unknown" | "silent", allowPrivateHosts = false) => {
    const silent = new AbortController();
    if (addresses === "silent") silent.abort();
    const answer = checkReceiverName(new URL("https://hook.example.com/"), {
      allowPrivateHosts,
      signal: silent.signal,
      resolve: async () => {
        if (addresses === "silent") return new Promise(() => {});
        if (addresses === "unknown") throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
        return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      },
    });
    return answer.then(
      () => "accepted",
      (error: WebhookInputError) => error.code,
    );
  };

  it("is refused if one of its addresses is not public", async () => {
    expect(await check(["8.8.8.8"])).toBe("accepted");
    expect(await check(["127.0.0.1"])).toBe("host_not_public");
    expect(await check(["8.8.8.8", "::ffff:10.0.0.1"])).toBe("host_not_public");
    expect(await check(["192.168.1.9"], true)).toBe("accepted");
    expect(await check(["224.0.0.1"], true)).toBe("host_not_public");
  });

  it("is accepted if it does not resolve in time", async () => {
    expect(await check("unknown")).toBe("accepted");
    expect(await check("silent")).toBe("accepted");
  });
});
