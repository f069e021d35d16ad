import type { QuotaClass } from "../../accounts/quota-class.js";
import { ApiError } from "../../api/errors.js";
import { createInputReader } from "../../api/input.js";
import type { Caller, Document, Operation } from "../../api/operation.js";
import { inputReader } from "../../api/request.js";
import type { Site } from "../../config/site.js";

/** Who calls a tool: an access with a valid key, thus with a site. */
export interface ToolCaller extends Caller {
  site: Site;
  address: string;
}

/** The answer of a tool: figures as a document, and the same in a sentence or two. */
export interface ToolAnswer {
  document: Document;
  text: string;
}

/** Something that an assistant can ask or do. Names and descriptions are in English: the assistant translates its answer. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  schema: object;
  /** It changes nothing. */
  isReadOnly: boolean;
  /** What a call counts as; omitted: a decision. */
  quotaClass?: QuotaClass;
  /** Throws ApiError. */
  run(input: Record<string, unknown>, caller: ToolCaller): Promise<ToolAnswer> | ToolAnswer;
}

/** A call of a tool as the protocol has it. */
export interface ToolResult {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent: Document;
  isError?: boolean;
}

/** A tool with typed input; the input conforms to the schema. */
export function tool<Input>(
  definition: Omit<Tool, "run"> & {
    run(input: Input, caller: ToolCaller): Promise<ToolAnswer> | ToolAnswer;
  },
): Tool {
  const read = createInputReader(definition.schema);
  return { ...definition, run: (raw, caller) => definition.run(read(raw) as Input, caller) };
}

/** Calls an operation of the interface as HTTP does, without its quota. */
export type RunOperation = (input: Record<string, unknown>, caller: Caller) => Promise<Document>;

/** Runs the operation with this method and path. */
export function operationRunner(
  operations: readonly Operation[],
  method: Operation["method"],
  path: string,
): RunOperation {
  const operation = operations.find((one) => one.method === method && one.path === path);
  if (operation === undefined) throw new Error(`There is no operation ${method} ${path}.`);
  const read = inputReader(operation);
  return async (input, { access, now }) =>
    operation.run({ access, now, input: read(input, { access, now }) });
}

/** The error for an argument. */
export function wrongArgument(field: string, message: string): ApiError {
  return new ApiError("invalid_parameter", message, { details: [{ field, message }] });
}
