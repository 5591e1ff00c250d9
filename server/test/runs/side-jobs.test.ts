import { expect, test } from "vitest";
import { backendsOf } from "#backends/backends";
import { SideJobs } from "#runner/jobs/side-jobs";
import { messageOf } from "#plumbing/errors";
import { createMask } from "#plumbing/secrets/mask";
import type { Job } from "#workflow/job/job";
import { fakeBackend } from "../support/fakes/fake-backend.ts";

const SECRET = "very-secret-text";
const JOB: Job = {
  key: "plan",
  name: "plan",
  node: "plan",
  command: { script: "plan" },
  displayCommand: "plan",
  image: null,
  environment: {},
};
const WANTED = { job: JOB, ownerId: "ada", workspaceFolder: "/w", files: { plugin: "text" } };
const { signal: NEVER } = new AbortController();

function sideJobs() {
  const backend = fakeBackend();
  const secrets = {
    maybeForJobs: async () => ({ environment: { KEY: SECRET }, files: new Map() }),
    mask: async () => createMask([Buffer.from(SECRET)]),
  };
  const jobs = new SideJobs({ backends: backendsOf([backend]), hostId: "host", secrets });
  return { backend, jobs };
}

test("a side job gets files next to the user's secrets, and the output shows no secret", async () => {
  const { backend, jobs } = sideJobs();
  const ran = jobs.run(WANTED, NEVER);
  const id = await backend.startedJob(0);
  backend.print(id, `one ${SECRET} two`);
  backend.end(id, { exitCode: 3 });
  expect(await ran).toMatchObject({
    end: { exitCode: 3 },
    text: expect.stringMatching(/one \*+ two$/),
  });
  expect(backend.secrets[0]).toEqual({
    environment: { KEY: SECRET },
    files: new Map([["plugin", Buffer.from("text")]]),
  });
  expect(backend.stateOf(id)).toBeUndefined();
});

test("a side job whose client leaves is cancelled and forgotten", async () => {
  const { backend, jobs } = sideJobs();
  const leaving = new AbortController();
  const ran = jobs.run(WANTED, leaving.signal).catch(messageOf);
  const id = await backend.startedJob(0);
  leaving.abort(new Error("left"));
  expect(await ran).toBe("left");
  expect(backend.stateOf(id)).toBeUndefined();
});

test("at most two run at once, under ids that another server of this folder would use again", async () => {
  const { backend, jobs } = sideJobs();
  const ran = [1, 2, 3].map(() => jobs.run(WANTED, NEVER));
  const [first, second] = [await backend.startedJob(0), await backend.startedJob(1)];
  expect(backend.started).toEqual([first, second]);
  // A killed server leaves both jobs behind, and the next server uses the same ids.
  backend.end(first);
  await ran[0];
  expect(await backend.startedJob(2)).toBe(first);
  for (const id of [first, second]) backend.end(id);
  await Promise.all(ran);
});

test("what a killed server left under an id is ended before the id is used", async () => {
  const { backend, jobs } = sideJobs();
  void jobs.run(WANTED, NEVER);
  const left = await backend.startedJob(0);
  const next = new SideJobs({
    backends: backendsOf([backend]),
    hostId: "host",
    secrets: { maybeForJobs: async () => undefined, mask: async () => createMask([]) },
  });
  const ran = next.run(WANTED, NEVER);
  expect(await backend.startedJob(1)).toBe(left);
  backend.end(left, { exitCode: 4 });
  expect(await ran).toMatchObject({ end: { exitCode: 4 } });
});

test("a queue of plans has an end", async () => {
  const { jobs } = sideJobs();
  const ran = Array.from({ length: 23 }, () => jobs.run(WANTED, NEVER));
  await expect(ran.at(-1)).rejects.toThrow("Try again in a minute.");
});
