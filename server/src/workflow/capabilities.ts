import type { Language } from "#workflow/language";

/** What this server can do, filled by `house.ts` from its engines and backends, so that operations need not know them. */
export interface Capabilities {
  readonly languages: readonly Language[];
  /** REANA's spelling of the names that a step's `compute_backend` may hold here. */
  readonly computeBackends: readonly string[];
  /** Below which a specification may ask for its workspace. It gets one of ours in any case. */
  readonly workspaceRoots?: readonly string[];
}
