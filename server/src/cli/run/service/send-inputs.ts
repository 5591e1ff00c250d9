import type { UploadOptions, UploadFile } from "#cli/run/service/run-service";

/** Number of parallel copies. A higher number is not faster on a local disk. */
const FILES_AT_ONCE = 4;

/** Copies the files into the workspace of a run of this process. For a server, the SDK uploads them. */
export async function sendInputs(
  files: readonly UploadFile[],
  { signal, onFile }: Pick<UploadOptions, "signal" | "onFile">,
  send: (file: UploadFile) => Promise<void>,
): Promise<void> {
  const left = files.values();
  const sendSome = async () => {
    for (const file of left) {
      signal.throwIfAborted();
      await send(file);
      onFile();
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: FILES_AT_ONCE }, sendSome));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
