import { afterAll, beforeAll, expect, test } from "vitest";
import { BASH_IMAGE, NO_PODMAN, openPodman, type Podman } from "#backends/containers/podman-fixture";
import { describeUnless } from "#plumbing/needs-suite";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

interface Reply {
  readonly state: string;
  readonly first_difference: { readonly steps: string[]; readonly has_other_image: boolean } | null;
  readonly cause: {
    readonly state: string;
    readonly condition: string | null;
    readonly sentence: string;
    readonly excluded: string[];
  } | null;
}

const OTHER = "localhost/other:1";
const STORY_MAX_MS = 300_000;

/** Two images with one tag and another content, in a real podman. */
describeUnless(NO_PODMAN)("a verification after the tag of an image has moved", () => {
  let podman: Podman;
  let server: RealServer;
  let folder: string;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    podman = openPodman();
    podman.addImage(BASH_IMAGE, [], { "etc/release": "one\n" });
    podman.addImage(OTHER, [], { "etc/release": "two\n" });
    ({ folder, remove } = await temporaryFolder());
    server = await startRealServer(folder, { REPRISE_CONTAINERS: "podman", REPRISE_PULL_IMAGES: "never" });
  });
  afterAll(async () => {
    await server?.stop();
    podman?.close();
    await remove();
  });

  test(
    "names the image as the cause, shown by repetitions in both images",
    async () => {
      const api = client(server.url);
      const post = async (path: string, body: object) =>
        (await api.call("POST", path, JSON.stringify(body))).body;
      const steps = [
        { name: "count", environment: BASH_IMAGE, commands: ["echo 7 > n.txt"] },
        { name: "release", environment: BASH_IMAGE, commands: ["cat /etc/release > out.txt"] },
      ];
      const document = {
        workflow: { type: "serial", specification: { steps } },
        outputs: { files: ["n.txt", "out.txt"] },
      };
      const run = (await post("workflows", document))["workflow_id"] as string;
      await api.setStatus(run, "start");
      expect(await api.ended(run)).toMatchObject({ status: "finished" });
      podman.run("tag", OTHER, BASH_IMAGE);
      // The server remembers the image for ten seconds.
      await expect
        .poll(
          async () => (await api.call("GET", `workflows/${run}/verification/plan`)).body["notes"] as string[],
          { timeout: 30_000, interval: 1000 },
        )
        .toContainEqual(expect.stringContaining("is another one than in the run"));
      const started = (await post(`workflows/${run}/verify`, {})) as {
        repetition: { workflow_id: string };
      };
      await api.ended(started.repetition.workflow_id);
      let reply: Reply;
      for (;;) {
        reply = (await api.call("GET", `workflows/${run}/verification`)).body as unknown as Reply;
        if (reply.cause?.state !== "open") break;
        const { workflow_id: id } = await post(`workflows/${run}/verification/repetitions`, {});
        await api.ended(id as string);
      }
      expect(reply, reply.cause?.sentence ?? "no cause").toMatchObject({
        state: "different",
        first_difference: { steps: ["release"], has_other_image: true },
        cause: { state: "found", condition: "image" },
      });
      expect(reply.cause!.sentence).toContain("The cause in release (out.txt) is the image");
    },
    STORY_MAX_MS,
  );
});
