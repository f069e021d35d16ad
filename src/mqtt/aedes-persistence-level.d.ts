/** The package brings no types; these are the parts of its callback-free interface that the broker touches. */
declare module "aedes-persistence-level" {
  import type { Readable } from "node:stream";

  export interface LevelPersistence {
    storeRetained(packet: { topic: string; payload: Buffer | string }): Promise<void>;
    createRetainedStreamCombi(patterns: string[]): Readable;
    outgoingEnqueueCombi(subscriptions: { clientId: string }[], packet: object): Promise<unknown>;
    delWill(client: { id: string }): Promise<unknown>;
    destroy(): Promise<void>;
  }

  export default function persistence(database: unknown): LevelPersistence;
}
