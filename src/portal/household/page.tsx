import type { Interval } from "../../core/domain/interval.js";
import { addDays, dayInterval, instantOf, localDate } from "../../core/time/zone.js";
import { DAY_GROUPS, type LoadCorrection, PART_NAMES } from "../../forecast/load/load-corrections.js";
import type { LoadModel } from "../../forecast/load/load-model.js";
import { loadBand, loadHabits, weekdayEnergies } from "../../forecast/load/load-outline.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import type { CalendarService, CalendarView } from "../../telemetry/calendar/calendar-service.js";
import { USUAL_WORDS } from "../../telemetry/calendar/calendar-settings.js";
import type { LoadCorrections } from "../../telemetry/load-corrections.js";
import type { LoadLearner } from "../../telemetry/load-learner.js";
import type { NamedPeriod, PresenceService } from "../../telemetry/presence-service.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { Form, Notice, NumberField, SelectField, TextField } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { Card, submitButton } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";

/** Services that the page "Household" uses. */
export interface HouseholdOptions {
  loads: Pick<LoadLearner, "model" | "absentSince">;
  presence: Pick<PresenceService, "periods" | "add" | "end" | "remove">;
  calendars: Pick<CalendarService, "view" | "set" | "remove">;
  corrections: Pick<LoadCorrections, "of" | "set">;
}

/** The page "Household": what load the plan expects, what it learned, absences and guests. */
export function householdPage(context: SiteContext, options: HouseholdOptions) {
  const { calendars, corrections, loads, presence } = options;
  const { id } = context.site;
  const texts = textsOf(context.language).household;
  const format = formatOf(context.language, context.site.plant.timezone);
  const model = loads.model(id);
  const absentSince = loads.absentSince(id);
  return (
    <Layout context={context} title={texts.title}>
      <p>{texts.intro}</p>
      {absentSince !== undefined && (
        <Notice kind="info">
          <p>{texts.noticed(format.moment(absentSince, context.now))}</p>
          {actionButton(context, "home", texts.atHome)}
        </Notice>
      )}
      <Card title={texts.presence}>
        {periodList(context, presence.periods(id))}
        <Form context={context} action={PATH} label={texts.presence}>
          <TextField name="from" label={texts.from} hint={texts.fromHint} type="datetime-local" />
          <TextField name="until" label={texts.until} hint={texts.untilHint} type="datetime-local" />
          {submitButton(texts.away, { name: "action", value: "away" })}
          {submitButton(texts.guests, { kind: "plain", name: "action", value: "guests" })}
        </Form>
      </Card>
      {calendarCard(context, calendars.view(id))}
      <Card title={texts.expected}>
        {model === undefined ? <p>{texts.nothingLearned}</p> : expectedTable(context, model)}
      </Card>
      {model !== undefined && (
        <Card title={texts.learned}>
          {habitTable(context, model, corrections.of(id))}
          <p class="muted">{texts.learnedHint}</p>
        </Card>
      )}
    </Layout>
  );
}

export const PATH = "/household";

/** A form that is one button, which says what it does; `hidden`: to what. */
function actionButton(context: SiteContext, action: string, text: string, hidden?: Record<string, string>) {
  return (
    <Form context={context} action={PATH} class={hidden && "inline"} hidden={hidden}>
      {submitButton(text, { kind: "plain", name: "action", value: action })}
    </Form>
  );
}

/** Periods in progress or to come, and the button that ends them. */
function periodList(context: SiteContext, periods: readonly NamedPeriod[]) {
  const texts = textsOf(context.language).household;
  const format = formatOf(context.language, context.site.plant.timezone);
  const ahead = periods.filter(({ untilMs }) => untilMs === null || untilMs > context.now.getTime());
  if (ahead.length === 0) return <p>{texts.asUsual}</p>;
  return (
    <>
      <ul>
        {ahead.map(({ id, kind, fromMs, untilMs, title }) => (
          <li key={id}>
            {texts.period[kind](
              format.moment(new Date(fromMs), context.now),
              untilMs === null ? undefined : format.moment(new Date(untilMs), context.now),
            )}{" "}
            {title !== undefined && <span class="muted">{texts.fromCalendar(title)} </span>}
            {actionButton(context, "remove", texts.remove, { period: id })}
          </li>
        ))}
      </ul>
      {actionButton(context, "home", texts.asUsualAgain)}
    </>
  );
}

