import path from "node:path";
import { runCwl } from "#app/cwl/cwl-runner";
import { UnusableWorkflow } from "#app/cwl/runner-documents";
import type { CwlCall, CwlResult } from "#cli/context";
import type { Config } from "#config/settings";
import { isMapping } from "#engines/cwl/model/json";
import { decimal } from "#engines/cwl/expressions/evaluator";

/** The exit code of a document with unsupported requirements: test suites count this code separately. */
const EXIT_UNSUPPORTED = 33;
const EXIT_FAILURE = 1;

export async function runCwlCall(config: Config, call: CwlCall): Promise<CwlResult> {
  try {
    const { ok, outputs, reason } = await runCwl(config, {
      ...call,
      outdir: path.resolve(call.outdir),
      basedir: path.resolve(call.basedir),
      logDir: call.logDir === undefined ? undefined : path.resolve(call.logDir),
      cachedir: call.cachedir === undefined ? undefined : path.resolve(call.cachedir),
    });
    const shown = call.hasChecksums ? outputs : withoutChecksums(outputs);
    const output = outputs === undefined ? undefined : jsonOf(shown);
    return { exitCode: ok ? 0 : EXIT_FAILURE, output, reason };
  } catch (error) {
    if (call.stop.aborted)
      return { exitCode: EXIT_FAILURE, output: undefined, reason: "The run was stopped." };
    if (!(error instanceof UnusableWorkflow)) throw error;
    const exitCode = error.isUnsupported ? EXIT_UNSUPPORTED : EXIT_FAILURE;
    return { exitCode, output: undefined, reason: error.message };
  }
}

/** Returns the output object without the checksums of its files, at any depth. */
function withoutChecksums(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutChecksums);
  if (!isMapping(value)) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, withoutChecksums(inner)] as const);
  const isFile = value["class"] === "File";
  return Object.fromEntries(fields.filter(([name]) => !isFile || name !== "checksum"));
}

/** A text, which is left alone, or a number with an exponent. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*e[+-]\d+/g;

/** Writes JSON with numbers in decimals: a whole number stays one for every reader. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 4).replace(TEXT_OR_NUMBER, (part) =>
    part.startsWith('"') ? part : decimal(Number(part)),
  );
}
