/** The packages have no types. */
declare module "aedes-packet" {
  export default class Packet {
    constructor(original: object);
  }
}

declare module "qlobber/aedes/qlobber-sub.js" {
  /** Subscriptions by their topic filter. */
  export default class QlobberSub {
    constructor(options: {
      wildcard_one: string;
      wildcard_some: string;
      separator: string;
      match_empty_levels: boolean;
    });
    add(filter: string, subscription: { clientId: string; topic: string; qos: number }): void;
    remove(filter: string, subscription: { clientId: string; topic: string }): void;
    /** The subscriptions whose filter matches the topic. */
    match(topic: string): { clientId: string; topic: string; qos: number }[];
  }
}