/** The calendar that says when nobody is at home. */
function calendarCard(context: SiteContext, calendar: CalendarView | undefined) {
  const texts = textsOf(context.language).household;
  const format = formatOf(context.language, context.site.plant.timezone);
  const readAt = calendar?.readAt && format.moment(calendar.readAt, context.now);
  return (
    <Card title={texts.calendar}>
      <p>{calendar === undefined ? texts.calendarIntro : texts.calendarOf(calendar.host, readAt)}</p>
      {calendar?.problem !== undefined && (
        <Notice kind="warning">{texts.calendarProblem(calendar.problem)}</Notice>
      )}
      <Form context={context} action={PATH} label={texts.calendar}>
        <TextField name="calendar_url" label={texts.calendarUrl} hint={texts.calendarUrlHint} type="url" />
        <TextField
          name="calendar_words"
          label={texts.calendarWords}
          hint={texts.calendarWordsHint}
          value={(calendar?.words ?? USUAL_WORDS).join(", ")}
        />
        {submitButton(texts.calendarSave, { name: "action", value: "calendar" })}
        {calendar !== undefined &&
          submitButton(texts.calendarRemove, { kind: "plain", name: "action", value: "no_calendar" })}
      </Form>
    </Card>
  );
}

const BLOCK_HOURS = 3;

/** The load of today and tomorrow with its range. */
function expectedTable(context: SiteContext, model: LoadModel) {
  const texts = textsOf(context.language).household;
  const format = formatOf(context.language, context.site.plant.timezone);
  const today = localDate(context.now, format.zone);
  const days = [today, addDays(today, 1)].map((date) => dayInterval(date, format.zone));
  const band = (interval: Interval) => {
    const { kwh, lowKwh, highKwh } = loadBand(model, interval);
    return texts.band(format.number(kwh, 1), format.number(lowKwh, 1), format.number(highKwh, 1));
  };
  // By the clock, also on the day that it is changed.
  const block = (day: Interval, from: number): Interval => {
    const at = (hour: number) => instantOf(localDate(day.start, format.zone), hour, format.zone);
    return { start: at(from), end: from + BLOCK_HOURS === 24 ? day.end : at(from + BLOCK_HOURS) };
  };
  const rows = Array.from({ length: 24 / BLOCK_HOURS }, (_, k) => k * BLOCK_HOURS);
  return (
    <DataTable
      rows={rows}
      label={texts.expected}
      columns={(col) => [
        col.head(texts.hours, (from) => format.time(block(days[0]!, from).start)),
        ...days.map((day, index) =>
          col.number(index === 0 ? texts.today : texts.tomorrow, (from) => band(block(day, from))),
        ),
      ]}
      sums={{ label: texts.wholeDay, numbers: days.map((day) => band(day)) }}
    />
  );
}

/** Mean power by part of the day, the energy of devices by weekday, and what somebody says instead. */
function habitTable(context: SiteContext, model: LoadModel, corrections: readonly LoadCorrection[]) {
  const texts = textsOf(context.language).household;
  const format = formatOf(context.language, context.site.plant.timezone);
  const habits = loadHabits(model, context.now);
  const choices = PART_NAMES.flatMap((part) =>
    DAY_GROUPS.map((days) => ({
      value: `${part} ${days}`,
      label: `${texts.groups[days]}: ${texts.parts[part]}`,
    })),
  );
  return (
    <>
      <DataTable
        rows={PART_NAMES}
        label={texts.learned}
        columns={(col) => [
          col.head(texts.part, (part) => texts.parts[part]),
          col.number(texts.workdays, (part) => format.number(habits[part].workdayKw, 2)),
          col.number(texts.weekend, (part) => format.number(habits[part].weekendKw, 2)),
        ]}
      />
      {(model.devices ?? []).map((device) => (
        <p key={device.slot}>
          {texts.device(
            deviceName(context, device.slot),
            weekdayEnergies(model, device).flatMap((kwh, weekday) =>
              kwh !== null && kwh >= LEAST_DAY_KWH
                ? [`${texts.weekdays[weekday]} ${format.number(kwh, 1)} kWh`]
                : [],
            ),
          )}
        </p>
      ))}
      {corrections.length > 0 && (
        <ul>
          {corrections.map(({ part, days, kw }) => (
            <li key={`${part} ${days}`}>
              {texts.corrected(`${texts.groups[days]}: ${texts.parts[part]}`, format.number(kw, 2))}{" "}
              {actionButton(context, "as_learned", texts.asLearned, { habit: `${part} ${days}` })}
            </li>
          ))}
        </ul>
      )}
      <Form context={context} action={PATH} label={texts.correct}>
        <SelectField name="habit" label={texts.correctWhen} options={choices} />
        <NumberField name="kw" label={texts.correctKw} hint={texts.correctHint} unit="kW" />
        {submitButton(texts.correct, { kind: "plain", name: "action", value: "correct" })}
      </Form>
    </>
  );
}

/** Days on which a device takes less are not named, kWh. */
const LEAST_DAY_KWH = 0.5;

function deviceName({ language, site }: SiteContext, slot: number): string {
  const settings = site.plant.slots.find((one) => one.slot === slot);
  if (settings === undefined) return String(slot);
  return deviceLabel(settings, language);
}
