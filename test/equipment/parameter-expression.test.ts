import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import {
  ExpressionError,
  PARAMETER_FILTERS,
  renderParameter,
  StepBudget,
} from "../../src/equipment/expression.js";
import { LONGEST_TEXT, parameterFault } from "../../src/equipment/parameter-expression.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import { renderSource } from "../../src/equipment/render-requests.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { wantedState } from "../../src/equipment/wanted.js";
import { processorMs } from "../support/processor-time.js";

const NAMES = ["power_w", "found", "state"];
const library = TemplateLibrary.open();

async function deviceOf(id: string, given: Record<string, unknown>) {
  const template = (await library).get(id)!;
  const { transport, values, faults } = parametersOf(template, given);
  const parameters = { ...values, plant: "home", actuator: "one" };
  return { device: new DeviceCommands({ template, transport, control: "slot", parameters }), faults };
}

describe("an expression in a parameter", () => {
  it.each([
    "http://192.168.1.40/relay?w={{ power_w }}",
    '{"on":true,"power":{{ power_w | divided_by: 230 | floor | at_least: 6 }}}',
    "{{power_w|times:-1.5|round:2}}",
    "{{- found.mode.name | default: 'auto, x' -}}",
    "{{ 'text' | upcase }} {{ state }}",
    '{"a":{"b":1}}',
  ])("may be %s", (text) => {
    expect(parameterFault(text, NAMES)).toBeUndefined();
    renderParameter(text, { power_w: 2300, state: "on", found: {} }, new StepBudget());
  });

  it.each([
    ["{% for i in (1..9) %}x{% endfor %}", /must not contain \{% … %\}/],
    ["{% if state == 'on' %}1{% endif %}", /must not contain/],
    ["{{ (1..100000000) }}", /is not \{\{ name/],
    ["{{ found[state] }}", /is not \{\{ name/],
    ["{{ power_w", /is not \{\{ name/],
    ["{{ 'a' | replace: 'a', state }}", /filter "replace"/],
    ["{{ state | json }}", /filter "json"/],
    ["{{ password }}", /names "password"/],
    ["{{ power_w | default: token }}", /names "token"/],
    ["{{ power_w }}".repeat(11), /more than 10 expressions/],
    ["{{ state | url_encode | url_encode }}", /encodes a value twice/],
    [`{{ power_w ${"| plus: 1 ".repeat(11)}}}`, /more than 10 filters/],
  ])("must not be %s", (text, sentence) => {
    expect(parameterFault(text, NAMES)).toMatch(sentence);
  });

  it("gives a bounded text in a bounded time whatever is allowed", () => {
    const value = fc.constantFrom("power_w", "state", "found.long", "1", "-2.5", "'%\"ß'");
    const filter = fc
      .tuple(fc.constantFrom(...PARAMETER_FILTERS), fc.array(value, { maxLength: 2 }))
      .map(([name, values]) => `| ${name}${values.length > 0 ? ": " : ""}${values.join(", ")}`);
    const output = fc
      .tuple(value, fc.array(filter, { maxLength: 10 }))
      .map(([first, filters]) => `{{ ${[first, ...filters].join(" ")} }}`);
    const long = '%"ß€'.repeat(LONGEST_TEXT / 4);
    fc.assert(
      fc.property(fc.array(output, { minLength: 1, maxLength: 10 }), (outputs) => {
        const text = outputs.join("");
        fc.pre(text.length <= LONGEST_TEXT && !/url_encode[^}]*url_encode/.test(text));
        expect(parameterFault(text, NAMES)).toBeUndefined();
        try {
          const variables = { power_w: 2300, state: long, found: { long } };
          expect(renderParameter(text, variables, new StepBudget()).length).toBeLessThanOrEqual(64 * 1024);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("is checked in a time that grows with its length", () => {
    for (const text of ["{{ a", "{{ a |", "{{ 'a", "{{ a | b: 1,", "{{ {{ ", "{{ a.a"])
      expect(parameterFault(`${text.padEnd(LONGEST_TEXT - 2, text.slice(-2))}}}`, NAMES)).toBeDefined();
    expect(parameterFault("x".repeat(LONGEST_TEXT + 1), NAMES)).toMatch(/at most 4000 characters/);
  });
});

describe("the expressions of a device", () => {
  /** As many texts as a section may have, each with as much work for its length as the filters allow. */
  const costly = (chain: string, texts: number) => {
    const one = `{{ username ${chain}}}`;
    const text = one.repeat(Math.max(1, Math.min(10, Math.floor(19_000 / texts / one.length))));
    return Object.fromEntries(Array.from({ length: texts }, (_, at) => [at === 0 ? "on" : `s${at}`, text]));
  };
  const chain = fc
    .array(fc.constantFrom("upcase", "downcase", "default: username", "plus: 1", "round_to: 0.1"), {
      maxLength: 9,
    })
    .map((filters) => ["url_encode", ...filters].map((filter) => `| ${filter} `).join(""));

  it("take a bounded number of steps and of milliseconds, for a command as for all states", async () => {
    const template = (await library).get("http")!;
    await fc.assert(
      fc.asyncProperty(chain, fc.constantFrom(1, 4, 16, 50), async (filters, texts) => {
        const bodies = costly(filters, texts);
        const given = { urls: { on: "http://10.0.0.4/" }, bodies, username: "€".repeat(1000) };
        const { device, faults } = await deviceOf("http", given);
        expect(faults).toEqual([]);
        const outcome = (job: () => unknown) => {
          try {
            job();
          } catch (error) {
            expect(error).toBeInstanceOf(ExpressionError);
          }
        };
        for (const job of [
          () => device.requests(wantedState("on")),
          () => device.checks("on", wantedState("on")),
          () => device.states(),
          () => device.hosts(),
          () => parametersOf(template, given),
        ])
          expect(await processorMs(() => outcome(job))).toBeLessThan(250);
      }),
      { numRuns: 20 },
    );
  });

  it("end when all together have taken 100,000 steps", async () => {
    const bodies = { on: `{{ username ${"| upcase ".repeat(10)}}}`.repeat(10) };
    const given = { urls: { on: "http://10.0.0.4/" }, bodies, username: "a".repeat(1000) };
    const { device } = await deviceOf("http", given);
    expect(() => device.requests(wantedState("on"))).toThrow(
      "the expressions of the parameters take too many steps",
    );
    const shorter = await deviceOf("http", { ...given, username: "a".repeat(900) });
    expect(shorter.device.requests(wantedState("on"))[0]?.body).toHaveLength(9000);
  });

  it("have at most 50 texts in a section", async () => {
    const urls = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`s${at}`, ""]));
    expect((await deviceOf("http", { urls })).faults).toEqual([
      { name: "urls", message: "must have at most 50 keys." },
    ]);
  });
});

describe("the parameters of a template", () => {
  const http = { urls: { on: "http://10.0.0.4/on?w={{ power_w }}&p={{ plant }}" }, password: "hidden" };

  it("give each expression the values of the device, but no secret and no other expression", async () => {
    const { device, faults } = await deviceOf("http", http);
    expect(faults).toEqual([]);
    const [request] = device.requests(wantedState("on", { powerKw: 2.3 }));
    expect(request?.url).toBe("http://10.0.0.4/on?w=2300&p=home");
    for (const name of ["password", "urls.on", "read_url"]) {
      const { faults } = await deviceOf("http", { ...http, read_url: `http://10.0.0.4/?{{ ${name} }}` });
      const [root] = name.split(".");
      expect(faults).toEqual([
        { name: "read_url", message: expect.stringMatching(new RegExp(`^names "${root}"`)) },
      ]);
    }
    const { faults: ofLength } = await deviceOf("http", { urls: { on: "x".repeat(4001) } });
    expect(ofLength).toEqual([{ name: "urls", message: "must have at most 4000 characters." }]);
    const six = Object.fromEntries(
      ["on", "off", "a", "b", "c", "d"].map((state) => [state, "x".repeat(3999)]),
    );
    expect((await deviceOf("http", { urls: six })).faults).toEqual([
      {
        name: "urls",
        message: expect.stringMatching(/^must have at most 20000 characters together with bodies/),
      },
    ]);
  });

  it("insert the value of another parameter as text, never as an expression", async () => {
    const { device } = await deviceOf("http", {
      urls: { on: "http://10.0.0.4/{{ username }}" },
      username: "{{ password }}",
      password: "hidden",
    });
    expect(device.requests(wantedState("on"))[0]?.url).toBe("http://10.0.0.4/{{ password }}");
  });

  it("give 64 kB together at most", async () => {
    const on = `{{ username | url_encode }}`;
    const long = {
      urls: { on: "http://10.0.0.4/" },
      bodies: { on: on.repeat(8) },
      username: "€".repeat(1000),
    };
    const { device } = await deviceOf("http", long);
    expect(() => device.requests(wantedState("on"))).toThrow("the result is longer than 64 kB");
    const longer = await deviceOf("http", { ...long, bodies: { on }, username: "€".repeat(1001) });
    expect(() => longer.device.requests(wantedState("on"))).toThrow("undefined variable: username");
  });

  it("state no part of a regular expression", () => {
    const source = renderSource({ url: "http://a/", regex: '"P{{ relay }}":(\\d+)' }, { relay: "(a+)+$" });
    expect(source.regex).toBe('"P\\(a\\+\\)\\+\\$":(\\d+)');
  });

  it("know the hosts of commands, readings and brokers with their ports", async () => {
    const urls = { on: "http://10.0.0.4/on", off: "https://Other.lan:8443/off" };
    const { device } = await deviceOf("http", { urls, read_url: "http://10.0.0.5:81/" });
    expect(device.hosts()).toEqual(["10.0.0.4:80", "10.0.0.5:81", "other.lan:8443"]);
    const mqtt = { topic: "a/b", payloads: { on: "1" } };
    expect((await deviceOf("mqtt", { ...mqtt, broker: "mqtt://10.0.0.9" })).device.hosts()).toEqual([
      "10.0.0.9:1883",
    ]);
    expect((await deviceOf("mqtt", mqtt)).device.hosts()).toEqual([]);
  });
});
