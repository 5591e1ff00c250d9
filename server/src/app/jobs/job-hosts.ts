import type { JobHosts, OtherHost } from "#app/jobs/job-logs";
import type { JobLogs, LogAddress } from "#operations/stored-logs";
import type { Peers } from "#peers/peers";
import type { Connection } from "#store/database/database";
import { hostsOfJobs } from "#store/jobs/hosts-of-jobs";

/** The questions about job logs between servers, by name. The details are the arguments of `JobLogs`. */
const LOG_READ = "log-read";
const LOG_SIZE = "log-size";
const LOGS_REMOVE = "logs-remove";

/** Most bytes of a log in one answer. */
const PIECE_BYTES = 2 ** 20;
/** Limit on the logs per request for removal. */
const REMOVED_AT_ONCE = 5000;
/** Limit on remembered jobs of the host. */
const KNOWN_MAX = 20_000;

/** Finds the hosts of jobs in the database, and asks their servers for the logs. */
export function jobHostsIn(db: Connection, hostId: string, peers: Peers): JobHosts {
  /** Jobs of the present host. A job never changes hosts. */
  const own = new Set<string>();

  async function othersOf(addresses: readonly LogAddress[]): Promise<ReadonlyMap<LogAddress, OtherHost>> {
    const byId = new Map(addresses.map((address) => [idOf(address), address]));
    const unknown = [...byId.keys()].filter((id) => !own.has(id));
    const others = new Map<LogAddress, OtherHost>();
    for (const job of await hostsOfJobs(db, unknown)) {
      const { id, hostName, isLost } = job;
      if (job.hostId === hostId) remember(id);
      else others.set(byId.get(id)!, { id: job.hostId, name: hostName, isLost });
    }
    return others;
  }

  function remember(id: string): void {
    if (own.size >= KNOWN_MAX) own.clear();
    own.add(id);
  }

  return {
    othersOf,
    logsOn: (host) => logsOn(peers, host),
  };
}

function idOf(address: LogAddress): string {
  return address.slice(address.indexOf("/") + 1);
}

function logsOn(peers: Peers, host: string): JobLogs {
  const size = async (address: LogAddress) => Number(await peers.ask(host, LOG_SIZE, address));
  return {
    size,
    async read(address, from, maxBytes) {
      let at = from < 0 ? Math.max(0, (await size(address)) + from) : from;
      const pieces: Buffer[] = [];
      for (let left = maxBytes; left > 0;) {
        const wanted = Math.min(left, PIECE_BYTES);
        const piece = Buffer.from(String(await peers.ask(host, LOG_READ, address, at, wanted)), "base64");
        pieces.push(piece);
        if (piece.length < wanted) break;
        at += piece.length;
        left -= piece.length;
      }
      return Buffer.concat(pieces);
    },
    async remove(addresses) {
      for (let at = 0; at < addresses.length; at += REMOVED_AT_ONCE)
        await peers.ask(host, LOGS_REMOVE, addresses.slice(at, at + REMOVED_AT_ONCE));
    },
  };
}

/** Returns the answers of this server to questions about the logs of its own jobs. */
export function logAnswers(here: JobLogs) {
  return {
    [LOG_READ]: async (address: LogAddress, from: number, maxBytes: number) =>
      (await here.read(address, from, Math.min(maxBytes, PIECE_BYTES))).toString("base64"),
    [LOG_SIZE]: (address: LogAddress) => here.size(address),
    [LOGS_REMOVE]: async (addresses: readonly LogAddress[]) => {
      await here.remove(addresses);
      return null;
    },
  };
}
