import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beginUnpacking } from "#backends/containers/images/unpacked/unpacked-images";
import { LastLines, pullFailureOf } from "#backends/containers/images/pull-failure";
import type { ProgramResult } from "#backends/containers/run-program";
import type { PullLog } from "#backends/containers/images/pull-log";
import type { RegistryCredentials } from "#backends/containers/images/registry-credentials";
import type { Runtime } from "#backends/containers/runtime";
import { runtimeEnvironment } from "#backends/containers/runtime-environment";
import type { Clock } from "#plumbing/clock";
import { codeOf, messageOf } from "#plumbing/errors";
import { startProcess } from "#plumbing/start-process";

export interface PullOptions {
  readonly image: string;
  readonly log: PullLog;
  readonly timeoutMs: number;
  /** The folder for the credentials while in use. */
  readonly folder: string;
  readonly credentials?: RegistryCredentials | undefined;
  readonly clock: Clock;
}

/**
 * Ends the program at the end of the input, when the server dies. Otherwise a registry that never answers
 * would keep the program running.
 */
const WITH_THE_SERVER = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ read -r _ <&3; kill -KILL "$program"; } >/dev/null 2>&1 &
watcher=$!
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

/** Pulls an image. Returns why it could not be pulled, as a sentence, or undefined. */
export async function pullImage(runtime: Runtime, options: PullOptions): Promise<string | undefined> {
  const { folder, credentials } = options;
  if (!credentials) return pullWith(undefined, runtime, options);
  let authFolder: string | undefined;
  try {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      authFolder = mkdtempSync(path.join(folder, "pull-"));
      writeFileSync(path.join(authFolder, "config.json"), credentials.authFile, { mode: 0o600 });
    } catch (error) {
      return `the server could not write the credentials to a file (${codeOf(error) ?? messageOf(error)}).`;
    }
    return await pullWith(authFolder, runtime, options);
  } finally {
    if (authFolder !== undefined) rmSync(authFolder, { recursive: true, force: true });
  }
}

async function pullWith(
  authFolder: string | undefined,
  runtime: Runtime,
  options: PullOptions,
): Promise<string | undefined> {
  if (runtime.name === "apptainer") return unpack(authFolder, runtime, options);
  const result = await supervised(pullWords(runtime, options.image, authFolder), options);
  return result.code === 0 ? undefined : problemOf(result, options);
}

/** Unpacks an image of a registry for Apptainer. A digest in the name is the digest of the image. */
async function unpack(
  authFolder: string | undefined,
  runtime: Runtime,
  options: PullOptions,
): Promise<string | undefined> {
  const { image } = options;
  const unpacking = beginUnpacking(runtime);
  try {
    const auth = authFolder === undefined ? [] : [`--authfile=${path.join(authFolder, "config.json")}`];
    const words = [runtime.program, "build", "--sandbox", ...auth, unpacking.root, `docker://${image}`];
    const result = await supervised(words, options, unpacking.environment);
    if (result.code !== 0) return problemOf(result, options);
    unpacking.keep([image], { digest: image.split("@")[1] });
    return undefined;
  } catch (error) {
    return `it could not be unpacked: ${messageOf(error)}.`;
  } finally {
    await unpacking.close();
  }
}

function problemOf(result: PullResult, options: PullOptions): string {
  return result.isLate
    ? `it did not arrive within ${options.timeoutMs / 1000} s (--pull-timeout).`
    : pullFailureOf(result);
}

/** Removes leftover credentials of a killed server. */
export function removeLeftCredentials(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function pullWords({ name, program }: Runtime, image: string, authFolder: string | undefined): string[] {
  if (authFolder === undefined) return [program, "pull", image];
  return name === "docker"
    ? [program, "--config", authFolder, "pull", image]
    : [program, "pull", `--authfile=${path.join(authFolder, "config.json")}`, image];
}

type PullResult = ProgramResult & { readonly isLate: boolean };

async function supervised(
  words: readonly string[],
  options: PullOptions,
  environment: Readonly<Record<string, string>> = {},
): Promise<PullResult> {
  const starting = startProcess(() =>
    spawn("bash", ["--norc", "-c", WITH_THE_SERVER, "bash", ...words], {
      stdio: ["pipe", "pipe", "pipe"],
      cwd: "/",
      env: { ...runtimeEnvironment(), ...environment },
    }),
  );
  const child = await starting.catch(messageOf);
  if (typeof child === "string") return { code: null, stdout: "", stderr: child, isLate: false };
  return resultOf(child, options);
}

function resultOf(
  child: ChildProcessWithoutNullStreams,
  { log, timeoutMs, clock }: PullOptions,
): Promise<PullResult> {
  const stderr = new LastLines();
  let isLate = false;
  const forgetLimit = clock.after(timeoutMs, () => {
    isLate = true;
    child.stdin.end();
  });
  child.stdout.on("data", (chunk: Buffer) => log.write(chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    log.write(chunk);
    stderr.add(chunk);
  });
  return new Promise((resolve) => {
    child.once("close", (code) => {
      forgetLimit();
      child.stdin.destroy();
      resolve({ code, stdout: "", stderr: stderr.text, isLate });
    });
  });
}
