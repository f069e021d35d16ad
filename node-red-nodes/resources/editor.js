// What the dialogs of all nodes share.
(() => {
  /** Left empty, or filled in by Node-RED at deploy. */
  const isLeftOpen = (value) =>
    value === "" || value === undefined || value === null || /^\$\{.+\}$/.test(value);

  window.hourgateEditor = {
    /** For onadd: brings a node of an older version up to date, so that its dialog opens complete. */
    migrate: (node) => {
      const { version, migrate } = window.hourgateMigrations;
      if (node.configVersion === version) return;
      const defaults = Object.entries(node._def.defaults).map(([name, { value }]) => [name, value]);
      try {
        const migrated = migrate(node, Object.fromEntries(defaults));
        for (const [name] of [...defaults, ["configVersion"]]) node[name] = migrated[name];
      } catch (error) {
        RED.notify(error.message, "warning");
      }
    },
    /** A validator: empty, or a number from least to most, with point or comma. */
    number: (least, most) => (value) => {
      if (isLeftOpen(value)) return true;
      const number = Number(String(value).replace(",", "."));
      return Number.isFinite(number) && number >= least && number <= most;
    },
    /** A validator: an address with one of the schemes; empty where that is allowed. */
    address: (schemes, mayBeEmpty) => (value) => {
      if (isLeftOpen(value)) return Boolean(value) || mayBeEmpty;
      try {
        return schemes.includes(new URL(value).protocol.replace(":", ""));
      } catch {
        return false;
      }
    },
  };
})();
