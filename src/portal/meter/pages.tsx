import type { MeterWarning } from "../../core/domain/meter.js";
import { boundSeries } from "../../money/meter/bound-series.js";
import { storeAs } from "../../money/meter/choose.js";
import { type ColumnMapping, ColumnMappingError, checkMapping } from "../../money/meter/columns.js";
import { DraftError, type DraftFile, type ImportDraft, type ImportDrafts } from "../../money/meter/drafts.js";
import type { MeterFileReader } from "../../money/meter/file-reader.js";
import type { MeterReading } from "../../money/meter/read-uploaded.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import type { FieldErrors } from "../ui/form.js";
import { chosenSeries, type SeriesUse, usesOf, usualUses } from "./chosen-series.js";
import { mappingField, mappingOf } from "./mapping-form.js";
import { MeterPage } from "./page.js";

const PATH = "/meter";
/** Most imports of a site: each keeps its values on disk. */
const MOST_IMPORTS = 200;
/** Longest name of a file that is kept, characters. */
const LONGEST_NAME = 120;

/** Services that the page "Meter data" uses. */
export interface MeterPageOptions {
  archive: Pick<MeterArchive, "list" | "add" | "remove" | "warningsOf" | "mostQuarterKwh">;
  reader: Pick<MeterFileReader, "read">;
  drafts: ImportDrafts;
  now: () => Date;
  /** Called after the imports of a site have changed. */
  onChange(siteId: string): void;
}

interface Refusal {
  error?: string;
  uses?: SeriesUse[][];
  columns?: { file: number; mapping: ColumnMapping; errors: FieldErrors };
}

