import { expect, test } from "vitest";
import type { Backend } from "#backends/backend";
import { type LocalFixture, sharedLocal } from "#backends/local/local-fixture";

let local: LocalFixture;
let backend: Backend;
sharedLocal((opened) => void ({ local, backend } = opened));

const IMAGE = "The step names the image root:6.32; jobs run on this machine without it.";

test.each([
  ["no-such-root -b", 127, `${IMAGE} Install \`no-such-root\` here, or put its set-up into a first step.`],
  [
    "cd . && no-such-root -b",
    127,
    `${IMAGE} Install \`no-such-root\` here, or put its set-up into a first step.`,
  ],
  ["exit 127", 127, `${IMAGE} Install what the command needs here, or put its set-up into a first step.`],
  ["touch go.sh; ./go.sh", 126, IMAGE],
  ["exit 1", 1, undefined],
])("%s: exit %i", async (script, exitCode, detail) => {
  const { id, end } = await local.run(backend, script, { image: "root:6.32" });
  expect([end.exitCode, end.detail]).toEqual([exitCode, detail]);
  expect(await local.open().submit({ ...local.request(script, { image: "root:6.32" }), id })).toEqual({
    status: "ended",
    end,
  });
});

test("a step without an image says nothing about images", async () => {
  const { end } = await local.run(backend, "no-such-root", { image: null });
  expect([end.exitCode, end.detail]).toEqual([127, undefined]);
});
