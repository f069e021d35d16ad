import { expect, it } from "vitest";
import { stepAfter, WizardProgress } from "../../src/portal/start/progress.js";
import { openPortal } from "./harness.js";

it("the progress of the wizard is kept: what was answered, what was skipped, where to go on", async () => {
  const stored = new Map<string, string>();
  const progress = new WizardProgress({
    get: async (name) => (stored.has(name) ? JSON.parse(stored.get(name)!) : undefined),
    put: async (name, value) =>
      void (value === null ? stored.delete(name) : stored.set(name, JSON.stringify(value))),
  });
  expect(await progress.find("home")).toBeUndefined();
  await progress.open("home");
  await progress.leave("home", "place", "done");
  await progress.leave("home", "tariff", "skipped");
  expect(await progress.get("home")).toEqual({ next: "load", done: ["place"], skipped: ["tariff"] });
  await progress.leave("home", "tariff", "done");
  expect(await progress.get("home")).toEqual({ next: "load", done: ["place", "tariff"], skipped: [] });
  await progress.forget("home");
  expect(await progress.find("home")).toBeUndefined();
  expect(["plan", "battery", "load"].map((step) => stepAfter(step as "plan"))).toEqual([
    "plan",
    "plan",
    "plan",
  ]);
});

it("a new gateway says where its first password is, until somebody signs in; its only home has a name and no more", async () => {
  const portal = await openPortal();
  try {
    await portal.addAccount("anna@example.org");
    const first = "hourgate account reset-password owner@example.org";
    expect((await portal.browser().get("/login")).text).toContain(first);
    const anna = await portal.signedIn("anna@example.org");
    expect((await portal.browser().get("/login")).text).not.toContain(first);
    const { text } = await anna.get("/settings/sites");
    expect(text).toContain('name="label"');
    expect(text).not.toContain("Customer reference");
    expect((await anna.get("/settings/sites?all=1")).text).toContain("Customer reference");
    // Strangers learn the address of the account from the page of a new gateway only.
    await anna.get("/logout");
    await anna.post("/logout");
    expect((await portal.browser().get("/login")).text).not.toContain(first);
  } finally {
    await portal.close();
  }
});
