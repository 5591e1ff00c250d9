import type { DeviceNode } from "#backends/gpus/gpu";
import type { JobFeature } from "#workflow/capabilities";
import type { Command, Job } from "#workflow/job/job";

/**
 * A layer between the command of a job and this machine, such as a sandbox. A slot executes the wall's
 * program in place of the command, and stays its parent: claim, record, log, limits and re-attachment are the same for
 * every wall. The program runs in the foreground, passes on its input and output, and ends with the exit code of the
 * command.
 */
export interface Wall {
  /** The name in logs and in the reports of `doctor`. */
  readonly name: string;
  /** The features that the wall enforces for its jobs, in addition to the features of the local backend. */
  readonly provides: readonly JobFeature[];
  /** Returns the program of the wall, with the command among its arguments. Changes nothing on the disk. */
  around(behind: BehindWall): WalledCommand;
}

/** A command that runs behind a wall. All paths are absolute. */
export interface BehindWall {
  readonly id: string;
  readonly job: Job;
  /** The job's command, or a command that first reads variables from a file in the folder of secrets. */
  readonly command: Command;
  /** The file with the script, if too long for an argument. */
  readonly scriptFile?: string;
  /** The job's variables in the environment of the wall's program. */
  readonly inherited: Readonly<Record<string, string>>;
  /**
   * The job's remaining variables, which could change the wall's program itself. The wall sets these
   * variables for the command alone.
   */
  readonly inside: Readonly<Record<string, string>>;
  readonly workspaceFolder: string;
  /** The folder of the attempt. The job must not reach the record and the log of the attempt. */
  readonly attemptFolder: string;
  /** The job's HOME. */
  readonly scratchFolder: string;
  /** True if the kernel counts the processor time of the job, even of processes that nobody waits for. */
  readonly isTimeCounted: boolean;
  /** The nodes of the job's devices. */
  readonly nodes?: readonly DeviceNode[];
  /** The folder of the job's secrets, if the job has any on disk. */
  readonly secretsFolder?: string;
}

export interface WalledCommand {
  /**
   * An absolute program and its arguments. Every user of the machine can see the arguments: they hold no
   * secret.
   */
  readonly argv: readonly [string, ...string[]];
  /** A folder of the attempt that is made before the command starts, and emptied afterwards. */
  readonly temporaryFolder?: string;
  /**
   * Parts of the workspace that the program shows the job. The slot refuses links on the way to a part, and
   * lets the program start the command only if these parts are shown: see `keep_gate` in bind-gate.sh.
   */
  readonly shownParts?: readonly string[];
  /** True if the program opens the files for the job's input and output. */
  readonly opensFiles?: boolean;
  /** A file that the slot opens for the program, as descriptor 9. */
  readonly filterFile?: string;
  /** A line at the beginning of the job's log, with its newline. */
  readonly notice?: string;
}
