import type { Sending, SentFile } from "#cli/run/run-service";

/** More at once are no faster on a disk of this machine. */
const FILES_AT_ONCE = 4;

/** For a run of this process itself: copies the files into its workspace. Over a network the SDK does it. */
export async function sendInputs(
  files: readonly SentFile[],
  { signal, onFile }: Pick<Sending, "signal" | "onFile">,
  send: (file: SentFile) => Promise<void>,
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
