import type { Socket } from "node:net";
import { type JobHosts, jobLogsOf } from "#app/jobs/job-logs";
import { jobHostsIn, logAnswers } from "#app/jobs/job-hosts";
import { maybeClockWarning } from "#app/clock-check";
import type { OpenedData } from "#app/data-folder";
import { checkAnswers, refuseCopies } from "#app/peer-checks";
import { openPeerSeal } from "#app/secret-key";
import type { Backend } from "#backends/backend";
import { backendsOf } from "#backends/backends";
import type { Config } from "#config/settings";
import type { DaskDashboards, OtherDashboards } from "#notebooks/dask-dashboards";
import type { Notebooks, OtherNotebooks } from "#notebooks/notebooks";
import { systemClock } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";
import type { Log } from "#plumbing/log";
import type { Peers } from "#peers/peers";

/** Facts from the other servers of the shared folder. */
export interface OtherHosts {
  readonly logs: JobHosts;
  readonly notebooks: OtherNotebooks;
  readonly dashboards: OtherDashboards;
  /** Returns the processor time so far of host-bound jobs, or 0 if the server of the host does not answer. */
  cpuMs(hostId: string, backend: string, ids: readonly string[]): Promise<number>;
}

/** How the servers of a shared folder reach each other. */
export interface Peering {
  readonly others: OtherHosts;
  /** Address of the server for its peers. */
  readonly address: string;
  /** Sentences for the person at the terminal. */
  readonly warnings: readonly string[];
  /** Begins to answer questions about the jobs, notebooks and dashboards of this host. */
  answer(operations: { readonly notebooks: Notebooks; readonly dashboards: DaskDashboards }): void;
  close(): Promise<void>;
}

/** The questions between servers, besides the questions about logs and about the folder. */
const CPU = "cpu-so-far";
const NOTEBOOK = "notebook";
const NOTEBOOK_CLOSE = "notebook-close";
const NOTEBOOK_CPU = "notebook-cpu-so-far";
const DASHBOARD = "dask-dashboard";

/** Opens the way to the other servers, and for them to this one. Returns undefined if the server shares no folder. */
export async function maybePeering(
  config: Config,
  opened: OpenedData,
  backends: readonly Backend[],
  log: Log,
): Promise<Peering | undefined> {
  if (opened.sharedId === null) return undefined;
  const { db, data, hostId } = opened;
  // Imported lazily: `reprise run` needs no client and no server for the web.
  const [{ openPeers }, { listenForPeers }] = await Promise.all([
    import("#peers/peers"),
    import("#peers/peer-listener"),
  ]);
  const seal = await openPeerSeal(data);
  const peers = openPeers({ db, seal, random: systemRandom });
  await refuseCopies(opened, peers);
  const clockWarning = await maybeClockWarning(db, systemClock);
  const here = backendsOf(backends);
  const answers = { ...logAnswers(jobLogsOf(here)), ...checkAnswers(hostId, data) };
  const listener = await listenForPeers({ hostId, seal, answers, log }, peerAddress(config));
  return {
    others: othersOf(opened, peers),
    address: listener.address,
    warnings: clockWarning === undefined ? [] : [clockWarning],
    answer({ notebooks, dashboards }) {
      listener.answer({
        answers: {
          [CPU]: async (name: string, ids: readonly string[]) =>
            (await here.named(name).cpuMsSoFar?.(ids)) ?? 0,
          [NOTEBOOK_CPU]: (ownerId: string) => notebooks.cpuMsHere(ownerId),
          [NOTEBOOK_CLOSE]: async (runId: string, closedFor: string | null) => {
            await notebooks.close(await notebooks.ofPeer(runId), closedFor ?? undefined);
            return null;
          },
        },
        connections: {
          [NOTEBOOK]: async (runId: string) => notebooks.connect(await notebooks.ofPeer(runId)),
          [DASHBOARD]: (runId: string, socketName: string) => dashboards.connectPeer(runId, socketName),
        },
      });
    },
    async close() {
      peers.close();
      await listener.close();
    },
  };
}

function othersOf({ db, hostId }: OpenedData, peers: Peers): OtherHosts {
  /** Returns 0 if the server of the host does not answer. */
  async function cpuMsOf(host: string, about: string, ...details: readonly unknown[]): Promise<number> {
    try {
      return Number(await peers.ask(host, about, ...details));
    } catch (error) {
      if (error instanceof Refusal && error.kind === "unavailable") return 0;
      throw error;
    }
  }
  return {
    logs: jobHostsIn(db, hostId, peers),
    notebooks: {
      connect: (host, runId): Promise<Socket> => peers.connect(host, NOTEBOOK, runId),
      close: async (host, runId, closedFor) => void (await peers.ask(host, NOTEBOOK_CLOSE, runId, closedFor)),
      cpuMs: (host, ownerId) => cpuMsOf(host, NOTEBOOK_CPU, ownerId),
    },
    dashboards: {
      connect: (host, runId, socketName): Promise<Socket> =>
        peers.connect(host, DASHBOARD, runId, socketName),
    },
    cpuMs: (host, backend, ids) => cpuMsOf(host, CPU, backend, ids),
  };
}

function peerAddress({ peerAddress: given, host }: Config): { readonly host: string; readonly port: number } {
  if (given === undefined) return { host, port: 0 };
  const at = given.lastIndexOf(":");
  return { host: given.slice(0, at), port: Number(given.slice(at + 1)) };
}
