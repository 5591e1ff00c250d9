/**
 * A request to a job that is running: the engine and the job talk through two files of the workspace, to which lines are
 * only appended. Both asks may be repeated, so a crash loses no line and doubles none.
 */
export type ChannelAsk =
  /**
   * `heard`: the whole lines of a file behind a position, as soon as there is one. Until then the ask waits, and it ends
   * unanswered with the run. The file need not exist yet.
   */
  | { readonly do: "hear"; readonly id: string; readonly path: string; readonly from: number }
  /**
   * `told`: the lines are at the end of a file, with numbers in front, of which `first` is that of the first line. Lines
   * whose numbers are there already are not appended again.
   */
  | {
      readonly do: "tell";
      readonly id: string;
      readonly path: string;
      readonly first: number;
      readonly lines: readonly string[];
    };

/** Limit on the text of the lines that are heard at once, and on one line. */
export const HEARD_MAX_BYTES = 1 << 20;
