import path from "node:path";
import { runCwl } from "#app/cwl/cwl-runner";
import { UnusableWorkflow } from "#app/cwl/runner-documents";
import type { CwlCall, CwlResult } from "#cli/context";
import type { Config } from "#config/settings";

/** The exit code of a document that asks for what is not supported: test suites count it apart. */
const EXIT_UNSUPPORTED = 33;
const EXIT_FAILURE = 1;

export async function runCwlCall(config: Config, call: CwlCall): Promise<CwlResult> {
  try {
    const { given: _, ...others } = call;
    const { ok, outputs, reason } = await runCwl(config, {
      ...others,
      inputs: {},
      outdir: path.resolve(call.outdir),
    });
    return { exitCode: ok ? 0 : EXIT_FAILURE, outputs, reason };
  } catch (error) {
    if (!(error instanceof UnusableWorkflow)) throw error;
    const exitCode = error.isUnsupported ? EXIT_UNSUPPORTED : EXIT_FAILURE;
    return { exitCode, outputs: undefined, reason: error.message };
  }
}
