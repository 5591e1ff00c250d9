import { execFileSync } from "node:child_process";
import { open, rm } from "node:fs/promises";
import path from "node:path";

/** What many jobs can wait at without using a processor, until it is opened or this process ends. */
export interface Gate {
  readonly command: string;
  open(): Promise<void>;
}

export async function makeGate(folder: string): Promise<Gate> {
  const pipe = path.join(folder, "gate");
  execFileSync("mkfifo", [pipe]);
  const held = await open(pipe, "r+");
  return {
    // Whoever comes later must not wait for somebody at the other end of the pipe.
    command: `test ! -p ${pipe} || read -r < ${pipe}; true`,
    async open() {
      await rm(pipe);
      await held.close();
    },
  };
}
