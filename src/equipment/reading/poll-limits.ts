import type { TemplateTransport } from "../template.js";
import type { RegisterLimits } from "./register-reader.js";
import { SUNSPEC_BASES } from "./sunspec.js";

/** Registers of one request of a device that states nothing. */
const USUAL_REGISTERS = 60;
const USUAL_GAP = 16;

/** How registers of a device are read in blocks. */
export function pollLimits(modbus: NonNullable<TemplateTransport["modbus"]>): RegisterLimits {
  return {
    maxRegisters: modbus.max_registers ?? USUAL_REGISTERS,
    gap: modbus.gap ?? USUAL_GAP,
    bases: modbus.bases ?? SUNSPEC_BASES,
  };
}
