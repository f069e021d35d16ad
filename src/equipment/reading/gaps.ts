import { type Block, type BlockLimits, planBlocks, type RegisterRange } from "./blocks.js";
import { keyOfRange } from "./received.js";

/** Between two ranges: was read with both; was in a request that the device refused; was refused by itself. */
type Verdict = "readable" | "doubtful" | "refused";

/** Two blocks that may be one. */
export interface Trial {
  whole: Block;
  halves: readonly [Block, Block];
}

/** What a device does with one gap is expected of the others in the same ten thousand registers. */
const AREA = 10_000;

/**
 * What a device gives of the registers between those that are needed. Some devices refuse a request that goes over a register
 * that they do not have. A refused block is read in small parts at once; which of them can be read together is tried later.
 */
export class Gaps {
  readonly #verdicts = new Map<string, Verdict>();
  /** Areas in which a request over a gap was refused. */
  readonly #strict = new Set<string>();

  isOpen(gap: RegisterRange): boolean {
    const verdict = this.#verdicts.get(keyOfRange(gap));
    if (verdict !== undefined) return verdict === "readable";
    return gap.start === gap.end || !this.#strict.has(areaOf(gap));
  }

  prove(block: Block): void {
    for (const gap of gapsIn(block)) this.#verdicts.set(keyOfRange(gap), "readable");
  }

  /** The smaller blocks of one that was refused; the same one, if it has no gaps. */
  split(block: Block, limits: BlockLimits): Block[] {
    const gaps = gapsIn(block);
    const wide = gaps.filter(({ start, end }) => end > start);
    const unread = wide.filter((one) => this.#verdicts.get(keyOfRange(one)) !== "readable");
    const [doubtful = []] = [unread, wide, gaps].filter((list) => list.length > 0);
    for (const gap of doubtful) this.#verdicts.set(keyOfRange(gap), "doubtful");
    if (wide.length > 0) this.#strict.add(areaOf(block));
    return planBlocks(block.ranges, { ...limits, mayCross: (gap) => this.isOpen(gap) });
  }

  /** Neighbours of which it is not known whether one request can read them. */
  trials(
    blocks: readonly Block[],
    { maxRegisters, gap }: BlockLimits,
    isThere: (gap: RegisterRange) => boolean,
  ): (Block | Trial)[] {
    const planned: (Block | Trial)[] = [];
    for (let index = 0; index < blocks.length; index++) {
      const [one, other] = [blocks[index]!, blocks[index + 1]];
      const isTrial =
        other !== undefined &&
        other.unit === one.unit &&
        other.fc === one.fc &&
        this.#isToTry(between(one, other)) &&
        isThere(between(one, other)) &&
        other.start - one.end <= gap &&
        other.end - one.start <= maxRegisters;
      if (isTrial) {
        const whole = { ...one, end: other.end, ranges: [...one.ranges, ...other.ranges] };
        planned.push({ whole, halves: [one, other] });
        index++;
      } else planned.push(one);
    }
    return planned;
  }

  /** How a trial has ended. */
  learn({ halves: [one, other] }: Trial, verdict: "readable" | "refused"): void {
    this.#verdicts.set(keyOfRange(between(one, other)), verdict);
  }

  #isToTry(gap: RegisterRange): boolean {
    return !this.isOpen(gap) && this.#verdicts.get(keyOfRange(gap)) !== "refused";
  }
}

function between(one: RegisterRange, other: RegisterRange): RegisterRange {
  return { unit: one.unit, fc: one.fc, start: one.end, end: other.start };
}

function areaOf({ unit, fc, start }: RegisterRange): string {
  return `${unit} ${fc} ${Math.floor(start / AREA)}`;
}

function gapsIn({ ranges }: Block): RegisterRange[] {
  const gaps: RegisterRange[] = [];
  const [first, ...rest] = [...ranges].sort((one, other) => one.start - other.start);
  let end = first?.end ?? 0;
  for (const range of rest) {
    if (range.start >= end) gaps.push({ ...range, start: end, end: range.start });
    end = Math.max(end, range.end);
  }
  return gaps;
}
