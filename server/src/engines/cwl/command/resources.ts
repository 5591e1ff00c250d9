import type { Effective } from "#engines/cwl/command/requirements";
import { CwlFailure, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";

/** Resources promised to a job, as shown in `runtime`: cores, and sizes in MiB, rounded up, never 0. */
export interface Promised {
  readonly cores: number;
  readonly ram: number;
  readonly tmpdirSize: number;
  readonly outdirSize: number;
}

const DEFAULTS = { cores: 1, ram: 256, tmpdir: 1024, outdir: 1024 } as const;

/** Returns the requested minimum of each resource, or the maximum if no minimum is given. */
export function promisedResources(
  effective: Effective,
  evaluator: Evaluator,
  variables: Variables,
): Promised {
  const requirement = effective["ResourceRequirement"] ?? {};
  const amount = (name: keyof typeof DEFAULTS): number => {
    const least = evaluated(requirement, `${name}Min`, evaluator, variables);
    const most = evaluated(requirement, `${name}Max`, evaluator, variables);
    if (least !== undefined && most !== undefined && most < least)
      throw new CwlFailure(
        `${evaluator.what}, ResourceRequirement: \`${name}Max\` is ${most}, less than \`${name}Min\`, ${least}.`,
      );
    return Math.max(1, Math.ceil(least ?? most ?? DEFAULTS[name]));
  };
  return {
    cores: amount("cores"),
    ram: amount("ram"),
    tmpdirSize: amount("tmpdir"),
    outdirSize: amount("outdir"),
  };
}

function evaluated(
  requirement: Readonly<Record<string, unknown>>,
  field: string,
  evaluator: Evaluator,
  variables: Variables,
): number | undefined {
  const value = evaluator.value(requirement[field], variables, { field: `\`${field}\`` });
  if (value === undefined || value === null) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new CwlFailure(
    `${evaluator.what}, ResourceRequirement: \`${field}\` is ${JSON.stringify(value)}, not an amount.`,
  );
}

/** Returns the time limit of the command in seconds. Undefined if there is no limit. */
export function maybeTimeLimit(
  effective: Effective,
  evaluator: Evaluator,
  variables: Variables,
): number | undefined {
  const value = evaluator.value(effective["ToolTimeLimit"]?.["timelimit"], variables, {
    field: "`timelimit`",
  });
  if (value === undefined || value === null || value === 0) return undefined;
  if (typeof value === "number" && value > 0) return value;
  throw new CwlFailure(
    `${evaluator.what}, ToolTimeLimit: \`timelimit\` is ${JSON.stringify(value)}, not a number of seconds from 0 on.`,
  );
}
