/** Registers that are read together. */
export interface RegisterRange {
  unit: number;
  fc: 3 | 4;
  start: number;
  /** Exclusive. */
  end: number;
  /** What it was made of, where it has registers between them that the device may not have. */
  parts?: readonly RegisterRange[];
}

export interface Block extends RegisterRange {
  /** What is needed of it, each as small as it can be read. */
  ranges: RegisterRange[];
}

export interface BlockLimits {
  maxRegisters: number;
  /** Registers that nobody needs and that are read to save a request. */
  gap: number;
  /** Whether a request may go over the registers between two ranges; left out: always. */
  mayCross?(gap: RegisterRange): boolean;
}

/** As few requests as the device allows; each range is whole in one of them, unless it is longer than a request may be. */
export function planBlocks(ranges: readonly RegisterRange[], limits: BlockLimits): Block[] {
  const blocks: Block[] = [];
  for (const range of ranges.flatMap((one) => cut(one, limits.maxRegisters)).sort(inOrder)) {
    const last = blocks.at(-1);
    if (last !== undefined && canJoin(last, range, limits)) {
      last.end = Math.max(last.end, range.end);
      last.ranges.push(...(range.parts ?? [range]));
    } else {
      const { unit, fc, start, end, parts } = range;
      blocks.push({ unit, fc, start, end, ranges: [...(parts ?? [range])] });
    }
  }
  return blocks;
}

/** The smallest range with all of them, if one request can read it without too much between them; otherwise they stay apart. */
export function joined(ranges: readonly RegisterRange[], limits: BlockLimits): readonly RegisterRange[] {
  return planBlocks(ranges, limits).map(({ ranges: parts, ...range }) => ({ ...range, parts }));
}

function canJoin(
  block: Block,
  range: RegisterRange,
  { maxRegisters, gap, mayCross = () => true }: BlockLimits,
): boolean {
  return (
    block.unit === range.unit &&
    block.fc === range.fc &&
    range.start - block.end <= gap &&
    Math.max(block.end, range.end) - block.start <= maxRegisters &&
    (range.start < block.end || mayCross({ ...range, start: block.end, end: range.start }))
  );
}

function inOrder(one: RegisterRange, other: RegisterRange): number {
  return one.unit - other.unit || one.fc - other.fc || one.start - other.start || other.end - one.end;
}

function cut(range: RegisterRange, most: number): RegisterRange[] {
  if (range.end - range.start <= most) return [range];
  const parts: RegisterRange[] = [];
  for (let start = range.start; start < range.end; start += most)
    parts.push({ ...range, start, end: Math.min(range.end, start + most) });
  return parts;
}
