/** The pages below /connect. */
export const englishConnect = {
  links: {
    title: "Controller links",
    intro:
      "For controllers that cannot send an API key, such as Loxone or evcc. Anyone who knows the link can use it.",
    none: "No link yet.",
    label: "Name",
    scope: "May",
    scopes: {
      read: "read only",
      telemetry: "read and send readings",
      optimizer: "only the optimizer for evcc",
    },
    create: "Make a link",
    revoke: "Revoke",
    revoked: "revoked",
    shownOnce: "Your new link. It is shown only now:",
    made: "Made",
    start: "Begins with",
  },
  downloads: {
    title: "Loxone templates",
    intro:
      "Templates for Loxone Config with the addresses of this plant. Each HTTP template makes a new link.",
    kinds: {
      "http-input": "Virtual HTTP inputs: Loxone reads (XML)",
      "http-output": "Virtual outputs: Loxone sends readings (XML)",
      mqtt: "MQTT topics to type in (XML)",
    },
  },
};
