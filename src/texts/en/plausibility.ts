/** A value that is probably not what was meant; numbers are already in the format of the language. */
export interface PlausibilityValues {
  value: string;
  meant: string;
  limit: string;
}

/** Questions about unlikely but valid settings. */
export const englishPlausibility = {
  what: "Please check",
  confirm: "Yes, that is right",
  sentences: {
    place_swapped: ({ value, meant }: PlausibilityValues) =>
      `Latitude ${value} and longitude ${meant} look swapped: Austria is at latitudes of 46 to 49 and longitudes of 9 to 17.`,
    place_abroad: ({ value, meant }: PlausibilityValues) =>
      `Latitude ${value}, longitude ${meant} is not in Austria. The prices are those of the Austrian market.`,
    fraction: ({ value, meant }: PlausibilityValues) => `${value} % is very low. Did you mean ${meant} %?`,
    euro_per_kwh: ({ value, meant }: PlausibilityValues) =>
      `${value} ct/kWh is very low. Did you mean ${value} €/kWh? That is ${meant} ct/kWh.`,
    euro_per_mwh: ({ value, meant }: PlausibilityValues) =>
      `${value} ct/kWh is very high. Did you mean ${value} €/MWh? That is ${meant} ct/kWh.`,
    vat_unusual: ({ value }: PlausibilityValues) =>
      `A value added tax of ${value} % is unusual. In Austria it is 20 % on electricity.`,
    watt: ({ value, meant }: PlausibilityValues) =>
      `${value} kW is very high. Did you mean ${value} W? That is ${meant} kW.`,
    watt_hours: ({ value, meant }: PlausibilityValues) =>
      `${value} kWh is very high. Did you mean ${value} Wh? That is ${meant} kWh.`,
    power_large: ({ value, limit }: PlausibilityValues) =>
      `${value} kW is more than usual here (up to ${limit} kW).`,
    power_small: ({ value, limit }: PlausibilityValues) =>
      `${value} kW is little for ${limit} kWh: filling the battery would take more than 20 hours.`,
    above_grid: ({ value, limit }: PlausibilityValues) =>
      `${value} kW is more than the grid connection allows (${limit} kW).`,
    capacity_large: ({ value, limit }: PlausibilityValues) =>
      `${value} kWh is more than usual (up to ${limit} kWh).`,
    efficiency_low: ({ value }: PlausibilityValues) =>
      `An efficiency of ${value} % is low. Home batteries reach 80 to 95 % for charging and discharging together.`,
    wear_high: ({ value }: PlausibilityValues) =>
      `With ${value} ct/kWh of wear the battery is hardly ever worth using. 0.5 to 5 ct/kWh is usual.`,
    peak_large: ({ value, limit }: PlausibilityValues) =>
      `${value} kWp is more than a home usually has (up to ${limit} kWp).`,
    tilt: ({ value }: PlausibilityValues) =>
      `A tilt of ${value}° is unlikely: 0 is horizontal, 30 a usual roof, 90 a wall.`,
    faces_north: ({ value, meant }: PlausibilityValues) =>
      `${value}° faces north. South is 180 here; programs in which south is 0 write ${value} for ${meant}.`,
    inverter_small: ({ value, limit }: PlausibilityValues) =>
      `${value} kW is little for ${limit} kWp: much of the yield would be lost.`,
    year_as_day: ({ value, meant }: PlausibilityValues) =>
      `${value} kWh a day is very high. Is this the consumption of a year? That is ${meant} kWh a day.`,
    day_small: ({ value }: PlausibilityValues) =>
      `${value} kWh a day is very low. A typical home needs 5 to 20.`,
    energy_unreachable: ({ value, limit }: PlausibilityValues) =>
      `${value} kWh does not fit in the window of the device: at full power it draws ${limit} kWh in it.`,
    litres: ({ value }: PlausibilityValues) =>
      `A tank of ${value} litres is unusual. 80 to 1000 litres is usual.`,
  },
};
