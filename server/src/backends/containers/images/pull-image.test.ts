import { expect, test } from "vitest";
import { withFewDescriptors } from "#plumbing/descriptors-suite";

test("a pull that cannot be started for want of file descriptors fails with that reason, and a later one succeeds", async () => {
  const code = `
    import { pullImage } from "#backends/containers/images/pull-image";
    import { systemClock } from "#plumbing/clock";
    const log = { write: () => undefined, close: () => undefined };
    const options = { image: "quay.io/a/b:1", log, timeoutMs: 10_000, folder: "/nowhere", clock: systemClock };
    const pull = () => pullImage({ name: "podman", program: "/bin/true" }, options);
    takeDescriptors(2);
    const without = await pull();
    giveBackDescriptors();
    print({ without, later: await pull() });`;
  expect(await withFewDescriptors(code)).toEqual({ without: expect.stringMatching(/EMFILE.*\.$/) });
});
