import { BackendAwayError } from "#backends/backend";
import { AbsentBackendError, type Backends } from "#backends/backends";
import type { LostJobs } from "#operations/service/services";
import { type JobLogs, type LogAddress, LogGoneError } from "#operations/stored-logs";
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

/** Returns whether this server has files of a job: a restored backup has the files of jobs of lost hosts. */
export function filesOfJobs(backends: Backends): (address: LogAddress) => Promise<boolean> {
  return async (address) => {
    const { backend, id } = placeOf(backends, address);
    return (await backend.export(id, { endCounts: true })).length > 0;
  };
}

export interface OtherHost {
  readonly id: string;
  /** Null if the host has left the database. */
  readonly name: string | null;
  /** True if the host was declared lost, or has left. */
  readonly isLost: boolean;
}

/** The hosts of host-bound jobs, and the servers on the hosts. */
export interface JobHosts {
  /**
   * Returns the hosts of jobs by address. Leaves out jobs of this host, and jobs on clusters.
   */
  othersOf(addresses: readonly LogAddress[]): Promise<ReadonlyMap<LogAddress, OtherHost>>;
  /** Returns the logs of the jobs on a host, by asking its server. */
  logsOn(hostId: string): JobLogs;
}

/** Reads and removes logs on whichever host they are. */
export function jobLogsOfAllHosts(
  here: JobLogs,
  hosts: JobHosts,
  hasFiles: ReturnType<typeof filesOfJobs>,
): JobLogs {
  const logsOf = async (address: LogAddress): Promise<Pick<JobLogs, "read" | "size">> => {
    const other = (await hosts.othersOf([address])).get(address);
    if (other === undefined) return here;
    return other.isLost ? logsAfterLoss(here, other, hasFiles) : hosts.logsOn(other.id);
  };
  return {
    read: async (address, from, maxBytes) => (await logsOf(address)).read(address, from, maxBytes),
    size: async (address) => (await logsOf(address)).size(address),
    async remove(addresses) {
      const others = await hosts.othersOf(addresses);
      const byHost = Map.groupBy(addresses, (address) => maybeIdToAsk(others.get(address)));
      await here.remove(byHost.get(undefined) ?? []);
      for (const [host, ofHost] of byHost) if (host !== undefined) await hosts.logsOn(host).remove(ofHost);
    },
  };
}

function maybeIdToAsk(other: OtherHost | undefined): string | undefined {
  return other?.isLost ? undefined : other?.id;
}

/** Reads logs of a lost host, which are here if a backup was restored. */
function logsAfterLoss(
  here: JobLogs,
  host: OtherHost,
  hasFiles: ReturnType<typeof filesOfJobs>,
): Pick<JobLogs, "read" | "size"> {
  async function size(address: LogAddress): Promise<number> {
    const bytes = await here.size(address);
    if (bytes > 0 || (await hasFiles(address))) return bytes;
    throw new LogGoneError(`The log of this job is gone: it was on the host ${whichIsLost(host)}.`);
  }
  return {
    size,
    async read(address, from, maxBytes) {
      await size(address);
      return here.read(address, from, maxBytes);
    },
  };
}

function whichIsLost({ id, name }: OtherHost): string {
  return name === null ? `${id}, which has left for good` : `${name} (${id}), which has been declared lost`;
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
