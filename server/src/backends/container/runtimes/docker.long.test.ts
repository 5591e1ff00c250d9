import { afterAll, beforeAll, describe } from "vitest";
import { containerContract } from "#backends/container/containers-fixture";
import { type Docker, HAS_DOCKER, openDocker } from "#backends/container/runtimes/docker-fixture";

describe.runIf(HAS_DOCKER)("in containers of docker", () => {
  let docker: Docker;
  beforeAll(async () => {
    docker = await openDocker();
  });
  afterAll(() => docker.close());

  containerContract(() => docker, "docker");
});
