import type { Backend, JobRequest, JobState } from "#backends/backend";
import { notebookRequest, SOCKET_NAME } from "#notebooks/notebook-job";
import { notebookPath } from "#notebooks/notebook-path";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { Random } from "#plumbing/ids";
import { humanTime } from "#plumbing/text/human-time";
import type { Connection } from "#store/database/database";
import {
  deleteNotebook,
  insertNotebook,
  markNotebook,
  maybeNotebook,
  type NotebookOfRun,
  noteNotebookUse,
  hostsOfNotebooks,
  notebooksOfHost,
  recordNotebookEnd,
} from "#store/runs/notebooks";
import type { JobEnd } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";

export interface NotebookSettings {
  /** Path of `jupyter-lab` on this machine. Optional: if undefined, notebooks need an image. */
  readonly program: string | undefined;
  /** True if users may name an image. */
  readonly allowsImages: boolean;
  /** Maximum number of open notebooks. */
  readonly most: number;
  readonly memoryBytes: number;
  /** Time without a request before a notebook is closed. Optional: if undefined, notebooks stay open. */
  readonly idleMs: number | undefined;
}

/** Reaches notebooks of other hosts through the servers there. */
export interface OtherNotebooks {
  connect(hostId: string, runId: string): ReturnType<NonNullable<Backend["connect"]>>;
  close(hostId: string, runId: string, closedFor: string | null): Promise<void>;
  /** Returns the processor time so far of a user's notebooks on a host; 0 if the server does not answer. */
  cpuMs(hostId: string, ownerId: string): Promise<number>;
}

export interface NotebooksContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly seal: { seal(text: string): string; open(sealed: string): string };
  readonly hostId: string;
  /** If absent, this server reaches no notebook of another host. */
  readonly others?: OtherNotebooks | undefined;
  readonly backends: readonly Backend[];
  readonly workspaces: {
    of(id: string): { readonly folder: string; create(): Promise<void> };
  };
  readonly secrets: { maybeForJobs(userId: string): Promise<JobSecrets | undefined> };
  readonly rules: NotebookRules;
  readonly settings: NotebookSettings | undefined;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** The rules of the server for its users, which may change while a notebook is open. */
export interface NotebookRules {
  /** Returns a sentence if the user has used up a resource, with what notebooks and jobs have used so far. */
  maybeUsedUp(userId: string): Promise<string | undefined>;
  /** Returns why the user may use no notebook in this image. */
  maybeImageRefusal(userId: string, image: string): Promise<string | undefined>;
}

const SECRET_BYTES = 32;
const STOPPED_WITH_SERVER = "The server was stopped together with its jobs.";
/** Size of the log's end that is copied into the server's log if a notebook ends by itself. */
const LOG_TAIL_BYTES = 2000;

/**
 * Manages the notebooks of this host. Each notebook is a separate job on the files of its run. The row is
 * inserted before the job starts and removed after the job ends, so a restarted server finds all jobs of its
 * predecessor.
 */
export class Notebooks {
  readonly #context: NotebooksContext;
  readonly #backend: Backend | undefined;
  /** The submitted notebooks of this server, by job. */
  readonly #running = new Map<string, NotebookOfRun>();
  /** Notebooks being closed by this server, so the end of each job is expected. */
  readonly #closing = new Set<string>();
  /** Action queue of each notebook, by job: actions run in sequence. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Time of the last request for a notebook, by job, until it is stored. */
  readonly #uses = new Map<string, number>();
  readonly #unwatch: (() => void) | undefined;

  constructor(context: NotebooksContext) {
    this.#context = context;
    this.#backend = context.backends.find(({ connect }) => connect !== undefined);
    this.#unwatch = this.#backend?.watch((id, state) => this.#hear(id, state));
  }

  get settings(): NotebookSettings | undefined {
    return this.#backend && this.#context.settings;
  }

