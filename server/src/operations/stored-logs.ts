/** The place of a job's output: the backend that ran it and the job's id, such as `Local/5f0c…`. */
export type LogAddress = `${string}/${string}`;

/**
 * Raw output of jobs, wherever it is stored. Read it through `maskedLogs` before showing it to a user. Calls are refused
 * as unavailable if the backend is away, or if this server does not have it.
 */
export interface JobLogs {
  /** Reads from byte `from` on. A negative `from` counts from the end. */
  read(address: LogAddress, from: number, maxBytes: number): Promise<Buffer>;
  /** Returns the present length in bytes. */
  size(address: LogAddress): Promise<number>;
  /** Removes everything that is kept of these jobs outside the database, and the processes they left running. */
  remove(addresses: readonly LogAddress[]): Promise<void>;
}
