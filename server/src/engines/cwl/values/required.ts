import { CwlFailure, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";

/** Evaluates the field `required` of a secondary file. */
export function isSecondaryRequired(
  evaluator: Evaluator,
  required: boolean | string,
  variables: Variables,
  what: string,
): boolean {
  const value = evaluator.value(required, variables, { field: "`required` of `secondaryFiles`" });
  if (typeof value === "boolean" || value === null) return value === true;
  throw new CwlFailure(
    `${what}: \`required\` of \`secondaryFiles\` is ${JSON.stringify(value)}, not true or false.`,
  );
}
