import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { vi } from "vitest";

/**
 * Puts a program into the folder, and the folder in front of the PATH until `vi.unstubAllEnvs`. The program
 * prints `info` for the call `info`, notes its calls, and fails for every call but `info` and the cases of
 * `also`.
 */
export function installFake(
  folder: string,
  { name, info, also = "" }: { readonly name: string; readonly info: string; readonly also?: string },
): { calls(): string[] } {
  const [program, calls] = [path.join(folder, name), path.join(folder, "calls")];
  const script = `#!/bin/bash
echo "$1" >> ${calls}
case $1 in
  info) echo "${info}" ;;
  ${also}
  *) exit 1 ;;
esac
`;
  writeFileSync(calls, "");
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  return { calls: () => readFileSync(calls, "utf8").trim().split("\n") };
}

/** The output of `podman info` on a machine where podman works. */
export const PODMAN_INFO = "4.3.1 false   /store";
