// How saved flows of older versions of this palette become those of this one. The editor and the runtime read this file:
// there is one list of steps. A step takes a node's settings and returns new ones; it must not change what it gets.
((make) => {
  if (typeof module === "object" && module.exports) module.exports = make();
  else window.hourgateMigrations = make();
})(() => {
  /** Step n leads from version n to version n + 1. */
  const steps = [
    // 0: written by hand or by a program, without a version. The reference to the gateway goes by several names there.
    ({ config, server, ...settings }) => {
      const gateway = settings.gateway ?? config ?? server;
      return gateway === undefined ? settings : { ...settings, gateway };
    },
  ];

  return {
    version: steps.length,
    /** The settings as this version has them, with defaults for what is missing. Throws for a newer version. */
    migrate: (settings, defaults) => {
      const version = settings.configVersion ?? 0;
      if (version > steps.length)
        throw new Error(
          "This node was saved by a newer version of node-red-contrib-hourgate: update the palette.",
        );
      const current = steps.slice(version).reduce((before, step) => step(before), settings);
      const known = Object.entries(current).filter(([, value]) => value !== undefined);
      return { ...defaults, ...Object.fromEntries(known), configVersion: steps.length };
    },
  };
});
