import { StillRunning } from "#cli/failure";
import { codeOf, messageOf } from "#plumbing/errors";

/** Waits for a run. If the server or the database is away for too long, the error names the run. */
export async function whileWaiting<Result>(
  nameNow: () => string,
  wait: () => Promise<Result>,
): Promise<Result> {
  try {
    return await wait();
  } catch (error) {
    throw isAway(error) ? stillRunning(nameNow(), error) : error;
  }
}

function stillRunning(name: string, cause: unknown): StillRunning {
  const reason = messageOf(cause).replace(/\.*$/, ".");
  return new StillRunning(
    `${reason} ${name} may still be running; check with "reprise status ${name}". ` +
      'If its server has ended, the next "reprise serve" resumes it.',
    { cause },
  );
}

/** Recognises the SDK's errors by name, so that a command without a server need not load the SDK. */
function isAway(error: unknown): boolean {
  if (["DATABASE_AWAY", "DATABASE_LOST"].includes(codeOf(error) ?? "")) return true;
  if (!(error instanceof Error)) return false;
  return error.name === "NoAnswerError" || (error.name === "ApiError" && isUnavailable(error));
}

function isUnavailable(error: Error & { readonly status?: number }): boolean {
  return [502, 503, 504].includes(error.status ?? 0);
}
