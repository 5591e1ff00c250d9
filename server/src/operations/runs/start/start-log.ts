import type { RunServices } from "#operations/runs/services";
import { logLine } from "#runner/engine/engine-log";
import { warningsOf } from "#workflow/specification/check-specification";
import type { Specification } from "#workflow/specification/specification";

/**
 * Codes of warnings that are only warnings in REANA as well. REANA's clients find and print the same
 * warnings.
 */
const ALSO_IN_REANA: ReadonlySet<string> = new Set([
  "additional_properties",
  "parameters",
  "report_truncated",
]);

/**
 * Returns the first lines of a run's engine log: faults refused by REANA and accepted by this server.
 * reana-client 0.9.6 prints no warnings from a server, so the log shows them to its users.
 */
export function startLog(
  { capabilities }: Pick<RunServices, "capabilities">,
  specification: Specification,
  atMs: number,
): string {
  return warningsOf(specification, capabilities)
    .filter(({ code }) => !ALSO_IN_REANA.has(code))
    .map(({ path, message }) => {
      const line = `The specification, at ${path === "" ? "its top" : path}: ${message}`;
      return logLine({ logger: "root", level: "WARNING", line }, atMs);
    })
    .join("");
}
