import { onceAtATime } from "#plumbing/once-at-a-time";
import type { RunJournal } from "#runner/turn/run-journal";
import type { JobNote } from "#store/jobs/job-changes";

/**
 * Records the reports of backends about jobs in progress: reasons for waiting, and ids in the outside system.
 */
export interface JobNotes {
  /** Sets the recorded note of a job that is being submitted. */
  begin(id: string, recorded: Omit<JobNote, "id"> | undefined): void;
  queued(id: string, reason: string): void;
  started(id: string): void;
  named(id: string, outsideId: string): void;
  /** Resolves when all notes are recorded. Undefined if none is left to record. */
  maybeWritten(): Promise<void> | undefined;
  /** Records nothing more. */
  close(): void;
}

const NOTHING: Omit<JobNote, "id"> = { queueReason: null, outsideId: null };

export function createJobNotes(
  journal: Pick<RunJournal, "note">,
  onFailure: (error: unknown) => void,
): JobNotes {
  const known = new Map<string, JobNote>();
  const changed = new Map<string, JobNote>();
  let isClosed = false;
  let isWriting = false;

  const writes = onceAtATime(async () => {
    const notes = [...changed.values()];
    changed.clear();
    if (isClosed || notes.length === 0) return;
    isWriting = true;
    await journal.note(notes).catch(onFailure);
    isWriting = false;
  });

  function change(id: string, more: Partial<JobNote>): void {
    const before = known.get(id) ?? { ...NOTHING, id };
    const after = { ...before, ...more };
    if (after.queueReason === before.queueReason && after.outsideId === before.outsideId) return;
    known.set(id, after);
    changed.set(id, after);
    writes.ask();
  }

  return {
    begin: (id, recorded) => void (recorded && !known.has(id) && known.set(id, { ...recorded, id })),
    queued: (id, queueReason) => change(id, { queueReason }),
    started: (id) => change(id, { queueReason: null }),
    named: (id, outsideId) => change(id, { outsideId }),
    maybeWritten: () => (isWriting || changed.size > 0 ? writes.settled() : undefined),
    close: () => void (isClosed = true),
  };
}
