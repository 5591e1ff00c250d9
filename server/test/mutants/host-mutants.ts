import { breaking } from "./break-module.ts";
import type { Mutant } from "./mutant.ts";

/** Servers that do not respect what belongs to another host. */
export const HOST_MUTANTS: readonly Mutant[] = [
  {
    name: "takes another host's job for one of its own",
    breaks: breaking(
      () => import("#store/jobs/jobs"),
      ({ openJobs }) => ({
        openJobs: async (...args) => (await openJobs(...args)).map((job) => ({ ...job, hostId: null })),
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "leaves running what was given up while it was declared lost",
    breaks: breaking(
      () => import("#scheduler/returned-host"),
      () => ({ createReturnedHost: () => ({ look: async () => undefined }) }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "takes a run that another host drives",
    breaks: breaking(
      () => import("#store/hosts/leases"),
      ({ maybeTakeLease }) => ({
        async maybeTakeLease(db, runId, hostId) {
          await db.updateTable("runs").set({ held_by: null }).where("id", "=", runId).execute();
          return maybeTakeLease(db, runId, hostId);
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
];
