import fc from "fast-check";

// Properties are tried on the same values in every run; `FC_SEED=7 npx vitest run …` looks at others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20260115) });
