// Migrates nodes saved by older versions of this palette. The editor and the runtime both load this file. A step takes a
// node's settings and returns new ones; it must not modify its argument.
((make) => {
  if (typeof module === "object" && module.exports) module.exports = make();
  else window.hourgateMigrations = make();
})(() => {
  /** Step n migrates from version n to version n + 1. */
  const steps = [
    // 0: written by hand or generated, without a version; the reference to the gateway may be `config` or `server`.
    ({ config, server, ...settings }) => {
      const gateway = settings.gateway ?? config ?? server;
      return gateway === undefined ? settings : { ...settings, gateway };
    },
  ];

  return {
    version: steps.length,
    /** The settings migrated to the current version, with defaults for missing ones. Throws for a newer version. */
    migrate: (settings, defaults) => {
      const version = settings.configVersion ?? 0;
      if (version > steps.length)
        throw new Error("This node was saved by a newer version of @hourgate/node-red: update the palette.");
      const current = steps.slice(version).reduce((before, step) => step(before), settings);
      const known = Object.entries(current).filter(([, value]) => value !== undefined);
      return { ...defaults, ...Object.fromEntries(known), configVersion: steps.length };
    },
  };
});
