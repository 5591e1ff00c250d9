import { BackendAwayError } from "#backends/backend";
import { AbsentBackendError } from "#backends/backends";

/** Returns a sentence for users if a run cannot continue because a backend is away, or is not one of this server's. */
export function maybeBackendFault(error: unknown): string | undefined {
  return error instanceof BackendAwayError || error instanceof AbsentBackendError ? error.message : undefined;
}
