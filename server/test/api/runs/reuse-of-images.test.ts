import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";
import { reuseFixture, stepsOf } from "../../support/scenarios/reuse-fixture.ts";

const fixture = await reuseFixture();
const { api, db, chain, ran, restart } = fixture;

beforeEach(() => fixture.ranNow());
afterAll(() => fixture.close());

describe("the image of a step with an unchanged name,", () => {
  const { images } = api.backend;
  const [FIRST, SECOND] = ["sha256:1", "sha256:2"];

  /** Runs the chain with `fit` in an image of its own. */
  async function ranInImage(digest?: string) {
    if (digest === undefined) images.delete("tool:1");
    else images.set("tool:1", digest);
    const specification = chain();
    stepsOf(specification)[1]!.environment = "tool:1";
    return ran(specification);
  }

  test("runs the step again if it is another image now, and all after it, once", async () => {
    const id = await ranInImage(FIRST);
    expect((await restart(id)).steps).toEqual([]);
    images.set("tool:1", SECOND);
    const again = await restart(id);
    expect([again.steps, again.fields, again.reason]).toEqual([
      ["fit", "plot"],
      ["image_digest"],
      expect.stringMatching(
        /^Its image is not the one that it ran in in w\d+\.1\.1, although it has the same name\.$/,
      ),
    ]);
    const jobs = await jobsOfRun(db, again.id);
    expect(jobs.map(({ imageDigest }) => imageDigest)).toEqual([null, SECOND, null]);
    // A reused job keeps the image in which it ran, through any number of restarts.
    const third = await restart(again.id);
    const fourth = await restart(third.id);
    expect([third.steps, fourth.steps]).toEqual([[], []]);
    expect((await jobsOfRun(db, fourth.id))[1]!.imageDigest).toBe(SECOND);
  });

  test("runs no job again if the image is unknown on the machine", async () => {
    const id = await ranInImage(FIRST);
    images.set("tool:1", UNKNOWN_DIGEST);
    expect((await restart(id)).steps).toEqual([]);
  });

  test.each<[string, string | undefined, string | undefined, RegExp]>([
    [
      "without a container",
      FIRST,
      undefined,
      /^It ran in a container in w\d+\.1, and would run without one now\.$/,
    ],
    [
      "in a container",
      undefined,
      FIRST,
      /^It ran without a container in w\d+\.1, and would run in one now\.$/,
    ],
  ])("runs the step again if it would run %s now", async (_what, before, now, sentence) => {
    const id = await ranInImage(before);
    if (now === undefined) images.delete("tool:1");
    else images.set("tool:1", now);
    const again = await restart(id);
    expect([again.steps, again.reason]).toEqual([["fit", "plot"], expect.stringMatching(sentence)]);
  });
});
