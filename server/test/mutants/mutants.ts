import type { Backend } from "#backends/backend";
import { backendsOf } from "#backends/backends";
import type { JobEnd } from "#workflow/job/job";
import { ASK_MUTANTS } from "./ask-mutants.ts";
import { breaking, instead } from "./break-module.ts";
import { ENGINE_MUTANTS } from "./engine-mutants.ts";
import { HOST_MUTANTS } from "./host-mutants.ts";
import { LANGUAGE_MUTANTS } from "./language-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { PLACE_MUTANTS } from "./place-mutants.ts";
import { RETENTION_MUTANTS } from "./retention-mutants.ts";
import { STAGING_MUTANTS } from "./staging-mutants.ts";

const NOT_STARTED: JobEnd = { reason: "not-started", exitCode: null, startedAtMs: null, endedAtMs: 0 };

const ignored = async (): Promise<void> => {};

export const MUTANTS: readonly Mutant[] = [
  ...HOST_MUTANTS,
  ...STAGING_MUTANTS,
  ...ASK_MUTANTS,
  ...RETENTION_MUTANTS,
  ...PLACE_MUTANTS,
  ...LANGUAGE_MUTANTS,
  {
    name: "applies before it records",
    breaks: breaking(
      () => import("#runner/turn/run-journal"),
      ({ createRunJournal }) => ({
        createRunJournal(...args) {
          const journal = createRunJournal(...args);
          const commit = async (...batch: Parameters<typeof journal.commit>) =>
            void setImmediate(() => void journal.commit(...batch).catch(ignored));
          return { ...journal, commit };
        },
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "forgets the fencing token",
    breaks: breaking(
      () => import("#store/hosts/leases"),
      () => ({ checkLease: ignored }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "submits under another id each time",
    breaks: breaking(
      () => import("#runner/jobs/job-dispatcher"),
      ({ createJobDispatcher }) => ({
        createJobDispatcher({ backends, ...context }, ...rest) {
          const [backend] = backends.all as readonly [Backend];
          const known = new Map<string, string>();
          const submit = (request: Parameters<typeof backend.submit>[0]) => {
            const id = crypto.randomUUID();
            known.set(id, request.id);
            return backend.submit({ ...request, id });
          };
          const watch: typeof backend.watch = (tell) =>
            backend.watch((id, end) => tell(known.get(id) ?? id, end));
          return createJobDispatcher(
            { ...context, backends: backendsOf([instead(backend, { submit, watch })]) },
            ...rest,
          );
        },
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "does not answer a request to go on",
    breaks: breaking(
      () => import("#runner/files/file-requests"),
      ({ createFileRequests }) => ({
        createFileRequests(...args) {
          const requests = createFileRequests(...args);
          const answer: typeof requests.answer = (asks) =>
            requests.answer(asks.filter((ask) => ask.do !== "go-on"));
          return instead(requests, { answer });
        },
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "loses the jobs of a snapshot",
    breaks: breaking(
      () => import("#runner/loop/snapshots"),
      ({ snapshotOf }) => ({
        snapshotOf: (progress, ...engine) => snapshotOf({ ...progress, jobs: new Map() }, ...engine),
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "loses which jobs had been issued before a snapshot",
    breaks: breaking(
      () => import("#runner/loop/snapshots"),
      ({ snapshotOf }) => ({ snapshotOf: (...args) => ({ ...snapshotOf(...args), jobCount: 0 }) }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "takes no claim on a job that it could not submit",
    breaks: breaking(
      () => import("#runner/jobs/job-dispatcher"),
      ({ createJobDispatcher }) => ({
        createJobDispatcher({ backends, ...context }, ...rest) {
          const [backend] = backends.all as readonly [Backend];
          const refused = new Set<string>();
          const submit = (request: Parameters<typeof backend.submit>[0]) =>
            backend.submit(request).catch((error: unknown) => {
              refused.add(request.id);
              throw error;
            });
          const cancel: typeof backend.cancel = async (request) =>
            refused.delete(request.id) ? NOT_STARTED : backend.cancel(request);
          return createJobDispatcher(
            { ...context, backends: backendsOf([instead(backend, { submit, cancel })]) },
            ...rest,
          );
        },
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "takes no claim on cancel",
    breaks: breaking(
      () => import("#runner/jobs/job-dispatcher"),
      ({ createJobDispatcher }) => ({
        createJobDispatcher(...args) {
          const jobs = createJobDispatcher(...args);
          return instead(jobs, {
            cancel: (rows) => jobs.cancel(rows.map((row) => ({ ...row, status: "created" }))),
          });
        },
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "misses an end that comes before the submission is answered",
    breaks: breaking(
      () => import("#runner/jobs/job-dispatcher"),
      ({ createJobDispatcher }) => ({
        createJobDispatcher({ backends, ...context }, ...rest) {
          const [backend] = backends.all as readonly [Backend];
          const unanswered = new Set<string>();
          const submit = async (request: Parameters<typeof backend.submit>[0]) => {
            unanswered.add(request.id);
            return backend.submit(request).finally(() => unanswered.delete(request.id));
          };
          const watch: typeof backend.watch = (tell) =>
            backend.watch((id, end) => {
              if (!unanswered.has(id)) tell(id, end);
            });
          return createJobDispatcher(
            { ...context, backends: backendsOf([instead(backend, { submit, watch })]) },
            ...rest,
          );
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "misses an end that came while it was away",
    breaks: breaking(
      () => import("#runner/jobs/job-dispatcher"),
      ({ createJobDispatcher }) => ({
        createJobDispatcher({ backends, ...context }, ...rest) {
          const [backend] = backends.all as readonly [Backend];
          const submit: typeof backend.submit = async (request) => {
            await backend.submit(request);
            return { status: "running" };
          };
          return createJobDispatcher(
            { ...context, backends: backendsOf([instead(backend, { submit })]) },
            ...rest,
          );
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "keeps the capacity of a run that it has detached from",
    breaks: breaking(
      () => import("#runner/jobs/job-dispatcher"),
      ({ createJobDispatcher }) => ({
        createJobDispatcher({ capacity, ...context }, ...rest) {
          let isDetached = false;
          const release = (id: string) => (isDetached ? undefined : capacity.release(id));
          const jobs = createJobDispatcher({ ...context, capacity: instead(capacity, { release }) }, ...rest);
          const detach = () => {
            isDetached = true;
            jobs.detach();
          };
          return instead(jobs, { detach });
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "grants more capacity than the host has",
    breaks: breaking(
      () => import("#scheduler/host-capacity"),
      ({ createHostCapacity }) => ({
        createHostCapacity: (_ofHost, mayStart) =>
          createHostCapacity({ cores: Infinity, memoryBytes: Infinity }, mayStart),
      }),
    ),
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "submits a job whose admission is not recorded",
    breaks: breaking(
      () => import("#runner/turn/run-journal"),
      ({ createRunJournal }) => ({
        createRunJournal(...args) {
          const journal = createRunJournal(...args);
          return { ...journal, commit: (record) => journal.commit({ ...record, admitted: [] }) };
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "acknowledges a stop that it does not record",
    breaks: breaking(
      () => import("#store/runs/runs"),
      () => ({ requestStop: ignored }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "forgets a stop when it resumes a run",
    breaks: breaking(
      () => import("#runner/loop/run-driver"),
      ({ driveRun }) => ({
        driveRun: (context, run, lease) => driveRun(context, { ...run, stopRequestedAtMs: null }, lease),
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "leaves what jobs left behind",
    breaks: breaking(
      () => import("#runner/loop/run-driver"),
      ({ driveRun }) => ({
        driveRun({ backends, ...context }, ...rest) {
          const [backend] = backends.all as readonly [Backend];
          const broken = instead(backend, { endLeftovers: ignored });
          return driveRun({ ...context, backends: backendsOf([broken]) }, ...rest);
        },
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "counts a job as running that waited for capacity",
    breaks: breaking(
      () => import("#store/jobs/new-jobs"),
      ({ insertJobs }) => ({
        async insertJobs(db, jobs) {
          const counts = await insertJobs(
            db,
            jobs.map((job) => ({ ...job, status: "running" })),
          );
          for (const { id, status } of jobs)
            await db.updateTable("jobs").set({ status }).where("id", "=", id).execute();
          return counts;
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "forgets that a node's jobs have ended",
    breaks: breaking(
      () => import("#store/jobs/run-nodes"),
      ({ countNodes }) => ({
        countNodes: (db, runId, changes) =>
          countNodes(
            db,
            runId,
            changes.filter(({ change }) => change.finished === undefined),
          ),
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "ends a run whose jobs still run",
    breaks: breaking(
      () => import("#runner/turn/progress"),
      ({ note }) => ({
        note(...args) {
          const after = note(...args);
          return after.ending ? { ...after, jobs: new Map() } : after;
        },
      }),
    ),
    caughtBy: ["worlds", "scenarios"],
  },
  {
    name: "tries a command again beside what the attempt before left behind",
    breaks: breaking(
      () => import("#runner/jobs/job-dispatcher"),
      ({ createJobDispatcher }) => ({
        createJobDispatcher({ backends, ...context }, ...rest) {
          const [backend] = backends.all as readonly [Backend];
          const broken = instead(backend, { endLeftovers: ignored });
          return createJobDispatcher({ ...context, backends: backendsOf([broken]) }, ...rest);
        },
      }),
    ),
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "takes the end of one attempt for that of the next",
    breaks: breaking(
      () => import("#runner/turn/progress"),
      ({ accept }) => ({
        accept: (progress, arrived) =>
          accept(
            progress,
            arrived.map((one) => {
              if (one.event.kind !== "job-ended") return one;
              const { attempt = 1 } = progress.jobs.get(one.event.key)?.job ?? {};
              return { ...one, event: { ...one.event, attempt } };
            }),
          ),
      }),
    ),
    caughtBy: ["worlds"],
  },
  ...ENGINE_MUTANTS,
  {
    name: "takes over a job by the name that it has in its own run",
    breaks: breaking(
      () => import("#runner/engine/engine-input"),
      ({ engineInput }) => ({
        async engineInput(context, run) {
          const input = await engineInput(context, run);
          const { previous } = input.restart ?? {};
          if (!input.restart || !previous) return input;
          const rows = await context.db.selectFrom("jobs").select(["id", "taken_from"]).execute();
          const ownId = (id: string) => rows.find((row) => row.taken_from === id)?.id ?? id;
          const jobs = previous.jobs.map((job) => ({ ...job, id: ownId(job.id) }));
          return { ...input, restart: { ...input.restart, previous: { ...previous, jobs } } };
        },
      }),
    ),
    caughtBy: ["worlds"],
  },
  {
    name: "forgets in a snapshot which attempt a command is at",
    breaks: breaking(
      () => import("#runner/loop/snapshots"),
      ({ snapshotOf }) => ({
        snapshotOf(progress, version, state) {
          const kept = JSON.parse(state);
          return snapshotOf(
            progress,
            version,
            JSON.stringify({ ...kept, engine: { ...kept.engine, attempt: undefined } }),
          );
        },
      }),
    ),
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "continues a run whose jobs its engine would not have issued",
    breaks: breaking(
      () => import("#runner/loop/replay"),
      ({ findResumePoint }) => ({
        async findResumePoint(db, run, session) {
          const point = await findResumePoint(db, run, session);
          return point.kind === "diverged" ? { kind: "fresh" } : point;
        },
      }),
    ),
    caughtBy: ["scenarios"],
  },
];
