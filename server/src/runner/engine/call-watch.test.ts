import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchCall } from "#runner/engine/call-watch";
import { maybeProcessorMs } from "#plumbing/processor-time";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns the elapsed time after which a call is too long, if its process gets this share of a processor. */
function limitFor(share: number | undefined): number {
  let lasted = 0;
  let isTooLong = false;
  const processorMs = () => (share === undefined ? undefined : 500 + lasted * share);
  const end = watchCall({ maxCallMs: 10_000, processorMs, onTooLong: () => void (isTooLong = true) });
  while (!isTooLong && lasted < 1e6) {
    lasted += 500;
    vi.advanceTimersByTime(500);
  }
  end();
  return lasted;
}

test.each([
  [1, 10_000],
  [0.5, 20_000],
  [0.2, 50_000],
  [0.01, 100_000],
  [0, 100_000],
  [undefined, 10_000],
])("a call whose process gets %s of a processor may last %i ms", (share, expected) => {
  expect(limitFor(share)).toBe(expected);
});

test("a call that has ended is watched no longer", () => {
  const onTooLong = vi.fn<() => void>();
  watchCall({ maxCallMs: 1000, processorMs: () => undefined, onTooLong })();
  vi.advanceTimersByTime(1e6);
  expect(onTooLong).not.toHaveBeenCalled();
});

test("the processor time of a process that is gone is not known", () => {
  expect(maybeProcessorMs(2 ** 22 + 1)).toBeUndefined();
  expect(maybeProcessorMs(undefined)).toBeUndefined();
});
