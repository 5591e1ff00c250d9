import type { FlowContext } from "#engines/cwl/flow/run-task";
import { demandsOf, type ProcessPlace } from "#engines/cwl/flow/places";
import type { Tool } from "#engines/cwl/model/model";
import { mayRetry, nextAttempt, type Retry, retriesOf } from "#engines/steps/retries";
import type { JobEnd } from "#workflow/job/job";

/**
 * Returns the next attempt of a failed job, if the hint `reana` or the server's default allows another one. A temporary
 * failure code of the tool is retried for any reason; a permanent failure code never is.
 */
export function maybeRetry(
  { model, retries: byDefault }: Pick<FlowContext, "model" | "retries">,
  place: ProcessPlace,
  end: JobEnd,
  before: number,
  sentence: string,
): Retry | undefined {
  const { temporaryFailCodes, permanentFailCodes } = place.process as Tool;
  const hint: Readonly<Record<string, unknown>> = demandsOf(model, place)["reana"] ?? {};
  const retries = retriesOf(hint, byDefault);
  const isAmong = (codes: readonly number[]) =>
    end.reason === "exited" && end.exitCode !== null && codes.includes(end.exitCode);
  if (isAmong(permanentFailCodes)) return undefined;
  const isTemporary = isAmong(temporaryFailCodes) && before <= retries.most;
  if (!isTemporary && !mayRetry(retries, end, before)) return undefined;
  return nextAttempt(retries, end, before, sentence);
}
