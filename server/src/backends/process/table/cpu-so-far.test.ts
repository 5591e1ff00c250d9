import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { cpuMsSoFar } from "#backends/process/table/cpu-so-far";
import { withLocal } from "#backends/local/local-fixture";

test(
  "the processor time of a running job grows, with that of its children",
  withLocal(async (local) => {
    const backend = local.open();
    const request = local.request("(while :; do :; done) & wait");
    await backend.submit(request);
    const soFar = () => backend.cpuMsSoFar!([request.id]);
    while ((await soFar()) < 100) await new Promise((resolve) => setTimeout(resolve, 20));
    const early = await soFar();
    while ((await soFar()) <= early) await new Promise((resolve) => setTimeout(resolve, 20));
    const used = await soFar();
    const end = await backend.cancel(request);
    expect(end.usage?.cpuMs).toBeGreaterThanOrEqual(used);
    expect(await soFar()).toBe(0);
  }),
);

test("a root counts with all descendants, and an ended root counts zero", async () => {
  const script =
    "(bash -c 'while :; do :; done; :') & echo $!; read -r; kill $(<\"/proc/$!/task/$!/children\") $!; wait";
  const root = spawn("bash", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
  const gone = once(root, "exit");
  await once(root.stdout, "data");
  const soFar = () => cpuMsSoFar({ marks: new Set(), roots: [root.pid!] });
  await expect.poll(soFar).toBeGreaterThan(100);
  root.stdin.write("\n");
  await gone;
  expect(await soFar()).toBe(0);
});