  /** Returns whether another notebook may be opened on this host. */
  async hasRoom(): Promise<boolean> {
    const open = await notebooksOfHost(this.#context.db, this.#context.hostId);
    return open.length < (this.settings?.most ?? 0);
  }

  /** Opens the notebook of a run. Returns false if the run already has a notebook. */
  async open(runId: string, image: string | null): Promise<boolean> {
    const { db, clock, random, seal, hostId } = this.#context;
    const nowMs = clock.now();
    const isNew = await insertNotebook(db, {
      runId,
      id: random.uuid(),
      hostId,
      hostToken: this.#theBackend().hostToken,
      image,
      sealed: seal.seal(random.bytes(SECRET_BYTES).toString("base64url")),
      status: "created",
      openedAtMs: nowMs,
      usedAtMs: nowMs,
    });
    if (!isNew) return false;
    crashPoint("notebook-recorded");
    const notebook = await maybeNotebook(db, runId);
    if (notebook) await this.#submit(notebook);
    return true;
  }

  /** Returns the open notebook of a run, on whichever host it is. */
  maybeOf(runId: string): Promise<NotebookOfRun | undefined> {
    return maybeNotebook(this.#context.db, runId);
  }

  /** Returns whether this server can connect to a notebook, and close it. */
  isWithinReach(notebook: NotebookOfRun): boolean {
    return this.#isHere(notebook) || this.#context.others !== undefined;
  }

  /** Decrypts the secret of a notebook. */
  secretOf({ sealed }: NotebookOfRun): string {
    return this.#context.seal.open(sealed);
  }

  /** Returns the path below which a notebook is served. */
  pathOf(notebook: NotebookOfRun): string {
    return notebookPath(notebook.runId, this.secretOf(notebook));
  }

  /** Connects to a notebook within reach. Rejects while the notebook is starting. */
  async connect(notebook: NotebookOfRun): ReturnType<NonNullable<Backend["connect"]>> {
    const { id, hostId, runId } = notebook;
    if (!this.#isHere(notebook)) return this.#others().connect(hostId, runId);
    this.#uses.set(id, this.#context.clock.now());
    return this.#theBackend().connect!(id, SOCKET_NAME);
  }

  /** Returns the processor time used so far by a user's open notebooks on all hosts within reach. */
  async cpuMsSoFar(ownerId: string): Promise<number> {
    const { db, hostId, others } = this.#context;
    const here = await this.cpuMsHere(ownerId);
    if (!others) return here;
    const hosts = (await hostsOfNotebooks(db, ownerId)).filter((host) => host !== hostId);
    const there = await Promise.all(hosts.map((host) => others.cpuMs(host, ownerId)));
    return there.reduce((sum, cpuMs) => sum + cpuMs, here);
  }

  /** Returns the processor time used so far by a user's open notebooks on this host. */
  async cpuMsHere(ownerId: string): Promise<number> {
    const { db, hostId } = this.#context;
    // A host has few open notebooks, and a user may have 100,000 runs.
    const open = (await notebooksOfHost(db, hostId)).filter((one) => one.ownerId === ownerId);
    if (open.length === 0) return 0;
    return (await this.#backend?.cpuMsSoFar?.(open.map(({ id }) => id))) ?? 0;
  }

  /** Returns the notebook of a run for another server. Rejects if it is not on this host. */
  async ofPeer(runId: string): Promise<NotebookOfRun> {
    const notebook = await this.maybeOf(runId);
    if (notebook && this.#isHere(notebook)) return notebook;
    throw new Error(`The run ${runId} has no notebook on this host.`);
  }

  /**
   * Ends the job of a notebook within reach, and forgets the notebook. Safe to call twice. `closedFor` tells
   * its user why the server closes it.
   */
  async close(notebook: NotebookOfRun, closedFor?: string): Promise<void> {
    const { id, hostId, runId } = notebook;
    if (!this.#isHere(notebook)) return this.#others().close(hostId, runId, closedFor ?? null);
    await markNotebook(this.#context.db, id, "closing", closedFor);
    crashPoint("notebook-closing");
    this.#closing.add(id);
    await this.#inTurn(id, async () => {
      await this.#finish(notebook, await this.#theBackend().cancel(await this.#requestOf(notebook)));
    }).finally(() => this.#closing.delete(id));
  }

  /** Submits the notebooks of an earlier server, and closes notebooks no longer used or allowed. */
  async look(): Promise<void> {
    const { db, hostId, log } = this.#context;
    if (!this.#backend) return;
    const uses = [...this.#uses];
    this.#uses.clear();
    for (const [id, usedAtMs] of uses) await noteNotebookUse(db, id, usedAtMs);
    for (const notebook of await notebooksOfHost(db, hostId)) {
      await this.#lookAt(notebook).catch((err: unknown) => {
        log.error({ err, run: notebook.runId }, "Looking after a notebook failed; trying again.");
      });
    }
  }

  /** Stops listening to the backend. Notebooks stay open for the next server, unless `stopJobs` is set. */
  async stop({ stopJobs }: { readonly stopJobs: boolean }): Promise<void> {
    if (stopJobs)
      for (const notebook of this.#running.values()) await this.close(notebook, STOPPED_WITH_SERVER);
    this.#unwatch?.();
    await Promise.allSettled(this.#turns.values());
  }

  async #lookAt(notebook: NotebookOfRun): Promise<void> {
    const { id, status } = notebook;
    const unused = this.#maybeUnused(notebook);
    if (status === "closing" || unused !== undefined) return this.close(notebook, unused);
    // Listen before the quotas are checked: a failed check must not hide the end of a running job.
    if (status === "running" && !this.#running.has(id)) await this.#submit(notebook);
    const refusal = await this.#maybeRefusal(notebook);
    if (refusal !== undefined) return this.close(notebook, refusal);
    if (status === "created" && !this.#running.has(id)) await this.#submit(notebook);
  }

  /** Returns a sentence if nobody uses a notebook any more. */
  #maybeUnused({ isOwnerDisabled, usedAtMs, openedAtMs }: NotebookOfRun): string | undefined {
    if (isOwnerDisabled) return "Its user is disabled.";
    const idleMs = this.settings?.idleMs;
    const unusedMs = this.#context.clock.now() - Math.max(usedAtMs, openedAtMs);
    if (idleMs === undefined || unusedMs <= idleMs) return undefined;
    return `It was not used for ${humanTime(idleMs)}.`;
  }

  /** Returns which rule forbids a notebook. A policy on images concerns only jobs that have not been submitted. */
  async #maybeRefusal({ status, image, ownerId }: NotebookOfRun): Promise<string | undefined> {
    const { rules } = this.#context;
    const refusal =
      status === "created" && image !== null ? await rules.maybeImageRefusal(ownerId, image) : undefined;
    return refusal ?? rules.maybeUsedUp(ownerId);
  }

  /** Orders the job of a notebook, unless the notebook was closed in the meantime. */
  #submit(notebook: NotebookOfRun): Promise<void> {
    const { db, workspaces } = this.#context;
    return this.#inTurn(notebook.id, async () => {
      const now = await maybeNotebook(db, notebook.runId);
      if (now?.id !== notebook.id || now.status === "closing") return;
      await workspaces.of(notebook.workspaceId).create();
      this.#running.set(notebook.id, notebook);
      const state = await this.#submitted(notebook);
      crashPoint("notebook-submitted");
      if (state.status === "ended") this.#hear(notebook.id, state);
      else await markNotebook(db, notebook.id, "running");
    });
  }

  async #submitted(notebook: NotebookOfRun): Promise<JobState> {
    try {
      return await this.#theBackend().submit(await this.#requestOf(notebook));
    } catch (error) {
      // The next call of `look` submits the notebook again.
      this.#running.delete(notebook.id);
      throw error;
    }
  }

  async #requestOf(notebook: NotebookOfRun): Promise<JobRequest> {
    const { workspaces, secrets, settings } = this.#context;
    return notebookRequest({
      ...notebook,
      workspaceFolder: workspaces.of(notebook.workspaceId).folder,
      program: settings?.program,
      memoryBytes: settings?.memoryBytes ?? 0,
      secret: this.secretOf(notebook),
      secrets: await secrets.maybeForJobs(notebook.ownerId),
    });
  }

  #hear(id: string, state: JobState): void {
    const notebook = this.#running.get(id);
    if (!notebook || state.status !== "ended" || this.#closing.has(id)) return;
    this.#ended(notebook, state.end).catch((err: unknown) => {
      this.#context.log.warn({ err, run: notebook.runId }, "A notebook that ended could not be forgotten.");
    });
  }

