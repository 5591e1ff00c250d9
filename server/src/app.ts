import type { Config } from "#config";

export interface App {
  /** `http://127.0.0.1:7070` */
  readonly url: string;
  readonly adminToken: string;
  /** Answers how many jobs go on. */
  close(options?: { stopJobs?: boolean }): Promise<{ jobsGoOn: number }>;
}

/** The server: opens the data folder, makes the administrator, serves, and takes up what an earlier server left. */
export declare function startApp(config: Config): Promise<App>;
