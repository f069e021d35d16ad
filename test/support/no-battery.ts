/** The battery of a home without one. */
export const NO_BATTERY = {
  capacityKwh: 0,
  minSocKwh: 0,
  maxSocKwh: 0,
  maxChargePowerKw: 0,
  maxDischargePowerKw: 0,
  chargeEfficiency: 1,
  dischargeEfficiency: 1,
};
