import { expect, test } from "vitest";
import { shownCommand } from "#operations/watch/shown-command";

const place = { workspaceFolder: "/data/workspaces/7c", key: "fit/6" };

test.each([
  [
    "python /data/workspaces/7c/code/fit.py /data/workspaces/7c/data/s07.txt",
    "python code/fit.py data/s07.txt",
  ],
  ["fit '/data/workspaces/7c/my data/s 07.txt'", "fit 'my data/s 07.txt'"],
  ["fit --in=/data/workspaces/7c/a.txt -I/data/workspaces/7c/include", "fit --in=a.txt -Iinclude"],
  ["ls /data/workspaces/7c", "ls ."],
  ["ls /data/workspaces/7c/ '/data/workspaces/7c/'", "ls ./ './'"],
  ["cp /data/workspaces/7c/cwl/1/fit/6/out/a.txt b.txt", "cp a.txt b.txt"],
  ["cat /data/workspaces/7c/cwl/1.2/fit/6~2/in/0.txt", "cat 0.txt"],
  ["cat /data/workspaces/7c/cwl/1/align/6/out/a.bam", "cat cwl/1/align/6/out/a.bam"],
  ["cat /elsewhere/a.txt", "cat /elsewhere/a.txt"],
])("%s is shown as %s", (command, shown) => {
  expect(shownCommand(command, place)).toBe(shown);
});
