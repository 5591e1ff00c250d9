import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { compose, type Server } from "#app/compose";
import type { ServerParts } from "#app/server-parts";
import { backendsOf } from "#backends/backends";
import { Dice } from "../simulation/dice.ts";
import { openFiles } from "./server-parts.ts";

/** Number of servers behind the balancer of each fixture. The tests themselves do not differ. */
const SERVERS = Number(process.env["REPRISE_TEST_SERVERS"] ?? 1);
/** Seed of the balancer's choices. */
const SEED = Number(process.env["REPRISE_TEST_BALANCER"] ?? 1);

/** Returns a function that picks a server at random. A repetition picks the same servers. */
export function balancerOf<Member>(members: readonly Member[]): () => Member {
  const dice = new Dice(SEED, "balancer");
  return () => dice.pick(members);
}

/** Composes servers over a database and a folder. All servers share the given parts. */
export function composeServers(folder: string, parts: ServerParts, given: Partial<ServerParts>): Server[] {
  if (SERVERS === 1) return [compose({ ...parts, ...given })];
  const servers: Server[] = [];
  const byHost = new Map<string, Server>();
  const notebooksOn = (host: string) => byHost.get(host)!.operations.notebooks;
  for (let index = 1; index <= SERVERS; index += 1) {
    const id = index === 1 ? parts.host.id : `${parts.host.id}-${index}`;
    const host = { id, name: id };
    const others: ServerParts["others"] = {
      // Fake backends keep the logs of all hosts.
      logs: {
        othersOf: async () => new Map(),
        logsOn: () => Promise.reject(new Error("Not asked.")) as never,
      },
      notebooks: {
        connect: async (on, runId) => notebooksOn(on).connect(await notebooksOn(on).ofPeer(runId)),
        close: async (on, runId, closedFor) =>
          notebooksOn(on).close(await notebooksOn(on).ofPeer(runId), closedFor ?? undefined),
        cpuMs: (on, ownerId) => notebooksOn(on).cpuMsHere(ownerId),
      },
      dashboards: {
        connect: (on, runId, socketName) =>
          byHost.get(on)!.operations.dashboards.connectPeer(runId, socketName),
      },
      cpuMs: async (_host, backend, ids) =>
        (await backendsOf(given.backends ?? parts.backends)
          .named(backend)
          .cpuMsSoFar?.(ids)) ?? 0,
    };
    const server = compose({ ...parts, ...openFiles(folder, host.id), host, others, ...given });
    byHost.set(host.id, server);
    servers.push(server);
  }
  return servers;
}

/** Passes each connection on to the picked server. */
export async function listenAsBalancer(
  pick: () => string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const open = new Set<net.Socket>();
  const balancer = net.createServer((client) => {
    const { hostname, port } = new URL(pick());
    const server = net.connect(Number(port), hostname);
    open.add(client);
    client.once("close", () => open.delete(client));
    // A break on the client's side ends the server's side, and the reverse.
    void Promise.allSettled([pipeline(client, server), pipeline(server, client)]);
  });
  balancer.listen(0, "127.0.0.1");
  await once(balancer, "listening");
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    async close() {
      for (const client of open) client.destroy();
      balancer.close();
      await once(balancer, "close");
    },
  };
}
