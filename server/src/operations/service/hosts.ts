import type { ServerServices } from "#operations/service/services";
import { toWireTime } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { declareHostLost as declareLost, type KnownHost, LEASE_MS, listHosts } from "#store/hosts/hosts";

export type { KnownHost };

/** Returns all hosts that ever used the database. A host is a data folder on a machine. */
export function getHosts({ db }: Pick<ServerServices, "db">): Promise<KnownHost[]> {
  return listHosts(db);
}

/**
 * Declares a host lost. From then on its jobs count as lost, and its runs continue on other hosts. Repeating
 * the declaration changes nothing. A present host cannot be declared lost, because jobs are running on the
 * host.
 */
export async function declareHostLost({ db }: Pick<ServerServices, "db">, id: string): Promise<KnownHost> {
  const isLost = await declareLost(db, id);
  if (isLost) crashPoint("host-declared-lost");
  const host = (await listHosts(db)).find((one) => one.id === id);
  if (!host)
    throw new Refusal(
      "absent",
      `No host has the id ${id.slice(0, 100)}. GET /api/admin/hosts lists the hosts.`,
    );
  if (isLost) return host;
  const seen = toWireTime(host.seenAtMs).replace("T", " ");
  throw new Refusal(
    "conflict",
    `The host ${host.name} (${id}) is present: it was last seen at ${seen} UTC, and its jobs may be running. ` +
      `Only a host that has signed off or been silent for ${LEASE_MS / 1000} s can be declared lost. Stop its server first.`,
  );
}
