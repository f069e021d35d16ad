import { localDate } from "../../core/time/zone.js";
import type { PresencePeriod } from "../../forecast/load/presence.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Layout } from "../ui/layout.js";
import type { HeldSettings } from "./held-texts.js";
import type { HourPrice } from "./price-note.js";
import { type LastChange, LastChangeCard, SavedNotice, type SaveOutcome } from "./saved-notice.js";
import { EMS_PATH } from "./section-form.js";
import type { Subject } from "./sections.js";
import { carSentence, sentenceOf } from "./sentences.js";

interface IndexPageProps {
  context: PageContext;
  held: HeldSettings;
  price: HourPrice | undefined;
  /** Absences and guests, in progress or to come. */
  periods: readonly PresencePeriod[];
  last: LastChange | undefined;
  outcome: SaveOutcome | undefined;
}

interface Line {
  id: string;
  href: string;
  title: string;
  sentence: string;
}

/** The page /settings/ems: "My home", a sentence a subject, which leads to its form. Its ids are those of former forms. */
export function IndexPage(props: IndexPageProps) {
  const { context, held } = props;
  const { home, household, connect } = textsOf(context.language);
  const { plant } = held;
  const facts = {
    held,
    language: context.language,
    today: localDate(context.now, plant.timezone),
    ctKwh: props.price?.ctKwh,
  };
  const line = (subject: Subject): Line => ({
    id: subject,
    href: `${EMS_PATH}/${subject}`,
    title: home.subjects[subject],
    sentence: sentenceOf(subject, facts),
  });
  const main = [
    line("place"),
    line("tariff"),
    line("battery"),
    line("pv"),
    line("slots"),
    ...carLines(props),
    { id: "household", href: "/household", title: household.title, sentence: presenceSentence(props) },
    line("load"),
  ];
  const technical = [
    line("grid"),
    line("telemetry"),
    { id: "links", href: "/connect#links", title: connect.links.title, sentence: home.sentences.links },
    {
      id: "start",
      href: "/start",
      title: textsOf(context.language).start.title,
      sentence: home.sentences.start,
    },
  ];
  return (
    <Layout context={context} title={home.title} scripts={["client/settings.js"]}>
      <SavedNotice context={context} held={held} last={props.last} outcome={props.outcome} />
      {lineRows(main)}
      <h2>{home.technical}</h2>
      {lineRows(technical)}
      <LastChangeCard context={context} held={held} last={props.last} outcome={props.outcome} />
    </Layout>
  );
}

function lineRows(lines: readonly Line[]) {
  return (
    <ul class="subjects sentences card">
      {lines.map(({ id, href, title, sentence }) => (
        <li key={href} id={id}>
          <a href={href}>
            <strong>{title}</strong>
            <span>{sentence}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** A line for each wallbox; without one, the line that adds a car. */
function carLines({ held: { plant }, context: { language } }: IndexPageProps): Line[] {
  const { home } = textsOf(language);
  const boxes = plant.slots.filter(({ kind }) => kind === "wallbox");
  if (boxes.length === 0)
    return [
      { id: "car", href: `${EMS_PATH}/slots?row=new`, title: home.car, sentence: home.sentences.noCar },
    ];
  return boxes.map((slot, index) => ({
    id: index === 0 ? "car" : `car-${slot.slot}`,
    href: `${EMS_PATH}/slots?row=${slot.slot}`,
    title: boxes.length === 1 ? home.car : deviceLabel(slot, language),
    sentence: carSentence(slot, language),
  }));
}

function presenceSentence({ periods, held, context: { now, language } }: IndexPageProps): string {
  const { household } = textsOf(language);
  const { moment } = formatOf(language, held.plant.timezone);
  const next = periods.find(({ untilMs }) => untilMs === null || untilMs > now.getTime());
  if (next === undefined) return household.asUsual;
  const until = next.untilMs === null ? undefined : moment(new Date(next.untilMs), now);
  return household.period[next.kind](moment(new Date(next.fromMs), now), until);
}
