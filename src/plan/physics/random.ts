/** Uniform and normal numbers that are the same for the same seed, on every machine. */
export interface SeededRandom {
  /** In (0, 1). */
  uniform(): number;
  /** Standard normal (Box and Muller 1958). */
  normal(): number;
}

/** Numbers from a 32-bit seed (generator mulberry32, Tommy Ettinger 2017, public domain). */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}
