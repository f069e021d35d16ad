import { setTimeout } from "node:timers/promises";
import type { VNode } from "preact";
import type { SettingsHistory } from "../../accounts/settings-history.js";
import { devicesSection } from "../../config/new-device.js";
import type { Site } from "../../config/site.js";
import { typedNumber } from "../../core/number-text.js";
import { DeviceError } from "../../equipment/command.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { TrialService } from "../../equipment/trials.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import { type SiteContext, sitePage } from "../page.js";
import type { FieldErrors } from "../ui/form.js";
import { flashUndo } from "../ui/notices.js";
import { commandLog, DevicePage, trialOutcome } from "./device-page.js";
import { ReaderNow, Status } from "./device-parts.js";
import { DEVICES_PATH, deviceFaultText, deviceUrl } from "./labels.js";

/** Services that the pages of devices with commands use. */
export interface ActuatorPagesOptions {
  actuators: Pick<
    ActuatorService,
    | "list"
    | "templates"
    | "settled"
    | "log"
    | "test"
    | "ratedKw"
    | "read"
    | "setEnabled"
    | "setDryRun"
    | "takeOver"
  >;
  /** Stores settings of a site. Throws SiteSettingsError, StoreError. */
  history: Pick<SettingsHistory, "saveAtOnce">;
  devices: Pick<ReadingService, "list" | "settled">;
  trials: Pick<TrialService, "run" | "stateOf">;
}

/** A test that takes longer continues; its end is in the log. */
const TEST_MS = 15_000;
/** The page of one device, the data of its open page, and its forms. */
export function actuatorPages(options: ActuatorPagesOptions): Page[] {
  const { actuators, devices, history, trials } = options;
  const statusOf = (site: Site, id: string) => actuators.list(site.id).find((one) => one.id === id);
  const viewOf = (site: Site, id: string) => devices.list(site.id).find((one) => one.id === id);
  const logOf = (site: Site, id: string) => {
    try {
      return actuators.log(site.id, id);
    } catch (error) {
      if (error instanceof ActuatorInputError) return [];
      throw error;
    }
  };

  const device = (context: SiteContext, id: string, errors: FieldErrors = {}): PageReply => {
    const { site } = context;
    const view = viewOf(site, id);
    if (view === undefined) return { refuse: 404 };
    const status = statusOf(site, id);
    const commands =
      view.controls === null
        ? undefined
        : {
            status,
            trial: trials.stateOf(site.id, id),
            ratedKw: status === undefined ? 0 : actuators.ratedKw(site.id, id),
            log: logOf(site, id),
          };
    return {
      page: (
        <DevicePage
          {...{ context, view, commands, errors }}
          template={actuators.templates().get(view.template)}
        />
      ),
      status: Object.keys(errors).length === 0 ? 200 : 422,
    };
  };

  /** A form of the page of one actuator. */
  const act = (
    path: string,
    event: string,
    run: (of: {
      context: SiteContext;
      site: Site;
      id: string;
      form: FormBody;
    }) => Promise<PageReply | undefined>,
  ): Page =>
    sitePage.post(`${DEVICES_PATH}/${path}`, { of: DEVICES_PATH, event }, async (context, site, form) => {
      const id = form.text("id");
      if (viewOf(site, id) === undefined) return { refuse: 404 };
      try {
        return (await run({ context, site, id, form })) ?? { redirect: deviceUrl(site.id, id) };
      } catch (error) {
        if (!(error instanceof ActuatorInputError)) throw error;
        // The state on the page says why it cannot run.
        return { redirect: deviceUrl(site.id, id) };
      }
    });

  return [
    sitePage.get("/portal/device", (context, site) => {
      const id = context.query.get("id") ?? "";
      const view = viewOf(site, id);
      if (view === undefined) return { refuse: 404 };
      const parts: Record<string, VNode> = {
        reading: <ReaderNow context={context} view={view} />,
        ...(view.controls !== null && {
          status: <Status context={context} status={statusOf(site, id)} />,
          trial: trialOutcome(context, trials.stateOf(site.id, id)),
          log: commandLog(context, logOf(site, id)),
        }),
      };
      return { parts };
    }),
    sitePage.get(`${DEVICES_PATH}/device`, (context) => device(context, context.query.get("id") ?? "")),
    act("read", "actuator.read", async ({ context, site, id }) => {
      const { read, states } = textsOf(context.language).actuators;
      try {
        const { state, values } = await actuators.read(site.id, id);
        const found = values.map(({ place, value }) => `${place}: ${value}`).join("; ");
        const text =
          state !== undefined
            ? read.state(states[state] ?? state)
            : values.length === 0
              ? read.none
              : read.other;
        context.session.flash("notice", [text, found].filter(Boolean).join(" "));
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        context.session.flash("refused", read.failed(deviceFaultText(error, context.language)));
      }
      return undefined;
    }),
    act("send", "actuator.tested", async ({ context, site, id, form }) => {
      const { send, states } = textsOf(context.language).actuators;
      if (!form.isTicked("send_confirm")) return device(context, id, { send_confirm: send.unconfirmed });
      const state = form.text("state");
      const power = typedNumber(form.text("power_kw")) ?? 0;
      const name = states[state] ?? state;
      try {
        const test = actuators.test(site.id, id, state, power > 0 ? { powerKw: power } : {});
        const outcome = await withLimit(test, TEST_MS);
        context.session.flash("notice", outcome === undefined ? send.running : send[outcome](name));
      } catch (error) {
        if (!(error instanceof DeviceError)) throw error;
        context.session.flash("refused", send.failed(deviceFaultText(error, context.language)));
      }
      return undefined;
    }),
    act("trial", "actuator.tried", async ({ context, site, id }) => {
      // It goes on for a minute; the page shows its result.
      const trial = trials.run(site.id, id);
      trial.catch(() => {});
      await withLimit(trial, 0);
      context.session.flash("notice", textsOf(context.language).actuators.trial.started);
      return undefined;
    }),
    act("switch", "actuator.switched", async ({ context, site, id, form }) => {
      const action = form.text("switch");
      if (action === "enable" || action === "disable")
        await actuators.setEnabled(site.id, id, action === "enable");
      else if (action === "live" || action === "dry_run")
        await actuators.setDryRun(site.id, id, action === "dry_run");
      else if (action === "take_over") await actuators.takeOver(site.id, id);
      else return { refuse: 404 };
      context.session.flash("notice", textsOf(context.language).actuators.switches.done);
      return undefined;
    }),
    act("remove", "actuator.removed", async ({ context, site, id, form }) => {
      const { remove } = textsOf(context.language).actuators;
      if (!form.isTicked("remove_confirm"))
        return device(context, id, { remove_confirm: remove.unconfirmed });
      const name = viewOf(site, id)!.name;
      const left = devicesSection(site.plant.devices.filter((one) => one.id !== id));
      flashUndo(context, site.id, await history.saveAtOnce(site.id, { plant: left }));
      await Promise.all([devices.settled(), actuators.settled()]);
      context.session.flash("notice", textsOf(context.language).devicePages.page.removed(name));
      return { redirect: DEVICES_PATH };
    }),
  ];
}

/** The result, or undefined when it takes longer; a later failure is in the log of the actuator. */
function withLimit<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  work.catch(() => {});
  return Promise.race([work, setTimeout(ms, undefined, { ref: false })]);
}
