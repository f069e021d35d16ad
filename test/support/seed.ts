import fc from "fast-check";

// Property tests use the same values in every run; `FC_SEED=7 npx vitest run …` uses others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20260115) });
