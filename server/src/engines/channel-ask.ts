/**
 * A request to a running job. The engine and the job communicate through two append-only files of the workspace. Both
 * asks may be repeated: a crash neither loses nor duplicates a line.
 */
export type ChannelAsk =
  /**
   * `heard`: the complete lines of a file after a position. The ask waits until a line exists, and stays unanswered if
   * the run ends. The file need not exist yet.
   */
  | { readonly do: "hear"; readonly id: string; readonly path: string; readonly from: number }
  /**
   * `told`: the lines are at the end of a file, each prefixed with its number, counting from `first`. Lines with known
   * numbers are not appended again.
   */
  | {
      readonly do: "tell";
      readonly id: string;
      readonly path: string;
      readonly first: number;
      readonly lines: readonly string[];
    };

/** Maximum size of the lines heard at once, and of a single line. */
export const HEARD_MAX_BYTES = 1 << 20;
