import { decode, encode } from "@msgpack/msgpack";

/** A value as MessagePack, without members that have no value or are functions: Aedes puts a callback into its packets. */
export function encodeStored(value: object): Buffer {
  const members = Object.entries(value).filter(([, member]) => typeof member !== "function");
  const { buffer, byteOffset, byteLength } = encode(Object.fromEntries(members), { ignoreUndefined: true });
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A value of `encodeStored`; binary members, such as payloads, are Buffers. */
export function decodeStored(bytes: Uint8Array): unknown {
  const value = decode(bytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      member instanceof Uint8Array
        ? Buffer.from(member.buffer, member.byteOffset, member.byteLength)
        : member,
    ]),
  );
}
