import fc from "fast-check";
import { expect, it } from "vitest";
import { RctReceiver, rctFrame, rctRequest } from "../../../src/equipment/transport/rct-frames.js";

const hex = (text: string) => Buffer.from(text, "hex");

// The vectors of the tests of python-rctclient; the last one was recorded from a device.
it.each([
  [0x0, "2b010400000000c2b6"],
  [0xc0de, "2b01040000c0defe51"],
  [0xffffffff, "2b0104ffffffff5b79"],
])("asks for object %i as published", (id, frame) => {
  expect(rctRequest(id).toString("hex")).toBe(frame);
});

it("reads what a device has sent", () => {
  const name = Buffer.concat([Buffer.from("PS 6.0 BA3L")], 64);
  const sent = Buffer.concat([hex("002b0544ebc62737"), name, hex("476c"), hex("002b050529bda75fffb8d2")]);
  expect(new RctReceiver().take(sent)).toEqual([
    { id: 0xebc62737, data: name },
    { id: 0x29bda75f, data: hex("ff") },
  ]);
  // A long answer, and one with a wrong checksum.
  expect(new RctReceiver().take(hex("2b0600040000c0dea78b2b05040000c0def8f1"))).toEqual([
    { id: 0xc0de, data: Buffer.alloc(0) },
  ]);
});

it("reads any value, however it is cut, after any noise", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 0xffffffff }),
      fc.uint8Array({ maxLength: 60 }),
      fc.uint8Array({ maxLength: 20 }),
      fc.integer({ min: 1, max: 9 }),
      (id, data, noise, size) => {
        const body = Buffer.alloc(6 + data.length);
        body[0] = 5;
        body[1] = 4 + data.length;
        body.writeUInt32BE(id, 2);
        body.set(data, 6);
        // A `-` at the end of the noise would escape the start.
        const bytes = Buffer.concat([noise, Buffer.alloc(1), rctFrame(body)]);
        const receiver = new RctReceiver();
        const values = [];
        for (let at = 0; at < bytes.length; at += size)
          values.push(...receiver.take(bytes.subarray(at, at + size)));
        expect(values.at(-1)).toEqual({ id, data: Buffer.from(data) });
      },
    ),
  );
});
