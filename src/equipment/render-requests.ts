import type { Check, DeviceCondition, DeviceRequest, DeviceSource } from "./command.js";
import { render, renderFlag, renderNumber, type Variables } from "./expression.js";
import { renderSet } from "./registers/render.js";
import type { TemplateRegister } from "./registers/schema.js";
import type {
  TemplateCheck,
  TemplateCondition,
  TemplateReading,
  TemplateRequest,
  TemplateTransport,
  WantedValue,
} from "./template.js";

/** The requests of a template whose condition holds. Throws ExpressionError. */
export function renderRequests(
  list: readonly TemplateRequest[],
  variables: Variables,
  registers: Readonly<Record<string, TemplateRegister>> = {},
): DeviceRequest[] {
  return list
    .filter(({ when }) => when === undefined || renderFlag(when, variables))
    .map((request): DeviceRequest => {
      const text = (expression: string | undefined) => expression && render(expression, variables);
      const { answer, until } = request;
      return {
        ...(request.set !== undefined
          ? { set: renderSet(request.set, registers, variables) }
          : request.url === undefined
            ? { topic: text(request.topic), payload: text(request.payload) ?? "" }
            : {
                url: text(request.url),
                method: text(request.method) || "GET",
                headers: renderedHeaders(request.headers, variables),
                body: text(request.body),
              }),
        answer: answer && {
          pointer: answer.pointer,
          regex: answer.regex,
          expected: expectedOf(answer.equals, variables),
        },
        pauseMs: request.pause_ms ?? 0,
        until: until && {
          condition: renderCondition(until, variables),
          deadlineMs: renderNumber(until.deadline_s ?? 10, variables) * 1000,
        },
      };
    })
    .filter(({ set }) => set === undefined || set.length > 0);
}

/** Throws ExpressionError. */
export function renderCondition(condition: TemplateCondition, variables: Variables): DeviceCondition {
  const { equals, not_equals: not, below, tolerance } = condition;
  const absolute = tolerance === undefined ? 0 : renderNumber(tolerance, variables);
  return {
    source: renderSource(condition, variables),
    expected: expectedOf(equals ?? not ?? "", variables),
    isNegated: equals === undefined && not !== undefined,
    below: below === undefined ? undefined : renderNumber(below, variables),
    tolerance: { absolute, pct: 0 },
  };
}

/** The checks of a list that say something about a state. Throws ExpressionError. */
export function renderChecks(list: readonly TemplateCheck[], state: string, variables: Variables): Check[] {
  return list.flatMap((check) => {
    if (check.when !== undefined && !renderFlag(check.when, variables)) return [];
    const expect = check.expect[state];
    if (expect === undefined) return [];
    const expected = expectedOf(expect, variables);
    if (expected.length === 0) return [];
    return [{ ...renderCheck(check, variables), expected, isNegated: false as const }];
  });
}

/** All values that are read of a device that takes commands. */
export function sourcesIn({
  found = {},
  available,
  absent = [],
  alive,
  uptime,
  boots,
  declines = [],
  lock,
  commands,
  read = [],
  applied = [],
  neighbours = [],
}: TemplateTransport): (TemplateReading & { when?: string })[] {
  const until = Object.values(commands).flatMap((list) => list.flatMap((one) => one.until ?? []));
  return [
    ...read,
    ...applied,
    ...neighbours,
    ...Object.values(found),
    ...(available ? [available] : []),
    ...absent,
    ...(alive ? [alive] : []),
    ...(uptime ? [uptime] : []),
    ...(boots ? [boots] : []),
    ...declines,
    ...(lock?.all ?? []),
    ...until,
  ];
}

/** The source and the tolerance of a check. Throws ExpressionError. */
function renderCheck(
  check: TemplateCheck,
  variables: Variables,
): Pick<DeviceCondition, "source" | "tolerance"> {
  const { tolerance = 0, tolerance_pct: pct = 0, retained = false } = check;
  return {
    source: renderSource(check, variables, retained),
    tolerance: { absolute: renderNumber(tolerance, variables), pct: renderNumber(pct, variables) },
  };
}

/** What is read; `retained`: a retained MQTT message counts. Throws ExpressionError. */
export function renderSource(source: TemplateReading, variables: Variables, retained = true): DeviceSource {
  const text = (expression: string | undefined) => expression && render(expression, variables);
  const { ask } = source;
  return {
    url: text(source.url),
    method: source.method,
    headers: renderedHeaders(source.headers, variables),
    body: text(source.body),
    topic: text(source.topic),
    orTopic: text(source.or_topic) || undefined,
    ask: ask && { topic: render(ask.topic, variables), payload: text(ask.payload) ?? "" },
    pointer: text(source.pointer),
    regex: source.regex?.includes("{") ? render(source.regex, inRegex(variables)) : source.regex,
    ignore: source.ignore ?? [],
    retained,
  };
}

/** The values as texts that a regular expression finds as they are: an account must not state a part of one. */
function inRegex(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : value,
    ]),
  );
}

/** The expected values as texts; an expression that gives an empty text is left out. Throws ExpressionError. */
function expectedOf(wanted: WantedValue, variables: Variables): string[] {
  const list = Array.isArray(wanted) ? wanted : [wanted];
  return list.flatMap((one) => {
    const text = String(one);
    const rendered = render(text, variables).trim();
    return rendered === "" && text !== "" ? [] : [rendered];
  });
}

function renderedHeaders(headers: Readonly<Record<string, string>> | undefined, variables: Variables) {
  return (
    headers &&
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, render(value, variables)]))
  );
}
