import { type JobHosts, jobLogsOf } from "#app/jobs/job-logs";
import { jobHostsIn, logAnswers } from "#app/jobs/job-hosts";
import type { OpenedData } from "#app/data-folder";
import { checkAnswers, refuseCopies } from "#app/peer-checks";
import { openPeerSeal } from "#app/secret-key";
import type { Backend } from "#backends/backend";
import { backendsOf } from "#backends/backends";
import type { Config } from "#config/settings";
import { systemRandom } from "#plumbing/ids";
import type { Log } from "#plumbing/log";
import { listenForPeers } from "#peers/peer-listener";
import { openPeers, type Peers } from "#peers/peers";

/** How the servers of a shared folder reach each other. */
export interface Peering {
  readonly peers: Peers;
  readonly jobHosts: JobHosts;
  /** The address of this server for the others. */
  readonly address: string;
  close(): Promise<void>;
}

/** Opens the way to the other servers, and for them to this one. Returns undefined if the server shares no folder. */
export async function maybePeering(
  config: Config,
  opened: OpenedData,
  backends: readonly Backend[],
  log: Log,
): Promise<Peering | undefined> {
  if (opened.sharedId === null) return undefined;
  const { db, data, hostId } = opened;
  const seal = await openPeerSeal(data);
  const peers = openPeers({ db, seal, random: systemRandom });
  await refuseCopies(opened, peers);
  const listener = await listenForPeers(
    {
      hostId,
      seal,
      answers: { ...logAnswers(jobLogsOf(backendsOf(backends))), ...checkAnswers(hostId, data) },
      connections: {},
      log,
    },
    peerAddress(config),
  );
  return {
    peers,
    jobHosts: jobHostsIn(db, hostId, peers),
    address: listener.address,
    async close() {
      peers.close();
      await listener.close();
    },
  };
}

function peerAddress({ peerAddress: given, host }: Config): { readonly host: string; readonly port: number } {
  if (given === undefined) return { host, port: 0 };
  const at = given.lastIndexOf(":");
  return { host: given.slice(0, at), port: Number(given.slice(at + 1)) };
}
