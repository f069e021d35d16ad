/** A zip file with entries that are deflated already, by name. */
export function zipOf(packed: Readonly<Record<string, Buffer>>): Uint8Array<ArrayBuffer> {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let at = 0;
  for (const [text, content] of Object.entries(packed)) {
    const name = Buffer.from(text);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(content.length, 20);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(at, 42);
    locals.push(local, name, content);
    centrals.push(central, name);
    at += local.length + name.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(packed).length, 10);
  end.writeUInt32LE(at, 16);
  return Uint8Array.from(Buffer.concat([...locals, ...centrals, end]));
}
