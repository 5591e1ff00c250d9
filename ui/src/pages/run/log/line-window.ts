/** Height of a line in pixels. */
export const LINE_PX = 17;
/** The tallest element that every browser shows. Firefox ends at 17.9 million pixels, Chromium at 33.5 million. */
const TALLEST_PX = 17_500_000;
/**
 * Scroll step in lines, and the number of extra lines above and below, so that a small scroll does not
 * redraw.
 */
const STEP = 8;

/** The scroll position of a log and the height of its window, in pixels. */
export interface View {
  readonly scrollTop: number;
  readonly height: number;
}

/** The lines that are drawn, from `first` to before `end`. */
export interface LineWindow {
  readonly first: number;
  readonly end: number;
  /** Distance from the place of a line in the whole log to its place in the element, in pixels. */
  readonly shiftPx: number;
}

/** Returns the height of the element that holds the lines. */
export function heightOf(lines: number): number {
  return Math.min(lines * LINE_PX, TALLEST_PX);
}

/** Returns the lines to draw. A log that is taller than an element can be moves faster than its scroll bar. */
export function windowAt(view: View, lines: number): LineWindow {
  const above = view.scrollTop * stretch(view.height, lines);
  const first = Math.floor(above / LINE_PX / STEP) * STEP - STEP;
  const end = Math.ceil((above + view.height) / LINE_PX / STEP) * STEP + STEP;
  return { first: Math.max(0, first), end: Math.min(lines, end), shiftPx: view.scrollTop - above };
}

/** Returns more than the number of lines in any window of that height. */
export function mostLines(height: number): number {
  return (Math.ceil(height / LINE_PX / STEP) + 4) * STEP;
}

/** Returns how far to scroll so that the line is in the middle of the view. The browser stops at the end. */
export function scrollTopOf(line: number, height: number, lines: number): number {
  const above = line * LINE_PX - (height - LINE_PX) / 2;
  return Math.max(0, above / stretch(height, lines));
}

/** Returns the pixels of the log for each pixel of its scroll bar: 1 unless the log is too tall for an element. */
function stretch(height: number, lines: number): number {
  const [whole, shown] = [lines * LINE_PX, heightOf(lines)];
  return whole === shown ? 1 : (whole - height) / (shown - height);
}
