import path from "node:path";

/**
 * Every setting, in one table: the command's option, the environment variable, the default and one sentence.
 * `docs/reference/settings.md` must have a heading for each.
 */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly durability: "normal" | "full";
  readonly adminToken: string | undefined;
  readonly adminEmail: string;
  readonly allowInsecureHost: boolean;
  readonly logLevel: string;
  readonly maxJsonBytes: number;
  readonly maxRunsAtOnce: number;
  readonly gitHttpHosts: readonly string[];
  readonly gitPrivateHosts: readonly string[];
  readonly gitMaxBytes: number;
  readonly gitMaxFiles: number;
  readonly gitTimeoutMs: number;
}
