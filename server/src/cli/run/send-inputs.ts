import { createReadStream } from "node:fs";
import type { InputFile } from "#cli/run/collect-inputs";
import type { RunService } from "#cli/run/run-service";

/** More at once are no faster, on a disk or over a network of this machine. */
const UPLOADS_AT_ONCE = 4;

/** Copies the inputs into the run's workspace. With the signal it ends after the files under way. */
export async function sendInputs(
  service: Pick<RunService, "upload">,
  runId: string,
  inputs: readonly InputFile[],
  signal: AbortSignal,
): Promise<void> {
  const left = inputs.values();
  const sendSome = async () => {
    for (const { name, file } of left) {
      signal.throwIfAborted();
      await service.upload(runId, name, { file, open: () => createReadStream(file) });
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: UPLOADS_AT_ONCE }, sendSome));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
