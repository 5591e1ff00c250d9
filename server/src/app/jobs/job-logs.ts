import { BackendAwayError } from "#backends/backend";
import { AbsentBackendError, type Backends } from "#backends/backends";
import type { LostJobs } from "#operations/service/services";
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

/** The hosts of jobs that only their hosts see, and the servers of these hosts. */
export interface JobHosts {
  /**
   * Returns the other hosts that alone have the logs of these jobs, by address. Leaves out jobs whose logs are here.
   */
  othersOf(addresses: readonly LogAddress[]): Promise<ReadonlyMap<LogAddress, string>>;
  /** Returns whether the database still knows the host. */
  knows(hostId: string): Promise<boolean>;
  /** Returns the logs of the jobs on a host, by asking its server. */
  logsOn(hostId: string): JobLogs;
}

/** Reads and removes logs on whichever host they are. */
export function jobLogsOfAllHosts(here: JobLogs, hosts: JobHosts): JobLogs {
  const logsOf = async (address: LogAddress) => {
    const other = (await hosts.othersOf([address])).get(address);
    return other === undefined ? here : hosts.logsOn(other);
  };
  return {
    read: async (address, from, maxBytes) => (await logsOf(address)).read(address, from, maxBytes),
    size: async (address) => (await logsOf(address)).size(address),
    async remove(addresses) {
      const others = await hosts.othersOf(addresses);
      const byHost = Map.groupBy(addresses, (address) => others.get(address));
      await here.remove(byHost.get(undefined) ?? []);
      // The logs of a host that has left are gone.
      for (const [host, ofHost] of byHost)
        if (host !== undefined && (await hosts.knows(host))) await hosts.logsOn(host).remove(ofHost);
    },
  };
}

/** Declares jobs lost where each job ran. */
export function lostJobsOf(backends: Backends): LostJobs {
  return {
    declare: ({ id, backend }) =>
      orRefusal(async () => (await backends.named(backend).declareLost?.(id)) ?? false),
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
