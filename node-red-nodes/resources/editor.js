// Helpers shared by the dialogs of all nodes.
(() => {
  /** Empty, or an environment variable that Node-RED replaces on deploy. */
  const isLeftOpen = (value) =>
    value === "" || value === undefined || value === null || /^\$\{.+\}$/.test(value);

  window.hourgateEditor = {
    /** For onadd: migrates a node saved by an older version, so that its dialog shows all fields. */
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
    /** A validator: empty, or a number from minimum to maximum with decimal point or comma. */
    number: (minimum, maximum) => (value) => {
      if (isLeftOpen(value)) return true;
      const number = Number(String(value).replace(",", "."));
      return Number.isFinite(number) && number >= minimum && number <= maximum;
    },
    /** A validator: a URL with one of the schemes, or empty if `mayBeEmpty`. */
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
