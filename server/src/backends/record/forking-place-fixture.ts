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
  /** The state of each silent node. */
  silentNodes: ReadonlyMap<string, string> = new Map();
  /** True if the cluster starts each job a second time, as after a requeue. */
  startsTwice = false;
  /** True if the cluster says of running jobs that they have ended. */
  lies = false;
  #jobs: { readonly name: string; readonly children: readonly ChildProcess[] }[] = [];

  async send({ name, orderFile, saidFile }: SentJob): Promise<string> {
    const outsideId = String(this.#jobs.length + 1);
    if (this.forgets > 0) {
      this.forgets -= 1;
      this.#jobs.push({ name, children: [] });
      return outsideId;
    }
    const said = openSync(saidFile, "a");
    const env = { ...HOST_ENVIRONMENT, FORK_ID: outsideId };
    const [program, ...words] = [...this.wrap, "sh", orderFile];
    const children = Array.from({ length: this.startsTwice ? 2 : 1 }, () =>
      spawn(program, words, { detached: true, stdio: ["ignore", said, said], env }),
    );
    for (const child of children) child.unref();
    closeSync(said);
    this.#jobs.push({ name, children });
    return outsideId;
  }

  async list(): Promise<Listing> {
    const jobs = new Map<string, ListedJob[]>();
    for (const [index, { name, children }] of this.#jobs.entries()) {
      if (children.length === 0) continue;
      // Either process may have claimed the job. The other one has ended at once.
      const isOver = this.lies || children.every(hasEnded);
      const listed = {
        outsideId: String(index + 1),
        phase: isOver ? "over" : "active",
        sentence: isOver ? "The process has ended." : "",
        ...(isOver && { endedItself: true as const, node: "here" }),
      } as const;
      jobs.set(name, [...(jobs.get(name) ?? []), listed]);
    }
    return { cluster: this.cluster, jobs, silentNodes: this.silentNodes };
  }

  async end(outsideIds: readonly string[]): Promise<void> {
    for (const id of outsideIds) signal(this.#jobs[Number(id) - 1]?.children, "SIGTERM");
  }

  /** Forgets all jobs, and counts from 1 again. The jobs continue. */
  loseState(): void {
    this.#jobs = [];
  }

  /** Kills the supervisor of a job, which then records no end. */
  killSupervisor(outsideId: string): void {
    signal(this.#jobs[Number(outsideId) - 1]!.children, "SIGKILL");
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function signal(children: readonly ChildProcess[] | undefined, name: NodeJS.Signals): void {
  for (const child of children ?? []) child.kill(name);
}
