import { BackendAwayError } from "#backends/backend";
import { AbsentBackendError, type Backends } from "#backends/backends";
import type { JobLogs, LogAddress } from "#operations/stored-logs";
import { Refusal } from "#plumbing/errors";

/** Reads and removes the logs of jobs where each job ran. */
export function jobLogsOf(backends: Backends): JobLogs {
  return {
    read: (address, from, maxBytes) =>
      orRefusal(async () => {
        const { backend, id } = placeOf(backends, address);
        return backend.readLog(id, from, maxBytes);
      }),
    size: (address) =>
      orRefusal(async () => {
        const { backend, id } = placeOf(backends, address);
        return backend.logSize(id);
      }),
    remove: (addresses) =>
      orRefusal(async () => {
        const places = addresses.map((address) => placeOf(backends, address));
        for (const [backend, ofBackend] of Map.groupBy(places, (place) => place.backend)) {
          await backend.remove(ofBackend.map(({ id }) => id));
        }
      }),
  };
}

function placeOf(backends: Backends, address: LogAddress) {
  const at = address.indexOf("/");
  return { backend: backends.named(address.slice(0, at)), id: address.slice(at + 1) };
}

/** Refuses a request that fails because its backend is away or absent, with the sentence of the error. */
async function orRefusal<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BackendAwayError || error instanceof AbsentBackendError)) throw error;
    throw new Refusal("unavailable", error.message, { cause: error });
  }
}
