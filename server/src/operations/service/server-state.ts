import type { ServerServices } from "#operations/service/services";
import { databaseBytes } from "#store/database/database";
import type { NamedCapabilities } from "#workflow/capabilities";

export interface BackendState extends NamedCapabilities {
  /** A sentence while the place where its jobs run cannot be reached. */
  readonly away: string | undefined;
}

export interface ServerState {
  readonly databaseBytes: number;
  /** Undefined if the disk does not report its size. */
  readonly disk:
    | { readonly freeBytes: number; readonly totalBytes: number; readonly floorBytes: number }
    | undefined;
  readonly backends: readonly BackendState[];
}

/** Returns the administrator's view of this server: the sizes on disk, and the backends for jobs. */
export async function getServerState({
  db,
  disk,
  capabilities,
  scheduler,
}: Pick<ServerServices, "db" | "disk" | "capabilities" | "scheduler">): Promise<ServerState> {
  await disk.look();
  const { away } = scheduler.hostStatus();
  const backends = capabilities.backends.map((one) => ({ ...one, away: away.get(one.name) }));
  return { databaseBytes: await databaseBytes(db), disk: disk.space(), backends };
}
