import { Refusal } from "#plumbing/errors";

/** Address of a job's output: the backend and the job's id, such as `Local/5f0c…`. */
export type LogAddress = `${string}/${string}`;

/**
 * Raw output of jobs, wherever stored. Must be read through `maskedLogs` before being shown to a user. Calls
 * are refused as unavailable if the backend is away or unknown to this server.
 */
export interface JobLogs {
  /** Reads from byte `from` on. A negative `from` counts from the end. */
  read(address: LogAddress, from: number, maxBytes: number): Promise<Buffer>;
  /** Returns the present length in bytes. */
  size(address: LogAddress): Promise<number>;
  /** Removes all data of the jobs outside the database, and ends leftover processes. */
  remove(addresses: readonly LogAddress[]): Promise<void>;
}

/** Thrown for the log of a job whose host has been lost, with the log. */
export class LogGoneError extends Refusal {
  constructor(sentence: string) {
    super("absent", sentence);
    this.name = "LogGoneError";
  }
}

/** True if a log cannot be read: now, because the place of the log is away, or for ever. */
export function isUnreadable(error: unknown): error is Refusal {
  return error instanceof LogGoneError || (error instanceof Refusal && error.kind === "unavailable");
}
