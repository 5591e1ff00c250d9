/**
 * A job is in doubt if its node is silent: the command may still run there, and no machine can say. Its concern then ends
 * with the way out, so the sentence and the right to declare the job lost cannot disagree.
 */
export function withWayOut(concern: string, id: string): string {
  return `${concern} ${wayOut(id)}`;
}

/** True if an administrator may declare the job lost. Other concerns, such as a file that is not visible yet, pass by themselves. */
export function isInDoubt({
  id,
  concern,
}: {
  readonly id: string;
  readonly concern: string | null;
}): boolean {
  return concern?.endsWith(wayOut(id)) ?? false;
}

function wayOut(id: string): string {
  return `An administrator who knows that it is gone can declare the job lost (reprise admin declare-job-lost ${id}).`;
}
