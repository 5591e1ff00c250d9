import type { Operations } from "#operations/context";
import { databaseBytes } from "#store/database/database";
import type { NamedCapabilities } from "#workflow/capabilities";

export interface ServerState {
  readonly databaseBytes: number;
  /** Undefined if the disk does not report its size. */
  readonly disk:
    | { readonly freeBytes: number; readonly totalBytes: number; readonly floorBytes: number }
    | undefined;
  readonly backends: readonly NamedCapabilities[];
}

/** Returns what the administrator sees of this server: the sizes on its disk, and where its jobs run. */
export async function getServerState({
  db,
  disk,
  capabilities,
}: Pick<Operations, "db" | "disk" | "capabilities">): Promise<ServerState> {
  disk.look();
  return { databaseBytes: await databaseBytes(db), disk: disk.space(), backends: capabilities.backends };
}
