/** Secrets of a user for the jobs of all their runs, outside of any specification. */

/** env: a variable with the secret's name. file: a file with the secret's name. */
export const SECRET_TYPES = ["env", "file"] as const;

export type SecretType = (typeof SECRET_TYPES)[number];

/** Secrets to be given to one job. */
export interface JobSecrets {
  readonly environment: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** The variable with the folder that contains a job's secret files. */
export const SECRETS_FOLDER_VARIABLE = "REANA_SECRETS_DIR";

/** Valid variable names in bash. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names that Kubernetes accepts for a secret's file. */
const FILE_NAME = /^[-._A-Za-z0-9]+$/;
const NAME_MAX = 253;
/** Linux starts no program with a longer environment variable: 128 KiB with its name. */
export const VARIABLE_BYTES_MAX = 130_000;

/** Returns why a secret cannot be given to jobs, as a sentence. Undefined if it can. */
export function secretProblem(name: string, type: SecretType, value: Buffer): string | undefined {
  const shown = JSON.stringify(name.slice(0, NAME_MAX));
  const isName = (type === "env" ? VARIABLE_NAME : FILE_NAME).test(name) && !/^\.\.?$/.test(name);
  if (!isName || name.length > NAME_MAX) {
    return type === "env"
      ? `Secret ${shown} cannot be an environment variable: its name must be letters, digits and underscores.`
      : `Secret ${shown} cannot be a file: its name must be letters, digits, dots, dashes and underscores.`;
  }
  const fault = type === "env" ? variableFault(value) : undefined;
  if (fault === undefined) return undefined;
  return `Secret ${shown} cannot be an environment variable: its value is ${fault}. Add it as a file.`;
}

function variableFault(value: Buffer): string | undefined {
  if (!isText(value)) return "not UTF-8 text";
  return value.length > VARIABLE_BYTES_MAX ? `longer than ${VARIABLE_BYTES_MAX} bytes` : undefined;
}

function isText(value: Buffer): boolean {
  return !value.includes(0) && value.equals(Buffer.from(value.toString("utf8")));
}
