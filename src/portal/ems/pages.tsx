import type { MqttApprovals } from "../../accounts/mqtt-approvals.js";
import { type SettingsHistory, UndoError } from "../../accounts/settings-history.js";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import { filterMatches } from "../../core/domain/mqtt-filter.js";
import type { PresenceService } from "../../telemetry/presence-service.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageContext, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import { sitePageOrSites } from "../page.js";
import { backOf, flashUndo } from "../ui/notices.js";
import { askedRemoval, confirmPage } from "./confirm-page.js";
import { IndexPage } from "./index-page.js";
import { lastBillCheck } from "./last-bill.js";
import type { LastPayload } from "./payload-preview.js";
import { askedRow, type TopicNews } from "./rows.js";
import type { LastChange, SaveOutcome } from "./saved-notice.js";
import { EMS_PATH } from "./section-form.js";
import { SUBJECTS, type Subject } from "./sections.js";
import { findingsOf, type RefusedForm, type SettingsForms } from "./settings-forms.js";
import { SubjectPage } from "./subject-page.js";
import { rowKindOf, subjectsOf, type View } from "./views.js";

/** What the pages of "My home" need of the gateway. */
export interface EmsOptions {
  forms: SettingsForms;
  history: Pick<SettingsHistory, "undo" | "list" | "isComputing">;
  /** Whether the topic map of a site may read the topic; others wait for the administrator's approval. */
  approvals: Pick<MqttApprovals, "mayRead">;
  /** What mapped topics brought last, the newest first. */
  mqtt: { lastPayloads(siteId: string): readonly LastPayload[] };
  presence: Pick<PresenceService, "periods">;
  prices: Services["prices"];
}

/** What the gateway knows of the topics of a site. */
export function topicNews(
  { approvals, mqtt }: Pick<EmsOptions, "approvals" | "mqtt">,
  siteId: string,
): TopicNews {
  return {
    isWaiting: ({ topic }) => !approvals.mayRead(siteId, topic),
    payloadsOf: (entry) => mqtt.lastPayloads(siteId).filter(({ topic }) => filterMatches(entry.topic, topic)),
  };
}

/** The pages of "My home". */
export function emsPages(options: EmsOptions): Page[] {
  const { forms, history, presence } = options;

  const lastOf = async (siteId: string, subject?: Subject): Promise<LastChange | undefined> => {
    const changes = await history.list(siteId);
    const change =
      subject === undefined ? changes[0] : changes.find((one) => subjectsOf(one).includes(subject));
    return change && { change, isComputing: history.isComputing(change) };
  };

  const showIndex = async (context: PageContext, site: Site): Promise<PageReply> => ({
    page: (
      <IndexPage
        context={context}
        held={forms.held(site)}
        price={forms.price(context, site)}
        periods={presence.periods(site.id)}
        last={await lastOf(site.id)}
        outcome={outcomeOf(context)}
      />
    ),
  });

  const showViews = async (
    context: PageContext,
    site: Site,
    views: readonly View[],
    { refused, form }: { refused?: RefusedForm; form?: FormBody } = {},
  ): Promise<PageReply> => ({
    page: (
      <SubjectPage
        {...{ context, views, refused }}
        held={forms.held(site)}
        resettable={forms.resettable(site.id)}
        news={topicNews(options, site.id)}
        price={forms.price(context, site, form)}
        last={views.length === 1 ? await lastOf(site.id, views[0]!.subject) : undefined}
        outcome={refused === undefined ? outcomeOf(context) : undefined}
        bill={lastBillCheck(context, site.plant, options.prices.published())}
      />
    ),
    status: refused?.status ?? 200,
  });

  const showSubject = (subject: Subject) => (context: PageContext, site: Site) => {
    const held = forms.held(site);
    const removal = askedRemoval(context, subject, held);
    if (removal !== undefined) return { page: confirmPage(context, held, removal, subject) };
    const kind = rowKindOf(subject);
    const row = kind && askedRow(kind, context.query.get("row"), held);
    const isRow = kind !== undefined && row !== undefined;
    return showViews(context, site, [{ subject, ...(isRow && { rows: { kind, names: [row] } }) }]);
  };

  const save = async (context: PageContext, site: Site, form: FormBody): Promise<PageReply> => {
    const result = await forms.save(context, site, form);
    if ("refused" in result)
      return showViews(context, site, result.refused.views, { refused: result.refused, form });
    context.session.flash("saved", result.saved === undefined ? "unchanged" : "saved");
    return { redirect: pathOf(result.subjects) };
  };

  const undo = async (context: PageContext, site: Site, form: FormBody): Promise<PageReply> => {
    const { refused } = textsOf(context.language).home;
    try {
      const change = await history.undo(site.id, form.text("id"));
      const back = backOf(form);
      if (back !== undefined) {
        const { unchanged, undone } = textsOf(context.language).home.saved;
        context.session.flash("notice", change === undefined ? unchanged : undone);
        flashUndo(context, site.id, change, back);
        return { redirect: back };
      }
      context.session.flash("saved", change === undefined ? "unchanged" : "undone");
      return { redirect: pathOf(change === undefined ? [] : subjectsOf(change)) };
    } catch (error) {
      const why =
        error instanceof UndoError
          ? refused[error.code]
          : findingsOf(error) === undefined
            ? undefined
            : refused.invalid;
      if (why === undefined) throw error;
      const views = SUBJECTS.filter((subject) => subject === form.text("subject")).map((subject) => ({
        subject,
      }));
      return showViews(context, site, views, { refused: { views, why, status: 409 } });
    }
  };

  return [
    sitePageOrSites.get(EMS_PATH, showIndex),
    ...SUBJECTS.map((subject) => sitePageOrSites.get(`${EMS_PATH}/${subject}`, showSubject(subject))),
    sitePageOrSites.post(EMS_PATH, { event: "settings.changed" }, save),
    sitePageOrSites.post(`${EMS_PATH}/tariff`, { event: "settings.changed" }, save),
    sitePageOrSites.post(`${EMS_PATH}/undo`, { of: EMS_PATH, event: "settings.changed" }, undo),
  ];
}

/** What the last form did, shown once; a script that looks for the new plan gets the parts about it, and leaves that. */
function outcomeOf({ session, query }: PageContext): SaveOutcome | undefined {
  if (query.has("look")) return "saved";
  const saved = session.takeFlash("saved");
  return (["saved", "undone", "unchanged"] as const).find((outcome) => outcome === saved);
}

/** The page of a change: that of its subject, or the index if there are several. */
function pathOf(subjects: readonly Subject[]): string {
  const [first, ...others] = new Set(subjects);
  return first === undefined || others.length > 0 ? EMS_PATH : `${EMS_PATH}/${first}`;
}
