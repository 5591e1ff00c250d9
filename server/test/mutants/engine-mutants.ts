import { breaking } from "./break-module.ts";
import type { Mutant } from "./mutant.ts";

/** Mutants of the serial engine. */
export const ENGINE_MUTANTS: readonly Mutant[] = [
  {
    name: "takes over what an earlier run has failed to do",
    breaks: breaking(
      () => import("#engines/serial/compare"),
      ({ compare }) => ({
        compare(input, previous, stamped) {
          const jobs = previous.jobs.map((job) => ({ ...job, status: "finished" as const }));
          return compare(input, { ...previous, jobs }, stamped);
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "runs what may need a failed step",
    breaks: breaking(
      () => import("#engines/serial/on-failure"),
      () => ({ isIndependent: () => true }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "forgets what failed before",
    breaks: breaking(
      () => import("#engines/serial/on-failure"),
      ({ withFailure }) => ({ withFailure: (_, ...rest) => withFailure(undefined, ...rest) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "takes over what an earlier run has failed to do beside independent steps",
    breaks: breaking(
      () => import("#engines/serial/independent"),
      ({ independentlyReusable }) => ({
        independentlyReusable: (commands, _, evidence) =>
          independentlyReusable(commands, () => true, evidence),
      }),
    ),
    caughtBy: ["worlds"],
  },
];
