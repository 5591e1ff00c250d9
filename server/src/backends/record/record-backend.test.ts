import { existsSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  appears,
  backendFixture,
  begun,
  folderOf,
  processesWith,
  uniqueSleep,
} from "#backends/backend-fixture";
import { backendContract } from "#backends/contract-suite";
import { ForkingPlace } from "#backends/record/forking-place-fixture";
import { openRecordBackend } from "#backends/record/record-backend";
import { openRecords, recordOptions } from "#backends/record/record-fixture";

backendContract(
  "A backend over records",
  openRecords(() => new ForkingPlace()),
);

describe("A job over records", () => {
  const place = new ForkingPlace();
  const the = backendFixture(openRecords(() => place));

  test("with a killed supervisor is lost, and no process is left", async () => {
    const long = uniqueSleep();
    const job = the.request(`setsid ${long} & echo up > up; ${long}`);
    const { outsideId } = await begun(the.backend, job);
    await appears(path.join(the.workspaceFolder, "up"));
    place.killSupervisor(outsideId!);
    const end = await the.ends.of(job.id);
    expect(end).toMatchObject({
      reason: "lost",
      exitCode: null,
      detail: expect.stringContaining("ended without recording how the job ended. The process has ended."),
    });
    await expect.poll(() => processesWith(long)).toEqual([]);
    expect(await the.backend.submit(job)).toMatchObject({ status: "ended", end });
  });
  test("that needs a credential of the grid is refused before it is sent", async () => {
    const job = the.request("echo ran > ran", { vomsProxy: true, rucio: true });
    await expect(the.backend.submit(job)).rejects.toThrow(
      /^The step needs a VOMS proxy and a configuration of Rucio, which .+ cannot give to jobs\. Run the step with another/,
    );
    expect(existsSync(path.join(the.workspaceFolder, "ran"))).toBe(false);
  });
  test("on a silent node is lost once an administrator declares it, on any server", async () => {
    place.silentNodes = new Map([[os.hostname(), "down*"]]);
    onTestFinished(() => void (place.silentNodes = new Map()));
    const job = the.request(`echo up > up; ${uniqueSleep()}`);
    const { outsideId } = await begun(the.backend, job);
    await appears(path.join(the.workspaceFolder, "up"));
    place.killSupervisor(outsideId!);
    await expect
      .poll(() => the.ends.told(job.id).at(-1))
      .toMatchObject({ concern: expect.stringContaining(`reprise admin declare-job-lost ${job.id}`) });
    const { backend: other } = await the.reopen();
    expect(await other.declareLost!(job.id)).toBe(true);
    const detail = "An administrator declared the job lost, because its node did not answer any more.";
    expect(await the.ends.of(job.id)).toMatchObject({ reason: "lost", detail });
    expect(await other.declareLost!(job.id)).toBe(false);
    expect(await other.declareLost!("00000000-0000-0000-0000-000000000000")).toBe(false);
  });

  test("declared lost is ended by its supervisor on a living node", async () => {
    const long = uniqueSleep();
    const job = the.request(`echo up > up; ${long}`);
    await begun(the.backend, job);
    await appears(path.join(the.workspaceFolder, "up"));
    expect(await the.backend.declareLost!(job.id)).toBe(true);
    expect(await the.ends.of(job.id)).toMatchObject({ reason: "lost" });
    await expect.poll(() => processesWith(long)).toEqual([]);
  });

  test("that was the first of its server is never judged by another cluster", async () => {
    const job = the.request("exec sleep 100");
    const { outsideId } = await begun(the.backend, job);
    place.cluster = "another";
    place.killSupervisor(outsideId!);
    // Several listings, and the time of a doubt.
    await setTimeout(800);
    expect(await the.backend.submit(job)).toMatchObject({ status: "running" });
    place.cluster = "this-machine";
    expect(await the.ends.of(job.id)).toMatchObject({ reason: "lost" });
  });
  test("that the cluster forgot before its start is sent again, and runs once", async () => {
    place.forgets = 2;
    const job = the.request("echo ran >> ran");
    await the.backend.submit(job);
    expect(await the.ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(await the.lines("ran")).toEqual(["ran"]);
  });

  test("is not ended in place of a cancelled job that had its number before the cluster lost its state", async () => {
    place.loseState();
    place.forgets = 1;
    const first = the.request("echo ran >> ran");
    const { outsideId } = await the.backend.submit(first);
    place.loseState();
    const second = the.request("sleep 1");
    expect(await begun(the.backend, second)).toMatchObject({ outsideId: "1" });
    expect(outsideId).toBe("1");
    await the.backend.cancel(first);
    expect(await the.ends.of(second.id)).toMatchObject({ reason: "exited", exitCode: 0 });
  });

  test("that the cluster starts twice runs once", async () => {
    place.startsTwice = true;
    onTestFinished(() => void (place.startsTwice = false));
    const job = the.request("echo ran >> ran; sleep 0.3");
    await the.backend.submit(job);
    expect(await the.ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(await the.lines("ran")).toEqual(["ran"]);
  });

  test("that the cluster wrongly calls ended is lost, and does not go on behind the back of its run", async () => {
    const long = uniqueSleep();
    const job = the.request(`echo up > up; ${long}`);
    await the.backend.submit(job);
    await appears(path.join(the.workspaceFolder, "up"));
    place.lies = true;
    onTestFinished(() => void (place.lies = false));
    expect(await the.ends.of(job.id)).toMatchObject({ reason: "lost" });
    await expect.poll(() => processesWith(long)).toEqual([]);
  });

  test("gets no verdict from a listing that arrives after its server has closed", async () => {
    const held = Promise.withResolvers<void>();
    const reports: string[] = [];
    const folder = await folderOf([]);
    const own = new ForkingPlace();
    const options = recordOptions(folder, own);
    const backend = openRecordBackend({
      ...options,
      log: { error: (_details, message) => void reports.push(message) },
    });
    const request = { ...the.request("exec sleep 100"), hostToken: backend.hostToken };
    const { outsideId } = await begun(backend, request);
    own.killSupervisor(outsideId!);
    const list = vi.spyOn(own, "list");
    // The first listing without the process begins the doubt. The next one would end it with a verdict.
    await expect.poll(() => list.mock.results.length).toBeGreaterThan(0);
    const listing = await own.list();
    list.mockImplementation(() => held.promise.then(() => listing));
    const calls = list.mock.calls.length;
    await expect.poll(() => list.mock.calls.length).toBeGreaterThan(calls);
    await setTimeout(options.times!.doubtMs);
    await backend.close();
    rmSync(folder, { recursive: true });
    held.resolve();
    await setTimeout(300);
    expect(reports).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  test("that the cluster forgets each time never starts, with a sentence", async () => {
    place.forgets = 4;
    const job = the.request("echo ran >> ran");
    await the.backend.submit(job);
    expect(await the.ends.of(job.id)).toMatchObject({
      reason: "not-started",
      detail: "Forks does not know the job any more.",
    });
    expect(place.forgets).toBe(0);
  });
});