/** Upload, check, import and removal of meter files. */
export function meterPages(options: MeterPageOptions): Page[] {
  const { archive, reader, drafts, now, onChange } = options;

  const show = async (context: SignedInContext, refusal: Refusal = {}): Promise<PageReply> => {
    const { site, account } = context;
    const imports = site === undefined ? [] : archive.list(site.id);
    const draft = drafts.get(account.id);
    const uses = refusal.uses ?? draft?.files.map(({ reading }) => usesOfReading(reading)) ?? [];
    return {
      page: (
        <MeterPage
          context={context}
          imports={imports}
          error={refusal.error}
          draft={
            draft && {
              draft,
              uses,
              overlaps: site === undefined ? [] : await overlapsOf(site.id, draft, uses),
              refused: refusal.columns,
            }
          }
        />
      ),
      status: refusal.error === undefined && refusal.columns === undefined ? 200 : 422,
    };
  };

  /** What the import of each series would replace. */
  const overlapsOf = (siteId: string, { files }: ImportDraft, uses: readonly (readonly SeriesUse[])[]) =>
    Promise.all(
      files.map(async ({ reading }, file): Promise<MeterWarning[][]> => {
        if (!("series" in reading)) return [];
        const used = reading.series.map((series, index) => ({ series, quantity: uses[file]?.[index] }));
        const chosen = used.flatMap(({ series, quantity }) =>
          quantity === undefined ? [] : [{ ...storeAs(series, quantity), quantity }],
        );
        const warnings = chosen.length === 0 ? [] : await archive.warningsOf(siteId, chosen);
        return used.map(({ quantity }) => (quantity === undefined ? [] : (warnings.shift() ?? [])));
      }),
    );

  /** Without values that the home cannot have. */
  const bounded = (reading: MeterReading, siteId: string): MeterReading =>
    "series" in reading
      ? { series: reading.series.map((one) => boundSeries(one, archive.mostQuarterKwh(siteId))) }
      : reading;

  const upload = async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
    const texts = textsOf(context.language).meterPage.upload;
    const { account, site } = context;
    if (site === undefined) return { refuse: 404 };
    const uploaded = form.files.filter(({ field }) => field === "files");
    if (uploaded.length === 0) return show(context, { error: texts.none });
    const files: DraftFile[] = [];
    try {
      // Before the files are read, which takes time.
      drafts.checkRoom(account.id, uploaded.length);
      for (const { name, bytes } of uploaded) {
        const shown = shortName(name);
        const reading = bounded(await reader.read({ bytes, file: shown }, account.id), site.id);
        files.push({ name: shown, reading, ...(isMappable(reading) && { bytes }) });
      }
      drafts.add(account.id, files);
    } catch (error) {
      if (!(error instanceof DraftError)) throw error;
      return show(context, { error: error.reason === "busy" ? texts.busy : texts.tooMany });
    }
    return { redirect: pathOf(site.id, "#check") };
  };

  /** The draft that a form is about; undefined when it is no longer kept. */
  const draftOf = ({ account }: SignedInContext, form: FormBody) => {
    const draft = drafts.get(account.id);
    return draft?.id === form.text("draft") ? draft : undefined;
  };
  const expired = (context: SignedInContext) =>
    show(context, { error: textsOf(context.language).meterPage.check.expired });

  const mapColumns = async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
    const draft = draftOf(context, form);
    const index = Number(form.text("file"));
    const file = draft?.files[index];
    if (draft === undefined || file?.bytes === undefined) return expired(context);
    const mapping = mappingOf(form);
    try {
      checkMapping(mapping);
    } catch (error) {
      if (!(error instanceof ColumnMappingError)) throw error;
      const { errors } = textsOf(context.language).meterPage.columns;
      const field = { [mappingField(error.field)]: errors[error.field] };
      return show(context, { columns: { file: index, mapping, errors: field } });
    }
    const { name, bytes } = file;
    const read = await reader.read({ bytes, file: name, mapping }, context.account.id);
    const reading = context.site === undefined ? read : bounded(read, context.site.id);
    // Another form of the account may have ended the draft meanwhile.
    if (draftOf(context, form) !== draft) return expired(context);
    drafts.replace(context.account.id, draft, index, {
      name,
      reading,
      mapping,
      ...(isMappable(reading) && { bytes }),
    });
    return { redirect: pathOf(context.site?.id, "#check") };
  };

  const store = async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
    const { account, site, language, session } = context;
    const texts = textsOf(language).meterPage;
    if (site === undefined) return { refuse: 404 };
    const draft = draftOf(context, form);
    if (draft === undefined) return expired(context);
    const uses = usesOf(form, draft.files);
    const chosen = chosenSeries(draft.files, uses, texts);
    if (typeof chosen === "string") return show(context, { error: chosen, uses });
    if (archive.list(site.id).length + chosen.length > MOST_IMPORTS)
      return show(context, { error: texts.check.tooManyImports, uses });
    await archive.add(site.id, chosen, now());
    drafts.discard(account.id);
    onChange(site.id);
    session.flash("notice", texts.check.imported(chosen.length));
    return { redirect: pathOf(site.id) };
  };

  const remove = async (context: SignedInContext, form: FormBody): Promise<PageReply> => {
    const { site, session, language } = context;
    const found = site && archive.list(site.id).find(({ id }) => id === form.text("id"));
    if (found === undefined) return { refuse: 404 };
    await archive.remove(found.id);
    onChange(found.siteId);
    session.flash("notice", textsOf(language).meterPage.list.removed(found.file));
    return { redirect: pathOf(found.siteId) };
  };

  const post = { method: "POST", of: PATH, access: "account" } as const;
  return [
    { method: "GET", path: PATH, access: "account", handle: (context) => show(context) },
    { ...post, path: `${PATH}/upload`, takesFiles: true, handle: upload },
    { ...post, path: `${PATH}/columns`, handle: mapColumns },
    { ...post, path: `${PATH}/import`, event: "meter.imported", handle: store },
    {
      ...post,
      path: `${PATH}/discard`,
      handle: (context: SignedInContext): PageReply => {
        drafts.discard(context.account.id);
        context.session.flash("notice", textsOf(context.language).meterPage.check.discarded);
        return { redirect: pathOf(context.site?.id) };
      },
    },
    { ...post, path: `${PATH}/remove`, event: "meter.removed", handle: remove },
  ];
}

function pathOf(siteId: string | undefined, anchor = ""): string {
  return siteId === undefined ? PATH : `${PATH}?${new URLSearchParams({ site: siteId })}${anchor}`;
}

function isMappable(reading: MeterReading): boolean {
  return "preview" in reading;
}

function usesOfReading(reading: MeterReading): SeriesUse[] {
  return "series" in reading ? usualUses(reading.series) : [];
}

/** The name without folders, which some clients send. */
function shortName(name: string): string {
  return (name.split(/[\\/]/).at(-1) ?? "").slice(0, LONGEST_NAME) || "file";
}
