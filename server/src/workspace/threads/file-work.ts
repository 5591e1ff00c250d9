import type { Algorithm } from "#workflow/job/job";

/** Messages between the server and the threads that read and copy large files. */

export type FileWork = HashWork | CopyWork;

interface HashWork {
  readonly do: "hash";
  /** A descriptor that the server holds open: descriptors are shared by all threads of a process. */
  readonly descriptor: number;
  readonly bytes: number;
  readonly algorithm: Algorithm;
}

export interface CopyWork extends Omit<HashWork, "do"> {
  readonly do: "copy";
  /** A path of the server that does not exist yet. */
  readonly target: string;
  /** Permission bits of the copy. */
  readonly mode: number;
  readonly fsync: boolean;
}

export type WorkRequest =
  | { readonly id: number; readonly work: FileWork }
  | { readonly id: number; readonly isAborted: true };

export type WorkReply =
  | { readonly id: number; readonly digest: string }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string | undefined } };
