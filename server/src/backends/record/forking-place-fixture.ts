import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { ListedJob, Listing, Place, SentJob } from "#backends/record/place";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";

/** A place on this machine: it starts the supervisor of a job at once, as a process that outlives the server. */
export class ForkingPlace implements Place {
  readonly name = "Forks";
  readonly reusesIds = true;
  /** The name that the cluster gives itself. */
  cluster = "this-machine";
  /** Number of submissions that the place is about to accept and forget. */
  forgets = 0;
  /** Command in front of the scripts of jobs, for example `unshare`. */
  wrap: readonly string[] = [];
  /** Silent nodes, with their states. */
  silentNodes: ReadonlyMap<string, string> = new Map();
  /** True if the cluster starts each job a second time, as after a requeue. */
  startsTwice = false;
  /** True if the cluster says of running jobs that they have ended. */
  lies = false;
  #jobs: { readonly name: string; readonly child: ChildProcess | undefined }[] = [];

  async send({ name, orderFile, saidFile }: SentJob): Promise<string> {
    const outsideId = String(this.#jobs.length + 1);
    if (this.forgets > 0) {
      this.forgets -= 1;
      this.#jobs.push({ name, child: undefined });
      return outsideId;
    }
    const said = openSync(saidFile, "a");
    const env = { ...HOST_ENVIRONMENT, FORK_ID: outsideId };
    const [program, ...words] = [...this.wrap, "sh", orderFile];
    const child = spawn(program, words, { detached: true, stdio: ["ignore", said, said], env });
    child.unref();
    if (this.startsTwice)
      spawn(program, words, { detached: true, stdio: ["ignore", said, said], env }).unref();
    closeSync(said);
    this.#jobs.push({ name, child });
    return outsideId;
  }

  async list(): Promise<Listing> {
    const jobs = new Map<string, ListedJob[]>();
    for (const [index, { name, child }] of this.#jobs.entries()) {
      if (!child) continue;
      const isOver = this.lies || child.exitCode !== null || child.signalCode !== null;
      const listed = {
        outsideId: String(index + 1),
        phase: isOver ? "over" : "active",
        sentence: isOver ? "The process has ended." : "",
      } as const;
      jobs.set(name, [...(jobs.get(name) ?? []), listed]);
    }
    return { cluster: this.cluster, jobs, silentNodes: this.silentNodes };
  }

  async end(outsideIds: readonly string[]): Promise<void> {
    for (const id of outsideIds) this.#jobs[Number(id) - 1]?.child?.kill("SIGTERM");
  }

  /** Forgets all jobs, and counts from 1 again. The jobs continue. */
  loseState(): void {
    this.#jobs = [];
  }

  /** Kills the supervisor of a job, which then records no end. */
  killSupervisor(outsideId: string): void {
    this.#jobs[Number(outsideId) - 1]!.child!.kill("SIGKILL");
  }
}
