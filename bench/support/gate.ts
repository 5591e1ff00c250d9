import { execFileSync } from "node:child_process";
import { open, rm } from "node:fs/promises";
import path from "node:path";

/** A gate at which many jobs wait without processor use, until it is opened or this process ends. */
export interface Gate {
  readonly command: string;
  open(): Promise<void>;
}

export async function makeGate(folder: string): Promise<Gate> {
  const pipe = path.join(folder, "gate");
  execFileSync("mkfifo", [pipe]);
  const held = await open(pipe, "r+");
  return {
    // A job that starts after the opening must not wait for a writer of the pipe.
    command: `test ! -p ${pipe} || read -r < ${pipe}; true`,
    async open() {
      await rm(pipe);
      await held.close();
    },
  };
}
