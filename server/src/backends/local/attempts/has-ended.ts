import { existsSync } from "node:fs";
import { attemptFolder } from "#backends/process/attempt/attempt-folder";
import { DamagedAttempt } from "#backends/process/attempt/damaged-attempt";
import { endIn } from "#backends/process/attempt/record";

/** Returns a function that says whether a job has ended, or was removed. A damaged record is judged elsewhere. */
export function hasEndedIn(folder: string): (jobId: string) => boolean {
  return (jobId) => {
    const attempt = attemptFolder(folder, jobId);
    if (!existsSync(attempt)) return true;
    try {
      return endIn(attempt) !== undefined;
    } catch (error) {
      if (error instanceof DamagedAttempt) return false;
      throw error;
    }
  };
}
