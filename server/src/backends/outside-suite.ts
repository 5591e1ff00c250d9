import { describe, expect, test } from "vitest";
import { BackendAwayError } from "#backends/backend";
import { backendFixture, type OpenBackend } from "#backends/backend-fixture";

/**
 * The promises about a place outside this machine: the queue, the absence of the place, and answers that are
 * lost on the way.
 */
export function outsideStates(name: string, open: OpenBackend): void {
  describe(`${name} keeps its word about a place outside`, () => {
    const the = backendFixture(open);

    test("a queued job reports the reason of the wait, then runs, then ends", async () => {
      const job = await the.held();
      the.place.queueNext("the image is being pulled");
      const queued = { status: "queued", reason: "the image is being pulled" };
      expect(await the.backend.submit(job)).toMatchObject(queued);
      expect(await the.backend.submit(job)).toMatchObject(queued);
      the.place.requeue(job.id, "no node is free");
      const later = await the.reopen();
      expect(await later.backend.submit(job)).toMatchObject({ status: "queued", reason: "no node is free" });
      the.place.begin(job.id);
      expect(await the.backend.submit(job)).toMatchObject({ status: "running" });
      await the.finish(job, 0);
      await the.ends.of(job.id);
      const words = the.ends.told(job.id).map(({ status }) => status);
      expect(words.toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))).toEqual(words);
      expect(words).toContain("running");
      expect(the.place.begins(job.id)).toBe(1);
    });

    test("a queued job that is cancelled never starts", async () => {
      const job = await the.held();
      the.place.queueNext("no node is free");
      await the.backend.submit(job);
      const end = await the.backend.cancel(job);
      expect(end).toMatchObject({ reason: "not-started", exitCode: null, startedAtMs: null });
      the.place.begin(job.id);
      expect(await the.backend.submit(job)).toMatchObject({ status: "ended", end });
      expect(the.place.begins(job.id)).toBe(0);
    });

    test("calls of an absent backend fail with a single sentence, and jobs continue", async () => {
      const [running, ending] = [await the.held(), await the.held()];
      await the.backend.submit(running);
      await the.backend.submit(ending);
      the.place.leave("The cluster does not answer.");
      const calls = [
        the.backend.submit(running),
        the.backend.cancel(running),
        the.backend.readLog(running.id, 0, 1),
        the.backend.logSize(running.id),
        the.backend.endLeftovers([running.id]),
        the.backend.remove([running.id]),
      ];
      for (const call of calls) {
        await expect(call).rejects.toThrow(BackendAwayError);
        await expect(call).rejects.toThrow("The cluster does not answer.");
      }
      expect(the.backend.away()).toBe("The cluster does not answer.");
      await the.finish(ending, 7);
      the.place.comeBack();
      expect(await the.ends.of(ending.id)).toMatchObject({ reason: "exited", exitCode: 7 });
      expect(await the.backend.submit(running)).toMatchObject({ status: "running" });
      expect(the.backend.away()).toBeUndefined();
    });

    test("a submission whose answer is lost is repeated without a second process", async () => {
      const job = await the.held();
      the.place.loseNextAnswer();
      await expect(the.backend.submit(job)).rejects.toThrow();
      expect(await the.backend.submit(job)).toMatchObject({ status: "running" });
      expect(the.place.begins(job.id)).toBe(1);
    });

    test("a cancellation whose answer is lost is repeated, with the same end", async () => {
      const job = await the.held();
      await the.backend.submit(job);
      the.place.loseNextAnswer();
      await expect(the.backend.cancel(job)).rejects.toThrow();
      const end = await the.backend.cancel(job);
      expect(end.reason).toBe("cancelled");
      expect(await the.ends.of(job.id)).toEqual(end);
    });
  });
}

const ORDER: readonly string[] = ["queued", "running", "ended"];
