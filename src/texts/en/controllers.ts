/** Names in the templates for Loxone Config; at most 39 characters are shown there. */
export const englishLoxone = {
  inputs: {
    OK: "Data valid",
    AGE: "Age of the plan",
    SOC: "State of charge",
    SOC_AGE: "Age of the state of charge",
  },
  slotOn: (device: string) => `${device} on`,
  slotStart: (device: string) => `${device} starts in`,
  slot: (number: number) => `Slot ${number}`,
  readings: {
    soc_pct: "Send state of charge",
    import_kwh: "Send import meter",
    export_kwh: "Send feed-in meter",
    pv_kwh: "Send PV meter",
    charge_kwh: "Send battery meter, charged",
    discharge_kwh: "Send battery meter, discharged",
    pv_power_kw: "Send PV power",
    grid_power_kw: "Send grid power",
    load_power_kw: "Send household consumption",
    battery_power_kw: "Send battery power",
    ev_power_kw: "Send wallbox power",
    ev_connected: "Send car plugged in",
  },
};
