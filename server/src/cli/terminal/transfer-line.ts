import { progressLine, type Transfer, type TransferTotal } from "#cli/terminal/progress-line";
import type { Clock } from "#plumbing/clock";

/** A copy that takes less time is not shown. */
const SHOWN_AFTER_MS = 1000;

/** The current copy, for the live line of a display. */
export interface TransferLine {
  begin(total: TransferTotal): Transfer;
  /** Returns undefined until a copy has taken long enough to be shown. */
  text(): string | undefined;
}

export function transferLine(clock: Clock): TransferLine {
  let text: (() => string | undefined) | undefined;
  return {
    text: () => text?.(),
    begin(total) {
      const count = { files: 0, bytes: 0, checked: 0 };
      const beganAtMs = clock.elapsedMs();
      const own = () => {
        const elapsedMs = clock.elapsedMs() - beganAtMs;
        return elapsedMs < SHOWN_AFTER_MS ? undefined : progressLine(total, count, elapsedMs);
      };
      text = own;
      return {
        bytes: (more) => void (count.bytes += more),
        checked: (more) => void (count.checked += more),
        file: () => void (count.files += 1),
        end() {
          if (text === own) text = undefined;
        },
      };
    },
  };
}

/** A transfer without a display. */
export const NO_TRANSFER: Transfer = {
  bytes: () => undefined,
  checked: () => undefined,
  file: () => undefined,
  end: () => undefined,
};
