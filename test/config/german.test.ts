import { expect, it } from "vitest";
import { ConfigError, problemText } from "../../src/config/error.js";
import { parse } from "../../src/config/load.js";

function problems(yaml: string, environment: Record<string, string> = {}): string[] {
  try {
    parse(yaml, { file: "hourgate.yaml", environment, language: "de" });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(problemText);
    throw error;
  }
  return [];
}

it("says in German what is wrong with a configuration", () => {
  const found = problems(
    `http: { prot: 8080 }
mqtt: { broker: { port: viel } }
`,
    { HOURGATE_LOGG: "1" },
  );
  expect(found).toEqual([
    "HOURGATE_LOGG: logg: ist kein bekannter Schlüssel. Ist HOURGATE_LOG gemeint?",
    "hourgate.yaml:1: http.prot: ist kein bekannter Schlüssel. Ist „port“ gemeint?",
    'hourgate.yaml:2: mqtt.broker.port: muss eine ganze Zahl von 0 bis 65535 (TCP-Port) sein; gefunden: der Text "viel".',
  ]);
  expect(
    problems("plants:\n  - id: home\n    battery: { capacity_kwh: 9, min_soc_pct: 90, max_soc_pct: 80 }"),
  ).toEqual([
    "hourgate.yaml:3: plants.0.battery.min_soc_pct: muss kleiner als max_soc_pct (80) sein; gefunden: 90.",
  ]);
  expect(problems("a: 1\na: 2")).toEqual([
    "hourgate.yaml:2: nicht als YAML lesbar: Derselbe Schlüssel steht zweimal in diesem Abschnitt; bitte einen entfernen.",
  ]);
  const period = "{ energy: { type: fixed } }";
  expect(problems(`plants: [{ id: home, tariff: [${period}] }]`)).toEqual([
    "hourgate.yaml:1: plants.0.tariff.0.energy.ct_kwh: fehlt: Ein fester Preis braucht es.",
  ]);
});
