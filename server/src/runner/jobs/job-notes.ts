import type { RunningState } from "#backends/backend";
import { onceAtATime } from "#plumbing/once-at-a-time";
import type { RunJournal } from "#runner/turn/run-journal";
import type { JobNote } from "#store/jobs/job-changes";

/**
 * Records the reports of backends about jobs in progress: reasons for waiting, and ids in the outside system.
 */
export interface JobNotes {
  /** Sets the recorded note of a job that is being submitted. */
  begin(id: string, recorded: Omit<JobNote, "id">): void;
  queued(id: string, reason: string): void;
  started(id: string, how: Pick<RunningState, "startedAtMs" | "concern">): void;
  named(id: string, outsideId: string): void;
  /** Resolves when all notes are recorded. Undefined if none is left to record. */
  maybeWritten(): Promise<void> | undefined;
  /** Records nothing more. */
  close(): void;
}

const NOTHING: Omit<JobNote, "id"> = { queueReason: null, concern: null, startedAtMs: null, outsideId: null };

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
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    known.set(id, after);
    changed.set(id, after);
    writes.ask();
  }

  return {
    begin: (id, recorded) => void (known.has(id) || known.set(id, noteOf(id, recorded))),
    queued: (id, queueReason) => change(id, { queueReason, concern: null, startedAtMs: null }),
    started: (id, { startedAtMs, concern = null }) =>
      change(id, { queueReason: null, concern, ...(startedAtMs !== undefined && { startedAtMs }) }),
    named: (id, outsideId) => change(id, { outsideId }),
    maybeWritten: () => (isWriting || changed.size > 0 ? writes.settled() : undefined),
    close: () => void (isClosed = true),
  };
}

/** Returns what is recorded about a job before its backend has reported a state. */
export function firstNote(queueReason: string | null): Omit<JobNote, "id"> {
  return { ...NOTHING, queueReason };
}

function noteOf(id: string, recorded: Omit<JobNote, "id">): JobNote {
  const { queueReason, concern, startedAtMs, outsideId } = recorded;
  return { queueReason, concern, startedAtMs, outsideId, id };
}
