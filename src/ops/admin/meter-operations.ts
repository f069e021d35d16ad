import { meterImportDocument, meterSeriesDocument } from "../../api/documents/meter.js";
import { boundSeries } from "../../money/meter/bound-series.js";
import { isMeterTransfer, type MeterTransfer, receivedSeries } from "../../money/meter/transfer.js";
import { AdminError, type AdminServices, ArgumentError, adminOperation, name } from "./operation.js";

/** Commands for imported meter data. */
export const meterOperations = {
  "import meter": {
    run: async (services: AdminServices, input: unknown) => {
      const { archive, now, onChange } = services.meter;
      const { site, files } = input as Partial<{ site: string; files: MeterTransfer[][] }>;
      if (!Array.isArray(files) || !files.every((file) => Array.isArray(file) && file.every(isMeterTransfer)))
        throw new AdminError("The request is not valid: files must be lists of series.");
      const siteId = siteOf(services, site);
      const mostKwh = archive.mostQuarterKwh(siteId);
      const series = files.map((file) =>
        file.map(receivedSeries).map((one) => ({ ...boundSeries(one, mostKwh), quantity: one.quantity })),
      );
      const added = await archive.add(siteId, series, now());
      onChange(siteId);
      return {
        site: siteId,
        series: added.flatMap(({ import: stored, warnings }, file) =>
          series[file]!.map((one, index) => {
            const all = { ...one, warnings: [...one.warnings, ...warnings[index]!] };
            return meterSeriesDocument(all, one.quantity, stored.id);
          }),
        ),
      };
    },
  },

  "import list": adminOperation({ optional: { site: name } }, async (services, { site }) => ({
    imports: services.meter.archive.list(site).map(meterImportDocument),
  })),

  "import remove": adminOperation({ required: { id: name } }, async (services, { id }) => {
    const { archive, onChange } = services.meter;
    const removed = await archive.remove(id);
    if (removed === undefined)
      throw new AdminError(`There is no import ${id}; "hourgate import list" shows all imports.`);
    onChange(removed.siteId);
    return meterImportDocument(removed);
  }),
};

/** The named site, or the only one. */
function siteOf({ sites }: AdminServices, named: string | undefined): string {
  const ids = sites.list().map(({ id }) => id);
  const [only] = ids;
  if (named !== undefined) return named;
  if (only !== undefined && ids.length === 1) return only;
  throw new ArgumentError(
    `There are several sites (${ids.slice(0, 10).join(", ")}): name one with --site ID.`,
  );
}
