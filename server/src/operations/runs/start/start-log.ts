import type { Operations } from "#operations/context";
import { logLine } from "#runner/engine/engine-log";
import { warningsOf } from "#workflow/specification/check-specification";
import type { Specification } from "#workflow/specification/specification";

/** Codes of warnings that are only warnings in REANA as well: its clients find and print these themselves. */
const ALSO_IN_REANA: ReadonlySet<string> = new Set([
  "additional_properties",
  "parameters",
  "report_truncated",
]);

/**
 * Returns the first lines of a run's engine log: what REANA refuses in the specification, and this server does not.
 * reana-client 0.9.6 prints no warnings from a server, so its users find them here.
 */
export function startLog(
  { capabilities }: Pick<Operations, "capabilities">,
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