  /** Forgets a notebook whose job ended by itself. */
  async #ended(notebook: NotebookOfRun, end: JobEnd): Promise<void> {
    const log = await this.#theBackend().readLog(notebook.id, -LOG_TAIL_BYTES, LOG_TAIL_BYTES);
    const { reason, exitCode, detail } = end;
    this.#context.log.warn(
      { run: notebook.runId, reason, exitCode, detail, log: String(log) },
      "A notebook ended by itself.",
    );
    const how = exitCode === null ? reason : `exit code ${exitCode}`;
    await markNotebook(this.#context.db, notebook.id, "closing", `JupyterLab ended by itself (${how}).`);
    await this.#inTurn(notebook.id, () => this.#finish(notebook, end));
  }

  /** Records the end of a notebook's job, and removes the job's files. Safe to call twice. */
  async #finish(notebook: NotebookOfRun, { usage }: JobEnd): Promise<void> {
    const { db, clock, log } = this.#context;
    const { id, runId } = notebook;
    await recordNotebookEnd(db, notebook, { cpuMs: usage?.cpuMs ?? 0, atMs: clock.now() });
    crashPoint("notebook-counted");
    await this.#theBackend().remove([id]);
    crashPoint("notebook-ended");
    await deleteNotebook(db, id);
    if (this.#running.delete(id)) log.info({ run: runId }, "notebook closed");
  }

  #inTurn(id: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(work, work);
    const last = turn.finally(() => {
      if (this.#turns.get(id) === last) this.#turns.delete(id);
    });
    this.#turns.set(id, last);
    return last;
  }

  #isHere({ hostId }: NotebookOfRun): boolean {
    return hostId === this.#context.hostId;
  }

  #others(): OtherNotebooks {
    if (!this.#context.others) throw new Error("This server reaches no notebook of another host.");
    return this.#context.others;
  }

  #theBackend(): Backend {
    if (!this.#backend) throw new Error("No backend of this server can be connected to.");
    return this.#backend;
  }
}
