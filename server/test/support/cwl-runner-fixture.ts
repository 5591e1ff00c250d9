import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { checkCwl } from "#app/cwl/check-cwl";
import { describeCwl } from "#app/cwl/describe-cwl";
import { runCwlCall } from "#app/cwl/run-cwl-call";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { readConfig } from "#config/read";

interface CallOptions {
  /** Standard input. */
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Makes a temporary folder for the tests of a file, and removes it afterwards. */
export function cwlFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-cwl-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return { folder, inFolder: (name: string) => path.join(folder, name), cwlRunner: cwlRunnerIn(folder) };
}

/** Returns a function that calls `reprise cwl-runner` in this process, each time with a new folder for the outputs. */
function cwlRunnerIn(folder: string) {
  const config = readConfig({ HOME: folder, REPRISE_DATA: path.join(folder, "data") });
  return (words: readonly string[], { input = "", environment = {} }: CallOptions = {}) => {
    const cli = fakeCli({
      runCwl: (_options, call) => runCwlCall(config, call),
      checkCwl,
      describeCwl,
      readInput: async () => input,
      environment,
    });
    const outdir = mkdtempSync(path.join(folder, "out-"));
    const ended = runCli(["cwl-runner", `--outdir=${outdir}`, ...words], cli).then((code) => ({
      code,
      outdir,
      printed: cli.printed.join("\n"),
      errors: cli.errors,
    }));
    return Object.assign(ended, { send: (signal: NodeJS.Signals) => cli.send(signal) });
  };
}
