import fc from "fast-check";
import { expect, it } from "vitest";
import { BatchQueue } from "../../../src/core/work/batch-queue.js";

it("does everything once and in order, in batches that are as large as permitted, and fails only a failed batch", async () => {
  const items = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(items, fc.integer({ min: 0, max: 5 }), async (sizes, failing) => {
      const batches: number[][] = [];
      const queue = new BatchQueue<{ size: number; index: number }, number>(
        async (batch) => {
          batches.push(batch.map(({ index }) => index));
          await Promise.resolve();
          if (batches.length === failing) throw new Error("disk full");
          return batch.map(({ index }) => 2 * index);
        },
        { sizeOf: ({ size }) => size, mostPerBatch: 10 },
      );
      const results = sizes.map((size, index) => queue.add({ size, index }));
      expect(queue.size).toBe(sizes.reduce((sum, size) => sum + size, 0));
      const ends = await Promise.allSettled(results);
      await queue.idle();
      expect(queue.size).toBe(0);
      expect(batches.flat()).toEqual(sizes.map((_, index) => index));
      const sumOf = (indexes: number[]) => indexes.reduce((sum, index) => sum + sizes[index]!, 0);
      for (const [at, batch] of batches.entries()) {
        if (batch.length > 1) expect(sumOf(batch)).toBeLessThanOrEqual(10);
        // The first batch begins at once; each other one had room for no more.
        const next = batches[at + 1];
        if (at > 0 && next !== undefined) expect(sumOf(batch) + sizes[next[0]!]!).toBeGreaterThan(10);
        for (const index of batch)
          expect(ends[index]).toMatchObject(
            at + 1 === failing ? { status: "rejected" } : { status: "fulfilled", value: 2 * index },
          );
      }
    }),
  );
});
