import type { Language } from "#workflow/language";

/**
 * Abilities of this server, filled by `app/compose.ts` from its engines and backends, so that operations need not know them.
 */
export interface Capabilities {
  readonly languages: readonly Language[];
  /** The values that a step's `compute_backend` may have here, in REANA's spelling. */
  readonly computeBackends: readonly string[];
  /** Folders in which a specification may request its workspace. The workspace is always one of ours. */
  readonly workspaceRoots?: readonly string[];
}
