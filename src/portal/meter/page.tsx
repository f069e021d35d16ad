import { VIENNA } from "../../core/time/zone.js";
import type { MeterImport } from "../../store/meter-import.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { Form, Notice, SelectField, SubmitButton } from "../ui/form.js";
import { dateTimeText, siteName } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { Failed } from "../ui/notices.js";
import { Card, formButton, linkButton, linkLine } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import { DraftSection, type DraftSectionProps } from "./draft-section.js";

interface MeterPageProps {
  context: SiteContext;
  /** Imports of the site. */
  imports: readonly MeterImport[];
  /** The uploaded files, if there are any. */
  draft: Omit<DraftSectionProps, "context"> | undefined;
  /** Bytes of the imports of the site. */
  bytes: { used: number; most: number };
  /** Why the last form was refused. */
  error: string | undefined;
}

/** The page "Meter data": upload, check, list of imports. */
export function MeterPage({ context, imports, bytes, draft, error }: MeterPageProps) {
  const { meterPage } = textsOf(context.language);
  const { list } = meterPage;
  const asked = context.method === "POST" ? null : context.query.get("remove");
  const removed = imports.find(({ id }) => id === asked);
  return (
    <Layout context={context} title={meterPage.title} scripts={["client/meter.js"]}>
      <Failed text={error} />
      {removed !== undefined && removal(context, removed)}
      {draft !== undefined && <DraftSection context={context} {...draft} />}
      {uploadCard(context)}
      <Card title={list.title} id="imports">
        {imports.length === 0 ? (
          <p>{list.none}</p>
        ) : (
          <>
            {importTable(context, imports)}
            <p class="hint">{usageText(context, bytes)}</p>
            {linkLine("/bill", list.bill)}
          </>
        )}
      </Card>
    </Layout>
  );
}

function uploadCard(context: SiteContext) {
  const { meterPage } = textsOf(context.language);
  const { intro, upload } = meterPage;
  const { sites, site } = context;
  const hasSeveral = sites.length > 1;
  return (
    <Card title={upload.title}>
      <p>{intro}</p>
      <Form
        context={hasSeveral ? { ...context, site: undefined } : context}
        action="/meter/upload"
        id="upload"
        hasFiles
      >
        {hasSeveral && (
          <SelectField
            name="site"
            label={upload.site}
            value={site?.id}
            options={sites.map((one) => ({ value: one.id, label: siteName(one) }))}
          />
        )}
        <div class="field">
          <label for="files">{upload.files}</label>
          <input
            id="files"
            type="file"
            name="files"
            multiple
            required
            accept=".csv,.txt,.xlsx,.xls,.json,.xml,.zip,text/csv"
            aria-describedby="files-hint"
            data-too-large={upload.tooLarge("{name}", 30)}
            data-reading={upload.reading}
          />
          <p class="hint" id="files-hint">
            {upload.hint}
          </p>
          {/* The script shows it: without one only the field itself takes files. */}
          <p class="hint" id="drop-hint" hidden>
            {upload.drop}
          </p>
        </div>
        <p id="upload-state" role="status" />
        <SubmitButton>{upload.submit}</SubmitButton>
      </Form>
    </Card>
  );
}

function removal(context: SiteContext, removed: MeterImport) {
  const { list } = textsOf(context.language).meterPage;
  return (
    <Notice kind="warning">
      <h2>{list.confirm(removed.file)}</h2>
      <p>{list.confirmText}</p>
      <div class="actions">
        {formButton(context, "/meter/remove", list.confirmYes, {
          hidden: { id: removed.id },
          kind: "danger",
        })}
        {linkButton("/meter", list.cancel, "button plain")}
      </div>
    </Notice>
  );
}

function importTable(context: SiteContext, imports: readonly MeterImport[]) {
  const { list, quantities } = textsOf(context.language).meterPage;
  const { number } = formatOf(context.language, context.site.plant.timezone);
  const day = (at: string) => dateTimeText(new Date(at), context);
  return (
    <DataTable
      rows={imports
        .toReversed()
        .flatMap((one) => one.series.map((series, index) => ({ ...one, ...series, isFirst: index === 0 })))}
      columns={(col) => [
        col.head(list.file, ({ isFirst, file }) => (isFirst ? file : "")),
        col.text(list.quantity, ({ quantity }) => quantities[quantity]),
        col.text(list.period, (one) => `${day(one.firstStart)} – ${day(endOf(one))}`),
        col.number(list.energy, ({ kwh }) => `${number(kwh, 1)} kWh`),
        col.number(list.gaps, ({ missing }) => number(missing, 0)),
        col.text(list.importedAt, ({ importedAt }) => day(importedAt)),
        col.text("", ({ isFirst, siteId, id, file }) =>
          isFirst ? (
            <a
              class="button danger"
              href={`/meter?${new URLSearchParams({ site: siteId, remove: id })}`}
              aria-label={`${list.remove}: ${file}`}
            >
              {list.remove}
            </a>
          ) : null,
        ),
      ]}
    />
  );
}

const MB = 1024 * 1024;

function usageText(context: SiteContext, { used, most }: { used: number; most: number }): string {
  const { number } = formatOf(context.language, VIENNA);
  return textsOf(context.language).meterPage.list.usage(number(used / MB, 1), number(most / MB, 0));
}

function endOf({ lastStart, stepMinutes }: { lastStart: string; stepMinutes: number }): string {
  return new Date(Date.parse(lastStart) + stepMinutes * 60_000).toISOString();
}
