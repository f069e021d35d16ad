/** The little of it that the tests use; the package brings no types. */
declare module "node-red-node-test-helper" {
  import type { EventEmitter } from "node:events";

  export interface TestNode extends EventEmitter {
    id: string;
    receive(message: Record<string, unknown>): void;
  }

  export type Install = (red: { httpNode: unknown }) => void;

  interface TestHelper {
    init(runtimePath: string, settings?: Record<string, unknown>): void;
    settings(settings: Record<string, unknown>): void;
    load(nodes: Install[], flow: object[], credentials?: Record<string, object>): Promise<void>;
    unload(): Promise<void>;
    getNode(id: string): TestNode;
    startServer(): Promise<void>;
    stopServer(): Promise<void>;
  }

  const helper: TestHelper;
  export default helper;
}
