import { createHash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { originLines } from "#cli/files/origin/origin-lines";
import type { OriginReply } from "#cli/files/origin/origin-reply";
import { askForPublication, recordProgress } from "#store/publications/publications";
import { T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";

const fixture = await reuseFixture();
const { api, db, ada, ran, step } = fixture;
afterAll(() => fixture.close());

const DOI = "10.5072/zenodo.12";
const specification = {
  inputs: { files: ["data/in.txt"] },
  workflow: { type: "serial", specification: { steps: [step("fit", "echo mass > mass.txt")] } },
  outputs: { files: ["mass.txt"] },
} as Specification;

async function origin(): Promise<OriginReply> {
  const sha256 = createHash("sha256").update("mass\n").digest("hex");
  const ask = async () => (await api.inject(`/api/origin?sha256=${sha256}&${T(ada)}`)).json<OriginReply>();
  await expect.poll(async () => (await ask()).pending_runs).toBe(0);
  return ask();
}

/** Returns the lines of the command that name a DOI. */
function linesWithDoi(reply: OriginReply): string[] {
  const traced = { file: "mass.txt", reply, inside: [], differences: [] };
  return originLines(traced, "UTC").filter((line) => line.includes("doi.org"));
}

async function deposited(runId: string, isPublished: boolean): Promise<void> {
  const description = {
    title: "Mass",
    creators: [],
    description: "",
    version: "fit.1",
    day: "2026-01-02",
    license: undefined,
    keywords: [],
    identifier: `urn:uuid:${runId}`,
  };
  const request = { root: "https://zenodo.org", secret: "T", description, server: "", program: "" };
  await askForPublication(db, { runId, request, submits: false }, 0);
  await recordProgress(db, runId, { id: "12", doi: DOI, ...(isPublished && { isPublished }) });
}

test("a file of a published run names the DOI, and of a draft the reserved DOI", async () => {
  const run = await ran(specification);
  const before = await origin();
  expect(before.items[0]).toMatchObject({ doi: null, is_published: false });
  expect(linesWithDoi(before)).toEqual([]);
  await deposited(run, false);
  const draft = await origin();
  expect(draft.items[0]).toMatchObject({ doi: DOI, is_published: false });
  expect(linesWithDoi(draft)).toEqual([
    `  DOI        https://doi.org/${DOI} (reserved for a draft that is not public)`,
  ]);
  await deposited(run, true);
  const published = await origin();
  expect(published.items[0]).toMatchObject({ doi: DOI, is_published: true });
  expect(linesWithDoi(published)).toEqual([`  DOI        https://doi.org/${DOI}`]);
  const [item] = published.items;
  const newer = { ...published, items: [{ ...item!, doi: null, is_published: false }, item!] };
  expect(linesWithDoi(newer)).toEqual([
    expect.stringMatching(/^The same content is in w\d+\.1 \(mass\.txt, DOI https:/) as string,
  ]);
});
