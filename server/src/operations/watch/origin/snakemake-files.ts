import type { Answer } from "#engines/engine";
import { type DeclaredFiles, maybeDeclaredFiles } from "#engines/snakemake/messages";
import type { Connection } from "#store/database/database";
import { runEventsFrom } from "#store/events/run-events";
import { jobsOfRun } from "#store/jobs/jobs";
import type { FileRole, IndexedFile } from "#workflow/run/indexed-file";

/** Number of events that are read together. */
const PAGE_EVENTS = 1000;

/** Returns the files that the rules of a Snakemake run declare, with the jobs that read and wrote them. */
export async function snakemakeFiles(
  db: Connection,
  run: { readonly id: string },
  maxFiles: number,
): Promise<IndexedFile[]> {
  // Attempts are in the order of issue: the last attempt of a key has written the files.
  const idOf = new Map((await jobsOfRun(db, run.id)).map(({ key, id }) => [key, id]));
  const declared = new Map<string, DeclaredFiles>();
  for await (const files of declaredFiles(db, run.id)) declared.set(files.key, files);
  const all: IndexedFile[] = [];
  for (const { key, reads, writes } of declared.values()) {
    const jobId = idOf.get(key);
    if (jobId === undefined) continue;
    all.push(...reads.map((path) => fileOf(path, "read", jobId)));
    all.push(...writes.map((path) => fileOf(path, "written", jobId)));
    if (all.length >= maxFiles) break;
  }
  return all.slice(0, maxFiles);
}

async function* declaredFiles(db: Connection, runId: string): AsyncGenerator<DeclaredFiles> {
  for (let seq = 0; ;) {
    const events = await runEventsFrom(db, runId, { seq, limit: PAGE_EVENTS });
    if (events.length === 0) return;
    for (const { kind, body } of events) {
      if (kind !== ("heard" satisfies Answer["kind"])) continue;
      const { lines } = body as Extract<Answer, { kind: "heard" }>;
      yield* lines.flatMap((line) => maybeDeclaredFiles(line) ?? []);
    }
    seq = events.at(-1)!.seq + 1;
  }
}

function fileOf(path: string, role: FileRole, jobId: string): IndexedFile {
  return { path, bytes: null, sha256: null, stamp: null, role, jobId, doubt: null };
}
