import { batterySchema } from "./schema/battery.js";
import type { BatterySettings } from "./settings.js";

/** A battery with the values that settings have where they state none. */
export const USUAL_BATTERY = Object.fromEntries(
  Object.entries(batterySchema.properties).map(([key, { default: usual }]) => [key, usual]),
) as BatterySettings;

/** A home battery that is common in Austria, with the values that the plan needs. */
export interface BatteryPreset {
  id: string;
  name: string;
  /** Usable energy, kWh. */
  capacityKwh: number;
  chargeKw: number;
  dischargeKw: number;
  /** Round trip, AC to AC, percent. */
  efficiencyPct: number;
  /** How the values were derived. */
  basis: string;
  /** What of them was compared, with which document; null: nothing was, they are typical values. */
  checked: string | null;
}

/**
 * `id | name | usable kWh | kW charging | kW discharging | efficiency in %`. Efficiencies are AC to AC: where a manufacturer
 * states only that of the cells, two conversions of the inverter (about 97 % each) are taken off. The inverter may limit the
 * power further. All are typical values, which the wizard asks the owner to compare with the data sheet.
 */
const FAMILIES: readonly { basis: string; checked: string | null; models: string }[] = [
  {
    basis:
      "2.56 kWh (HVS) or 2.76 kWh (HVM) per module; power is nominal voltage times 25 A (HVS) or 50 A (HVM)",
    checked: "names of the models: BYD, operating manual Battery-Box Premium HVS/HVM V1.0",
    models: `
byd_hvs_5 | BYD HVS 5.1 | 5.12 | 5.1 | 5.1 | 90
byd_hvs_7 | BYD HVS 7.7 | 7.68 | 7.6 | 7.6 | 90
byd_hvs_10 | BYD HVS 10.2 | 10.24 | 10.2 | 10.2 | 90
byd_hvs_12 | BYD HVS 12.8 | 12.8 | 12.8 | 12.8 | 90
byd_hvm_8 | BYD HVM 8.3 | 8.28 | 7.6 | 7.6 | 90
byd_hvm_11 | BYD HVM 11.0 | 11.04 | 10.2 | 10.2 | 90
byd_hvm_13 | BYD HVM 13.8 | 13.8 | 12.8 | 12.8 | 90
byd_hvm_16 | BYD HVM 16.6 | 16.56 | 15.3 | 15.3 | 90
byd_hvm_19 | BYD HVM 19.3 | 19.32 | 17.9 | 17.9 | 90
byd_hvm_22 | BYD HVM 22.1 | 22.08 | 20.4 | 20.4 | 90`,
  },
  {
    basis: "battery current of at most 22 A, times the nominal voltages of BYD",
    checked: null,
    models: `
gen24_hvs_5 | Fronius GEN24 + BYD HVS 5.1 | 5.12 | 4.5 | 4.5 | 90
gen24_hvs_7 | Fronius GEN24 + BYD HVS 7.7 | 7.68 | 6.7 | 6.7 | 90
gen24_hvs_10 | Fronius GEN24 + BYD HVS 10.2 | 10.24 | 9 | 9 | 90
gen24_hvm_11 | Fronius GEN24 + BYD HVM 11.0 | 11.04 | 4.5 | 4.5 | 90
gen24_hvm_13 | Fronius GEN24 + BYD HVM 13.8 | 13.8 | 5.6 | 5.6 | 90
gen24_hvm_16 | Fronius GEN24 + BYD HVM 16.6 | 16.56 | 6.7 | 6.7 | 90
gen24_hvm_22 | Fronius GEN24 + BYD HVM 22.1 | 22.08 | 9 | 9 | 90`,
  },
  {
    basis: "modules of 5 kWh (S0) and 6.9 kWh (S1)",
    checked: "names of the models: Huawei, user manuals LUNA2000-(5-30)-S0 and LUNA2000-(7, 14, 21)-S1",
    models: `
luna_5 | Huawei LUNA2000-5 | 5 | 2.5 | 2.5 | 91
luna_10 | Huawei LUNA2000-10 | 10 | 5 | 5 | 91
luna_15 | Huawei LUNA2000-15 | 15 | 5 | 5 | 91
luna_s1_7 | Huawei LUNA2000-7-S1 | 6.9 | 3.5 | 3.5 | 91
luna_s1_14 | Huawei LUNA2000-14-S1 | 13.8 | 7 | 7 | 91
luna_s1_21 | Huawei LUNA2000-21-S1 | 20.7 | 10.5 | 10.5 | 91`,
  },
  {
    basis: "usable 90 % of the capacity in the name",
    checked: "usable 90 %: description of the data sheet of sonnen UK on solarplants.org.uk",
    models: `
sonnen_5 | sonnenBatterie 10 / 5.5 | 5 | 3 | 3 | 86
sonnen_11 | sonnenBatterie 10 / 11 | 10 | 4.6 | 4.6 | 86
sonnen_16 | sonnenBatterie 10 / 16.5 | 15 | 4.6 | 4.6 | 86
sonnen_22 | sonnenBatterie 10 / 22 | 20 | 4.6 | 4.6 | 86`,
  },
  {
    basis: "stated values",
    checked: "capacity, power and efficiency: reviews of cleanenergyreviews.info and alchemy-solar.com",
    models: `
powerwall_2 | Tesla Powerwall 2 | 13.5 | 5 | 5 | 90`,
  },
  {
    basis: "stated values; the discharge power can be configured lower",
    checked: "all values: Tesla, Powerwall 3 Datasheet UK",
    models: `
powerwall_3 | Tesla Powerwall 3 | 13.5 | 5 | 11 | 89`,
  },
  {
    basis: "3.2 kWh per module; power is nominal voltage times 30 A, at most 10.6 kW (SH10RT)",
    checked:
      "names of the models: Sungrow, user manual SBR096-256; capacities of 9.6 to 25.6 kWh: solarquotes.com.au",
    models: `
sbr_096 | Sungrow SBR096 | 9.6 | 5.7 | 5.7 | 90
sbr_128 | Sungrow SBR128 | 12.8 | 7.6 | 7.6 | 90
sbr_160 | Sungrow SBR160 | 16 | 9.6 | 9.6 | 90
sbr_192 | Sungrow SBR192 | 19.2 | 10.6 | 10.6 | 90
sbr_224 | Sungrow SBR224 | 22.4 | 10.6 | 10.6 | 90
sbr_256 | Sungrow SBR256 | 25.6 | 10.6 | 10.6 | 90`,
  },
  {
    basis: "usable 90 % of the capacity in the name; 9 kW above 13 kWh",
    checked: "capacity and power of the S10 E PRO: owner's report on tob-e.de",
    models: `
e3dc_s10epro_13 | E3/DC S10 E PRO, 13 kWh | 11.7 | 6 | 6 | 88
e3dc_s10epro_19 | E3/DC S10 E PRO, 19.5 kWh | 17.5 | 9 | 9 | 88`,
  },
  {
    basis: "MultiPlus-II 48 V charging with 35 A or 70 A; 95 % of the 4.8 kWh of a US5000",
    checked: null,
    models: `
victron_3000_us5000_2 | Victron MultiPlus-II 3000 + 2 × Pylontech US5000 | 9.1 | 1.8 | 2.4 | 84
victron_5000_us5000_2 | Victron MultiPlus-II 5000 + 2 × Pylontech US5000 | 9.1 | 3.5 | 4 | 85
victron_5000_us5000_3 | Victron MultiPlus-II 5000 + 3 × Pylontech US5000 | 13.7 | 3.5 | 4 | 85
victron_5000_us5000_4 | Victron MultiPlus-II 5000 + 4 × Pylontech US5000 | 18.2 | 3.5 | 4 | 85
victron_3x5000_us5000_6 | 3 × Victron MultiPlus-II 5000 + 6 × Pylontech US5000 | 27.4 | 10.5 | 12 | 85`,
  },
];

/** The known models in alphabetical order. */
export const BATTERY_MODELS: readonly BatteryPreset[] = FAMILIES.flatMap(({ basis, checked, models }) =>
  models
    .trim()
    .split("\n")
    .map((line): BatteryPreset => {
      const [id = "", name = "", ...numbers] = line.split("|").map((part) => part.trim());
      const [capacityKwh = 0, chargeKw = 0, dischargeKw = 0, efficiencyPct = 0] = numbers.map(Number);
      return { id, name, capacityKwh, chargeKw, dischargeKw, efficiencyPct, basis, checked };
    }),
).sort((a, b) => a.name.localeCompare(b.name, "de", { numeric: true }));
