import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { JobRequest } from "#backends/backend";
import { commandText } from "#workflow/job/job";
import type { Dice } from "../simulation/dice.ts";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";

/** Share of submissions that are reported as failed although the job may start later. */
const REFUSED = 0.03;

/** Ends the jobs of a fake backend, mostly with success, until `isOver` returns true. */
export class FaultyCluster {
  readonly #backend: FakeBackend;
  readonly #dice: Dice;
  readonly #requests = new Map<string, JobRequest>();
  readonly #done = new Set<string>();

  constructor(backend: FakeBackend, dice: Dice) {
    this.#backend = backend;
    this.#dice = dice;
    const submit = backend.submit.bind(backend);
    backend.submit = (request) => {
      if (!this.#requests.has(request.id) && dice.chance(REFUSED)) backend.failNextSubmit("No answer.");
      this.#requests.set(request.id, request);
      return submit(request);
    };
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await delay(this.#dice.between(0, 4));
      if (this.#dice.chance(0.1)) this.#backend.beginLate();
      for (const id of this.#backend.started) {
        if (this.#done.has(id) || this.#dice.chance(0.5)) continue;
        this.#done.add(id);
        await this.#end(this.#requests.get(id)!);
      }
    }
    this.#backend.beginLate();
  }

  async #end({ id, job, workspaceFolder }: JobRequest): Promise<void> {
    if (job.collect) {
      const folder = path.join(workspaceFolder, job.collect.folder);
      await mkdir(folder, { recursive: true });
      if (this.#dice.chance(0.8)) await writeFile(path.join(folder, "made.txt"), commandText(job));
    }
    const isLost = this.#dice.chance(0.02);
    const exitCode = this.#dice.chance(0.06) ? 3 : 0;
    this.#backend.end(id, isLost ? { reason: "lost", exitCode: null } : { exitCode });
  }
}
