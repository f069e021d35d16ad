import { localDate } from "../../core/time/zone.js";
import { textsOf } from "../../texts/index.js";
import type { PartProps } from "./view.js";

/** Savings so far and expected, each against the uncontrolled home, the week first; how they are computed is one click away. */
export function Savings({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.savings;
  const { plan, savings } = house;
  const eur = (value: number | null | undefined) =>
    value === null || value === undefined ? "–" : `${format.number(value)} EUR`;
  // The first quarter-hours of a day have no amount, and until they are computed there is that of yesterday.
  const isToday = savings?.date === localDate(house.now, format.zone);
  const today = isToday ? savings.todayEur : undefined;
  return (
    <>
      <h2>{texts.title}</h2>
      <dl class="amounts">
        <div>
          <dt>{texts.week}</dt>
          <dd>{eur(savings?.weekEur)}</dd>
        </div>
        <div>
          <dt>{texts.today}</dt>
          <dd>{typeof today === "number" ? eur(today) : <span class="muted">{texts.notYet}</span>}</dd>
        </div>
        <div>
          <dt>{texts.month}</dt>
          <dd>{eur(savings?.monthEur)}</dd>
        </div>
        <div>
          <dt>{texts.total}</dt>
          <dd>{eur(savings?.totalEur)}</dd>
        </div>
      </dl>
      {plan === undefined ? (
        <p class="muted">{texts.none}</p>
      ) : (
        <p>
          {texts.expected} <strong>{texts.of(format.number(plan.savingsEur))}</strong>
        </p>
      )}
      <details id="savings-explained">
        <summary>{texts.explain}</summary>
        <p>{texts.explanation}</p>
        {plan !== undefined && (
          <>
            {Math.abs(plan.savingsStoredEur) >= 0.01 && (
              <p class="muted">
                {texts.stored(format.number(Math.abs(plan.savingsStoredEur)), plan.savingsStoredEur < 0)}
              </p>
            )}
            <p class="muted">
              {texts.cost(
                format.number(plan.expectation.costEur),
                format.number(plan.expectation.costP10Eur),
                format.number(plan.expectation.costP90Eur),
              )}
            </p>
            <p class="muted">
              {texts.bound(format.number(Math.max(0, plan.solver.objectiveEur - plan.solver.boundEur)))}
            </p>
          </>
        )}
      </details>
    </>
  );
}
