import type { MeterQuantity } from "../../core/domain/meter.js";

/** The portal page "Meter data". */
export const englishMeterPage = {
  title: "Meter data",
  intro:
    "Upload the quarter-hour export of your grid operator's portal (CSV, XLSX, XLS, JSON, XML or ZIP). Import and feed-in are usually in separate files; several files can be uploaded together. hourgate uses the values for the bill and to learn the load.",
  upload: {
    title: "Upload files",
    files: "Meter files",
    hint: "At most 30 MB per file, 40 MB and 10 files at once. Nothing is stored before you confirm it.",
    drop: "Files can also be dropped onto this page.",
    site: "Site",
    submit: "Upload and check",
    reading: "The files are being read …",
    none: "Choose at least one file.",
    tooLarge: (name: string, limitMb: number) =>
      `${name} is larger than ${limitMb} MB; export a shorter period.`,
    tooMany:
      "More than 10 files are waiting for confirmation; import or discard them first, or choose fewer files.",
    waitingTooLarge:
      "The files that wait for confirmation take more than 60 MB; import or discard them first, or export a shorter period.",
    busy: "Many files of other accounts are waiting for confirmation; try again in 15 minutes.",
  },
  check: {
    title: "Check and import",
    intro: (minutes: number) =>
      `This is what the files contain. Nothing is stored yet; the files are kept for ${minutes} minutes.`,
    forSite: (site: string) => `They are imported for the site ${site}.`,
    operator: "Grid operator",
    unknownOperator: "not recognised",
    meterPoint: "Meter point",
    noMeterPoint: "not in the file",
    period: "Period",
    values: "Values",
    rows: (count: string, minutes: number, label: "start" | "end") =>
      `${count}, every ${minutes} minutes; times are the ${label} of the interval`,
    energy: "Energy",
    counts: "Rows",
    missing: "missing",
    estimated: "estimated",
    doubled: "double",
    dropped: "left out",
    remarks: "Remarks",
    community: "Energy community",
    communityHint:
      "Its name or id. Shares of different communities add up; those of the same one replace earlier ones.",
    use: "Import as",
    skip: "do not import",
    several:
      "This file holds several meters for the same quantity. Choose the one that belongs to this site; leave the others out.",
    submit: "Import",
    discard: "Discard",
    discarded: "The uploaded files were discarded. Nothing was stored.",
    expired: "The uploaded files are no longer kept: upload them again.",
    nothing: "Choose at least one series to import.",
    twice: (file: string, quantity: string) =>
      `${file}: only one series can be imported as ${quantity}. Choose one and leave the other out.`,
    twoMeters: (quantity: string, files: string) =>
      `${files} hold ${quantity} of different meters for the same time; one would replace the other. Leave one out, or import it for another site.`,
    tooManyImports:
      "This site has 200 imports, which is the limit. Remove imports that are no longer needed.",
    tooManyBytes: (limitMb: number) =>
      `The imports of this site would take more than ${limitMb} MB. Remove imports that are no longer needed, or import a shorter period.`,
    imported: (count: number) => (count === 1 ? "One file was imported." : `${count} files were imported.`),
    unreadable: "This file cannot be read",
  },
  columns: {
    title: "Choose the columns",
    intro:
      "These are the first rows of the file. Choose what each column contains; the file is then read again.",
    column: (number: number, text: string) =>
      text === "" ? `Column ${number}` : `Column ${number}: ${text}`,
    short: (number: number) => `Column ${number}`,
    none: "none",
    time: "Date and time",
    clock: "Time of day, if it has its own column",
    of: (quantity: string) => `Values: ${quantity}`,
    unit: "Unit",
    power: (unit: string) => `${unit} (mean power)`,
    label: "The time is",
    start: "the start of the interval",
    end: "the end of the interval",
    labelHint: "00:00 to 23:45 on a day: start. 00:15 to 00:00 of the next day: end.",
    submit: "Read with these columns",
    preview: "First rows of the file",
    errors: {
      time: "Choose the column with date and time.",
      clock: "The time of day must be in another column than the date.",
      values: "Choose a different column for each quantity, and at least one.",
      unit: "Choose a unit.",
      label: "Choose start or end.",
    },
  },
  list: {
    title: "Imports",
    none: "No meter data has been imported for this site.",
    file: "File",
    importedAt: "Imported",
    quantity: "Stored as",
    period: "Period",
    energy: "Energy",
    gaps: "Missing",
    remove: "Remove",
    confirm: (file: string) => `Remove the import of ${file}?`,
    confirmText:
      "All its values are deleted. Where it replaced an earlier import, the values of that one are used again.",
    confirmYes: "Remove import",
    cancel: "Cancel",
    removed: (file: string) => `The import of ${file} was removed.`,
    usage: (used: string, most: string) => `The imports of this site take ${used} of ${most} MB.`,
    bill: "Show the bill of a month",
  },
  quantities: {
    import: "grid import",
    export: "feed-in",
    community: "share of the energy community",
    residual: "residual import after the community's share",
    generation: "generation",
    load: "household consumption",
    delivered: "delivered to the energy community",
  } satisfies Record<MeterQuantity, string>,
};
