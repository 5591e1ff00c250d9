import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { conformanceEnvironment } from "../conformance-environment.ts";

export interface Verdict {
  /** Issues that the profiles require or recommend to mend. */
  readonly issues: readonly string[];
  readonly checks: number;
  readonly skipped: number;
  /** Rows of each question in `conformance/crates/questions.sparql`. */
  readonly answers: Readonly<Record<string, readonly (readonly string[])[]>>;
}

const JUDGE = path.join(import.meta.dirname, "..", "..", "..", "..", "conformance", "crates", "judge.py");

/** Returns the verdicts of roc-validator on unpacked crates, which never uses a network. */
export async function judged(folders: readonly string[]): Promise<Verdict[]> {
  const environment = await conformanceEnvironment("crates");
  const python = path.join(environment, "bin", "python");
  const { stdout } = await promisify(execFile)(python, [JUDGE, ...folders], { maxBuffer: 64 << 20 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Verdict);
}
