import { expect, test } from "vitest";
import { createLog } from "#plumbing/log";
import { quietInOutages } from "#plumbing/outages";

function logged() {
  const lines: string[] = [];
  const log = quietInOutages(
    createLog({ level: "info", destination: { write: (line) => void lines.push(line) } }),
  );
  return { log, lines: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const failure = (code: string) => Object.assign(new Error(`${code} it was`), { code });

test("an outage is a line without a stack at the beginning, and a line at the end", () => {
  const { log, lines } = logged();
  for (let times = 0; times < 100; times += 1) log.error({ err: failure("ENOSPC") }, "Looking failed.");
  log.warn({ err: new Error("outer", { cause: failure("SQLITE_FULL") }) }, "A request failed.");
  expect(lines()).toMatchObject([
    { level: "error", outage: "disk", reason: "ENOSPC it was", during: "Looking failed." },
  ]);
  expect(JSON.stringify(lines())).not.toContain("outages.test");
  expect([log.isUnderWay("disk"), log.isUnderWay("database")]).toEqual([true, false]);
  log.over("disk");
  log.over("disk");
  expect(lines().slice(1)).toMatchObject([
    { level: "info", failures: 101, msg: "The disk has space again." },
  ]);
});

test("each outage is reported once, and again if it returns", () => {
  const { log, lines } = logged();
  log.error({ err: failure("DATABASE_AWAY") }, "One.");
  log.error({ err: failure("ENOSPC") }, "Two.");
  log.over("database");
  log.error({ err: failure("DATABASE_LOST") }, "Three.");
  expect(lines().map(({ outage, level }) => `${String(level)} ${String(outage)}`)).toEqual([
    "error database",
    "error disk",
    "info database",
    "error database",
  ]);
});

test("every other line is logged unchanged", () => {
  const { log, lines } = logged();
  log.error({ err: failure("EIO") }, "Broken.");
  log.warn({ a: 1 }, "Odd.");
  log.info({ err: failure("ENOSPC") }, "Well.");
  expect(lines().map(({ msg }) => msg)).toEqual(["Broken.", "Odd.", "Well."]);
});
