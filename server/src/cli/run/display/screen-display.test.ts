import { expect, test } from "vitest";
import type { Clock } from "#plumbing/clock";
import { viewOf } from "#cli/run/service/fake-run-service";
import { screenDisplay } from "#cli/run/display/screen-display";

/** A one-line terminal: holds the current line, which is redrawn, and the permanent lines above. */
function terminal(columns: number) {
  const lines = [""];
  return {
    lines,
    screen: {
      columns: () => columns,
      write(text: string) {
        // Dim text makes no difference here; `\r\u001b[K` clears the line.
        const plain = text.replaceAll("\u001b[2m", "").replaceAll("\u001b[22m", "");
        for (const [index, part] of plain.split("\n").entries()) {
          if (index > 0) lines.push("");
          const cut = part.lastIndexOf("\r\u001b[K");
          const last = cut === -1 ? `${lines.at(-1)!}${part}` : part.slice(cut + 4);
          lines[lines.length - 1] = last;
        }
      },
    },
  };
}

function stillClock() {
  const due: (() => void)[] = [];
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    elapsedMs: () => nowMs,
    after(_ms, callback) {
      due.push(callback);
      return () => void due.splice(due.indexOf(callback), 1);
    },
  };
  const pass = (ms: number) => {
    nowMs += ms;
    for (const callback of due.splice(0)) callback();
  };
  return { clock, pass, due };
}

test("a live line shows the current state, with a line above it for each ended job", () => {
  const { lines, screen } = terminal(60);
  const { clock, pass, due } = stillClock();
  const display = screenDisplay(screen, clock);
  display.started({ id: "1d", name: "fit.1", warnings: [] });
  const running = viewOf("running", [{ command: "python fit.py" }, { step: "", command: "sleep 1" }]);
  display.onEvents([], running);
  pass(12_000);
  expect(lines).toEqual(["fit.1 started.", "0/2  12 s  fit: python fit.py and 1 more"]);
  const ended = viewOf("running", [{ status: "finished", tookMs: 12_300 }, { command: "sleep 1" }]);
  display.onEvents([{ kind: "job-ended", job: ended.jobs[0]! }], ended);
  expect(lines).toEqual(["fit.1 started.", "✓ fit: python fit.py  12 s", "1/2  12 s  fit: sleep 1"]);
  display.end();
  expect(lines.at(-1)).toBe("");
  expect(due).toEqual([]);
});

test("no line is wider than the terminal, however long the command", () => {
  const { lines, screen } = terminal(30);
  const { clock } = stillClock();
  const display = screenDisplay(screen, clock);
  const command = `echo ${"x".repeat(100)}\n\u001b[31mred`;
  const view = viewOf("running", [{ command }]);
  display.onEvents([{ kind: "job-ended", job: { ...view.jobs[0]!, status: "failed", tookMs: 100 } }], view);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(30);
  expect(lines.join("")).not.toContain("\u001b");
});

test("a copy that takes more than a second shows its progress, below the output of the jobs", () => {
  const { lines, screen } = terminal(80);
  const { clock, pass } = stillClock();
  const display = screenDisplay(screen, clock);
  const copy = display.transfer({ verb: "Copied", noun: "inputs", files: 3, bytes: 4 << 20 });
  copy.bytes(1 << 20);
  pass(900);
  expect(lines).toEqual([""]);
  copy.file();
  copy.bytes(1 << 20);
  pass(1100);
  expect(lines).toEqual(["Copied 1/3 inputs, 2 MiB of 4 MiB (50 %), 1 MiB/s"]);
  copy.end();
  const view = viewOf("running", [{ command: "python fit.py" }]);
  display.onEvents([], view);
  display.printed({ ...view.jobs[0]!, label: "" }, ["half", "done"]);
  expect(lines).toEqual(["job | half", "job | done", "0/1  2.0 s  fit: python fit.py"]);
  display.end();
});

test("a waiting run shows the reason", () => {
  const { lines, screen } = terminal(80);
  const { clock, pass } = stillClock();
  const display = screenDisplay(screen, clock);
  display.onEvents([], { ...viewOf("queued"), waitingFor: "A job needs cores." });
  expect(lines).toEqual(["0/0  0.0 s  queued"]);
  pass(1000);
  expect(lines).toEqual(["0/0  1.0 s  waiting: A job needs cores."]);
});
