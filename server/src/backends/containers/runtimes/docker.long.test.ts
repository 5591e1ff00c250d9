import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { containerContract } from "#backends/containers/containers-fixture";
import { loadFrom } from "#backends/containers/images/image-store";
import { PLAIN_IMAGE } from "#backends/containers/podman-fixture";
import { findRuntime, type Runtime } from "#backends/containers/runtime";
import { type Docker, HAS_DOCKER, openDocker } from "#backends/containers/runtimes/docker-fixture";
import { describeUnless } from "#plumbing/needs-suite";

describeUnless(HAS_DOCKER ? undefined : "it needs docker, and root: apt-get install docker.io")(
  "in containers of docker",
  () => {
    let docker: Docker;
    beforeAll(async () => {
      docker = await openDocker();
    });
    afterAll(() => docker.close());

    containerContract(() => docker, "docker");

    test("an archive of `docker save` is loaded, whose equal layers are links", async () => {
      const names = ["localhost/layers:1", "localhost/layers:2", "localhost/layers:3"];
      for (const [at, name] of names.entries()) {
        const container = docker.run("create", names[at - 1] ?? PLAIN_IMAGE, "true").trim();
        docker.run("commit", container, name);
        docker.run("rm", container);
      }
      const archive = path.join(docker.folder, "layers.tar");
      docker.run("save", "--output", archive, ...names);
      docker.run("image", "rm", ...names);
      const loaded = await loadFrom((await findRuntime("docker")) as Runtime, archive);
      expect(loaded.flatMap((image) => image.names).toSorted()).toEqual(names);
    });
  },
);
