import { type ColumnMapping, ColumnMappingError, checkMapping } from "../../money/meter/columns.js";
import type { MeterFileReader } from "../../money/meter/file-reader.js";
import type { MeterReading } from "../../money/meter/read-uploaded.js";
import { importedBytes, type MeterArchive, type StoredSeries } from "../../store/meter-archive.js";
import { type Texts, textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import { type SiteContext, sitePage, titledPage } from "../page.js";
import type { FieldErrors } from "../ui/form.js";
import {
  type ChosenSeries,
  chosenSeries,
  Overlaps,
  type SeriesUse,
  usesOf,
  usualUses,
  withCommunities,
} from "./chosen-series.js";
import { DraftError, type DraftFile, type ImportDrafts } from "./drafts.js";
import { mappingField, mappingOf } from "./mapping-form.js";
import { MeterPage } from "./page.js";

const PATH = "/meter";
/** Most imports of a site: each keeps its values on disk. */
const MOST_IMPORTS = 200;
/** Most bytes of the imports of a site: 130 years of the quarter-hours of one quantity. */
const MOST_IMPORT_MB = 40;
/** Longest name of a file that is kept, characters. */
const LONGEST_NAME = 120;

/** Services that the page "Meter data" uses. */
export interface MeterPageOptions {
  archive: Pick<MeterArchive, "list" | "add" | "bytes" | "remove" | "warningsOf" | "mostQuarterKwh">;
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
  const overlaps = new Overlaps({ archive, drafts });

  const show = async (context: SiteContext, refusal: Refusal = {}): Promise<PageReply> => {
    const { site, account } = context;
    const imports = archive.list(site.id);
    const draft = drafts.get(account.id);
    const uses = refusal.uses ?? draft?.files.map(({ reading }) => usesOfReading(reading)) ?? [];
    return {
      page: (
        <MeterPage
          {...{ context, imports }}
          bytes={{ used: archive.bytes(site.id), most: MOST_IMPORT_MB * 1024 * 1024 }}
          error={refusal.error}
          draft={
            draft && {
              draft,
              uses,
              overlaps: await overlaps.of(site.id, draft, uses),
              refused: refusal.columns,
            }
          }
        />
      ),
      status: refusal.error === undefined && refusal.columns === undefined ? 200 : 422,
    };
  };

  /** Reads a file of an account for a site. */
  const read = async (
    { account, site }: SiteContext,
    file: Pick<DraftFile, "name" | "mapping"> & { path: string },
  ): Promise<DraftFile> => {
    const { name, path, mapping } = file;
    const valuesPath = await drafts.newPath();
    const mostQuarterKwh = archive.mostQuarterKwh(site.id);
    const task = { path, file: name, valuesPath, mostQuarterKwh, ...(mapping !== undefined && { mapping }) };
    const reading = await reader.read(task, account.id).catch(async (error: unknown) => {
      await drafts.remove([valuesPath]);
      throw error;
    });
    // Of a reading that was ended.
    if (!("series" in reading)) await drafts.remove([valuesPath]);
    return {
      name,
      reading,
      ...(mapping !== undefined && { mapping }),
      ...("series" in reading && { valuesPath }),
      ...("preview" in reading && { path }),
    };
  };

  const upload = async (context: SiteContext, form: FormBody): Promise<PageReply> => {
    const texts = textsOf(context.language).meterPage.upload;
    const { account, site } = context;
    const uploaded = form.files.filter(({ field }) => field === "files");
    if (uploaded.length === 0) return show(context, { error: texts.none });
    const files: DraftFile[] = [];
    try {
      // Before the files are read, which takes time.
      drafts.checkRoom(account.id, uploaded.length);
      for (const { name, path } of uploaded) files.push(await read(context, { name: shortName(name), path }));
      await drafts.add(account.id, files);
    } catch (error) {
      await drafts.remove(files.flatMap(({ valuesPath }) => valuesPath ?? []));
      if (!(error instanceof DraftError)) throw error;
      return show(context, { error: draftErrorText(error, texts) });
    }
    return { redirect: pathOf(site.id, "#check") };
  };

  /** The draft that a form is about; undefined when it is no longer kept. */
  const draftOf = ({ account }: SiteContext, form: FormBody) => {
    const draft = drafts.get(account.id);
    return draft?.id === form.text("draft") ? draft : undefined;
  };
  const expired = (context: SiteContext) =>
    show(context, { error: textsOf(context.language).meterPage.check.expired });

  const mapColumns = async (context: SiteContext, form: FormBody): Promise<PageReply> => {
    const draft = draftOf(context, form);
    const index = Number(form.text("file"));
    const file = draft?.files[index];
    if (draft === undefined || file?.path === undefined) return expired(context);
    const mapping = mappingOf(form);
    try {
      checkMapping(mapping);
    } catch (error) {
      if (!(error instanceof ColumnMappingError)) throw error;
      const { errors } = textsOf(context.language).meterPage.columns;
      const field = { [mappingField(error.field)]: errors[error.field] };
      return show(context, { columns: { file: index, mapping, errors: field } });
    }
    const { name, path } = file;
    const again = await read(context, { name, path, mapping });
    // Another form of the account may have ended the draft meanwhile.
    if (draftOf(context, form) !== draft) {
      if (again.valuesPath !== undefined) await drafts.remove([again.valuesPath]);
      return expired(context);
    }
    try {
      await drafts.replace(context.account.id, draft, index, again);
    } catch (error) {
      if (!(error instanceof DraftError)) throw error;
      const texts = textsOf(context.language).meterPage.upload;
      return show(context, { error: draftErrorText(error, texts) });
    }
    return { redirect: pathOf(context.site.id, "#check") };
  };

  const store = async (context: SiteContext, form: FormBody): Promise<PageReply> => {
    const { account, site, language, session } = context;
    const texts = textsOf(language).meterPage;
    const draft = draftOf(context, form);
    if (draft === undefined) return expired(context);
    const uses = usesOf(form, draft.files);
    const chosen = chosenSeries(draft.files, uses, texts);
    if (typeof chosen === "string") return show(context, { error: chosen, uses });
    const named = withCommunities(chosen, form);
    const stored = named.filter((series) => series.length > 0);
    if (archive.list(site.id).length + stored.length > MOST_IMPORTS)
      return show(context, { error: texts.check.tooManyImports, uses });
    const bytes = archive.bytes(site.id) + bytesOf(stored.flat());
    if (bytes > MOST_IMPORT_MB * 1024 * 1024)
      return show(context, { error: texts.check.tooManyBytes(MOST_IMPORT_MB), uses });
    const files: StoredSeries[][] = [];
    for (const [index, series] of named.entries())
      if (series.length > 0) files.push(await drafts.values(draft.files[index]!, series));
    await archive.add(site.id, files, now());
    await drafts.discard(account.id);
    onChange(site.id);
    session.flash("notice", texts.check.imported(files.length));
    return { redirect: pathOf(site.id) };
  };

  const remove = async (context: SiteContext, form: FormBody): Promise<PageReply> => {
    const { site, session, language } = context;
    const found = archive.list(site.id).find(({ id }) => id === form.text("id"));
    if (found === undefined) return { refuse: 404 };
    await archive.remove(found.id);
    onChange(found.siteId);
    session.flash("notice", textsOf(language).meterPage.list.removed(found.file));
    return { redirect: pathOf(found.siteId) };
  };

  const discard = async ({ account, session, language, site }: SiteContext): Promise<PageReply> => {
    await drafts.discard(account.id);
    session.flash("notice", textsOf(language).meterPage.check.discarded);
    return { redirect: pathOf(site.id) };
  };
  type Handle = (context: SiteContext, form: FormBody) => Promise<PageReply>;
  const post = (path: string, handle: Handle, details: { event?: string; takesFiles?: true } = {}) =>
    sitePage.post(`${PATH}/${path}`, { of: PATH, ...details }, (context, _site, form) =>
      handle(context, form),
    );
  return [
    titledPage(({ meterPage }) => meterPage.title).get(PATH, (context) => show(context)),
    post("upload", upload, { takesFiles: true }),
    post("columns", mapColumns),
    post("import", store, { event: "meter.imported" }),
    post("discard", discard),
    post("remove", remove, { event: "meter.removed" }),
  ];
}

function pathOf(siteId: string, anchor = ""): string {
  return `${PATH}?${new URLSearchParams({ site: siteId })}${anchor}`;
}

function bytesOf(series: readonly ChosenSeries[]): number {
  return series.reduce(
    (sum, { series: { firstStartMs, lastStartMs } }) => sum + importedBytes(firstStartMs, lastStartMs),
    0,
  );
}

function draftErrorText({ reason }: DraftError, texts: Texts["meterPage"]["upload"]): string {
  const { busy, tooMany, waitingTooLarge } = texts;
  return { busy, too_many: tooMany, too_large: waitingTooLarge }[reason];
}

function usesOfReading(reading: MeterReading): SeriesUse[] {
  return "series" in reading ? usualUses(reading.series) : [];
}

/** The name without folders, which some clients send. */
function shortName(name: string): string {
  return (name.split(/[\\/]/).at(-1) ?? "").slice(0, LONGEST_NAME) || "file";
}
