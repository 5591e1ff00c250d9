import { expect, test } from "vitest";
import { withLocal } from "#backends/local/local-fixture";

test(
  "the processor time of a running job grows, with that of its children",
  { timeout: 30_000 },
  withLocal(async (local) => {
    const backend = local.open();
    const request = local.request("(while :; do :; done) & wait");
    await backend.submit(request);
    const soFar = () => backend.cpuMsSoFar!([request.id]);
    while ((await soFar()) < 100) await new Promise((resolve) => setTimeout(resolve, 20));
    const early = await soFar();
    while ((await soFar()) <= early) await new Promise((resolve) => setTimeout(resolve, 20));
    await backend.cancel(request);
    expect(await soFar()).toBe(0);
  }),
);
