import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const SCRIPT = new URL("bind-sources.sh", import.meta.url).pathname;

const MOUNTS = [
  "36 35 98:0 /data/a /a rw,noatime - ext4 /dev/root rw",
  "37 35 98:0 /data/a /other rw,noatime - ext4 /dev/root rw",
  "38 35 98:0 /data/with\\040space /b rw,noatime master:1 - ext4 /dev/root rw",
  "39 35 98:0 /data/* /c rw,noatime - ext4 /dev/root rw",
  "40 35 98:0 /data/[$(touch\\040/nowhere)] /d rw,noatime - ext4 /dev/root rw",
  "41 35 98:1 /keys /e rw,noatime - ext4 /dev/root rw",
];

function showsAll(...sources: string[]): boolean {
  const code = `. ${SCRIPT}; mapfile -t mounts; shows_all "$@"`;
  const { status } = spawnSync("bash", ["-c", code, "bash", ...sources], { input: MOUNTS.join("\n") });
  return status === 0;
}

test("a source is shown as often as it is given", () => {
  expect(showsAll()).toBe(true);
  expect(showsAll("98:0 /data/a")).toBe(true);
  expect(showsAll("98:0 /data/a", "98:0 /data/a")).toBe(true);
  expect(showsAll("98:0 /data/a", "98:0 /data/a", "98:0 /data/a")).toBe(false);
});

test("a source has a device and a whole name", () => {
  expect(showsAll("98:1 /data/a")).toBe(false);
  expect(showsAll("98:0 /data")).toBe(false);
  expect(showsAll("98:0 /data/a/b")).toBe(false);
});

test("names are compared letter by letter", () => {
  expect(
    showsAll(...["with\\040space", "*", "[$(touch\\040/nowhere)]"].map((name) => `98:0 /data/${name}`)),
  ).toBe(true);
  expect(showsAll("98:0 /data/?")).toBe(false);
});
