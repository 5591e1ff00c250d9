const ERROR_LINE = / \| MainThread \| ERROR \| (.*)$/;

/** The texts of an engine's lines of level ERROR: the sentence that says why a run failed, then what its job printed last. */
export function errorLines(engineLog: string): string[] {
  return engineLog.split("\n").flatMap((line) => ERROR_LINE.exec(line)?.[1] ?? []);
}
