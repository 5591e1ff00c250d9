import { readdirSync } from "node:fs";
import path from "node:path";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { marked } from "../crash/promises/processes.ts";
import { AFTER_REBOOT, cutPower } from "../support/power-cut.ts";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";
import type { Case } from "./cases/case.ts";

export interface JobLog {
  readonly job_name: string;
  readonly cmd: string;
  readonly status: string;
  readonly logs: string;
}

type StartServer = (environment?: Readonly<Record<string, string>>) => Promise<RealServer>;

/** A server that runs Snakemake workflows, and can be killed and started again. */
export class SnakemakeServer {
  readonly folder: string;
  readonly #start: StartServer;
  readonly #remove: () => Promise<void>;
  #server: RealServer;

  static async start(program: string, cores: number, ...options: string[]): Promise<SnakemakeServer> {
    const { folder, remove } = await temporaryFolder();
    const words = ["--snakemake", program, "--cores", String(cores), ...options];
    const start: StartServer = (environment = {}) =>
      startRealServer(folder, { ...marked(folder), ...environment }, ...words);
    return new SnakemakeServer(folder, await start(), { start, remove });
  }

  private constructor(
    folder: string,
    server: RealServer,
    { start, remove }: { start: StartServer; remove: () => Promise<void> },
  ) {
    this.folder = folder;
    this.#server = server;
    this.#start = start;
    this.#remove = remove;
  }

  get url(): string {
    return this.#server.url;
  }

  get client(): ReturnType<typeof client> {
    return client(this.url);
  }

  async killAndStart(): Promise<void> {
    await this.#server.kill();
    this.#server = await this.#start();
  }

  /** Ends every process of the server and its jobs at once, and starts the server as on another boot of the machine. */
  async rebootMachine(): Promise<void> {
    await cutPower(this.folder);
    this.#server = await this.#start(AFTER_REBOOT);
  }

  async end(): Promise<void> {
    await this.#server.stop();
    await this.#remove();
  }

  /** Creates a run with its files, and starts the run. */
  async begin(
    { files, snakefile = "Snakefile" }: Pick<Case, "files" | "snakefile">,
    options: object = {},
    declared: object = {},
  ): Promise<string> {
    const document = {
      inputs: { parameters: "config.yaml" in files ? { input: "config.yaml" } : {}, options },
      workflow: { type: "snakemake", file: snakefile },
      outputs: {},
      ...declared,
    };
    const { body } = await this.client.call(
      "POST",
      "workflows",
      JSON.stringify(document),
      "&workflow_name=snake",
    );
    const run = body["workflow_id"] as string;
    for (const [name, content] of Object.entries(files)) await this.client.upload(run, name, content);
    const { body: started } = await this.client.setStatus(run, "start");
    if (started["status"] !== "queued") throw new Error(`The run did not start: ${JSON.stringify(started)}`);
    return run;
  }

  /** Returns the workspace of the run created by `begin`. */
  async workspaceOf(
    begin: () => Promise<string>,
  ): Promise<{ readonly run: string; readonly workspace: string }> {
    const { workspaces } = dataFolderPaths(this.folder);
    const others = new Set(readdirSync(workspaces));
    const run = await begin();
    const [name] = readdirSync(workspaces).filter((one) => !others.has(one) && !one.startsWith("."));
    return { run, workspace: path.join(workspaces, name!) };
  }

  async logsOf(run: string): Promise<{ engine: string; jobs: JobLog[] }> {
    const { body } = await this.client.call("GET", `workflows/${run}/logs`);
    const logs = JSON.parse(body["logs"] as string) as {
      workflow_logs: string;
      job_logs: Record<string, JobLog>;
    };
    return { engine: logs.workflow_logs, jobs: Object.values(logs.job_logs) };
  }
}
