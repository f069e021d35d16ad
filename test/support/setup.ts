import fc from "fast-check";
import { setPasswordCost } from "../../src/accounts/passwords.js";

// Property tests use the same values in every run; `FC_SEED=7 npx vitest run …` uses others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20260115) });

// A thirtieth of the usual time, for each of the hundreds of passwords.
setPasswordCost({ N: 2 ** 10, r: 8, p: 3 });
