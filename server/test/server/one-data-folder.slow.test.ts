import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { needsPostgres } from "#store/dialects/postgres-server-suite";
import { command } from "../support/command.ts";
import {
  client,
  EndedEarly,
  type RealServer,
  startRealServer,
  temporaryFolder,
} from "../support/real-server.ts";

let environment: Record<string, string>;
let dataFolder: (name: string) => string;
let removeFolder: () => Promise<void>;

beforeEach(needsPostgres);
beforeEach(async () => {
  environment = { REPRISE_DATABASE: await makeDatabase("template1") };
  const { folder, remove } = await temporaryFolder();
  dataFolder = (name) => path.join(folder, name);
  removeFolder = remove;
});
afterEach(() => removeFolder());

const start = (name: string) => startRealServer(dataFolder(name), environment);

/** Runs a command until it ends. Returns the exit code and standard error. */
async function reprise(...words: readonly string[]): Promise<string> {
  const typed = command(words, { environment });
  return `${await typed.ended} ${typed.stderr()}`;
}

const REFUSED =
  /belongs to another data folder than \S+\/two: that of the host \S+ \([0-9a-f-]{36}\), whose server /;

test("a second data folder on the same database is refused, and the first one reads the files of its runs", async () => {
  const one = await start("one");
  const api = client(one.url);
  const run = await api.create(["cat word.txt"]);
  await api.upload(run, "word.txt", "here");
  const refusal = start("two");
  await expect(refusal).rejects.toThrow(REFUSED);
  await expect(refusal).rejects.toThrow(
    /is running \(it was last seen at .* UTC\).* name an empty database here\./,
  );
  expect(await reprise("user", "list", "--data", dataFolder("two"))).toMatch(REFUSED);
  await api.setStatus(run, "start");
  expect(await api.ended(run)).toMatchObject({ status: "finished" });

  await one.kill();
  const again = await start("one");
  expect(await client(again.url).status(run)).toMatchObject({ status: "finished" });
  await again.stop();
  await expect(start("two")).rejects.toThrow(
    /whose server has signed off\. .* restore a backup into an empty database/,
  );
});

test("of two data folders that start at once on an empty database, one is refused", async () => {
  const starts = await Promise.allSettled(["one", "two"].map(start));
  const failures = starts.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
  expect(failures).toMatchObject([expect.any(EndedEarly)]);
  expect(failures[0]!.message).toContain("belongs to another data folder");
  const started = starts.find(
    (one): one is PromiseFulfilledResult<RealServer> => one.status === "fulfilled",
  )!;
  await started.value.stop();
});
