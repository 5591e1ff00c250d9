import type { JobEnd } from "#workflow/job/job";
import { fakeBackend } from "./fake-backend.ts";

/** Creates a fake backend that notebooks can run on. The test says how much processor time each job has used so far. */
export function connectableBackend() {
  const fake = fakeBackend();
  const cpuMsOfJobs = new Map<string, number>();
  return Object.assign(fake, {
    cpuMsOfJobs,
    connect: () => Promise.reject(new Error("It is starting.")),
    cpuMsSoFar: async (ids: readonly string[]) =>
      ids.reduce((sum, id) => sum + (cpuMsOfJobs.get(id) ?? 0), 0),
    cancel: async ({ id }: { readonly id: string }) => {
      fake.end(id, { reason: "cancelled", usage: { cpuMs: cpuMsOfJobs.get(id) ?? 0 } });
      return (fake.stateOf(id) as { readonly end: JobEnd }).end;
    },
  });
}
