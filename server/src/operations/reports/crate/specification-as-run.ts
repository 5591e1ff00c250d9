import type { RunAccount } from "#operations/reports/run-account";
import { CONTINUING } from "#operations/runs/verification/repetition-start";
import { localTextsAt } from "#workflow/specification/declared-paths";

/** Files of a pack: those that the run was given, and the outputs that a new run is compared by. */
interface PackPaths {
  readonly given: readonly string[];
  readonly compared: readonly string[];
}

/**
 * Returns the specification with the parameters of the run, so that a new run computes the same outputs. For a pack,
 * the inputs are the given files: the folder of a pack holds outputs and supplies as well.
 */
export function specificationAsRun({ definition }: RunAccount, paths?: PackPaths) {
  const { specification, inputParameters, operationalOptions } = definition;
  const { directories, files, ...inputs } = specification.inputs ?? {};
  const parameters = { ...inputs.parameters, ...inputParameters };
  const all = { ...inputs.options, ...operationalOptions };
  const options = paths ? withoutContinuing(all) : all;
  return {
    ...specification,
    inputs: {
      ...inputs,
      ...(paths ? { files: paths.given } : { ...(files && { files }), ...(directories && { directories }) }),
      ...(Object.keys(parameters).length > 0 && { parameters }),
      ...(Object.keys(options).length > 0 && { options }),
    },
    ...(paths && { outputs: outputsOf(specification.outputs, paths) }),
  };
}

/** CWL names outputs that the specification need not declare. */
function outputsOf(outputs: object | undefined, { compared }: PackPaths) {
  return { ...outputs, files: [...new Set([...localTextsAt(outputs, "files"), ...compared])] };
}

function withoutContinuing(options: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !CONTINUING.has(name)));
}
