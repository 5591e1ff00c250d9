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
