import { expect, it } from "vitest";
import {
  externalBroker,
  obeyAutomation,
  readingsAutomation,
  socAutomation,
} from "../../src/portal/connect/home-assistant-automations.js";
import { page } from "./pages.js";

it("docs/home-assistant.md has the YAML of the portal page", () => {
  const text = page("docs/home-assistant.md");
  for (const yaml of [
    externalBroker("address of Home Assistant"),
    socAutomation("hourgate/home/telemetry"),
    readingsAutomation("hourgate/home/telemetry"),
    obeyAutomation("home", { label: "Boiler", key: "slot_2_charge_now" }),
  ])
    expect(text).toContain(`\`\`\`yaml\n${yaml}\n\`\`\``);
});
