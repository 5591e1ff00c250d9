import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openImages } from "#app/jobs/image-admin";
import { BASH_IMAGE, NO_PODMAN, openPodman, type Podman } from "#backends/containers/podman-fixture";
import { readConfig } from "#config/read";
import { UPDATED_IN_PLACE, updateInPlace } from "../support/engines/update-in-place.ts";
import { client, type RealServer, startRealServer } from "../support/real-server.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** The image named in an analysis. The test makes the image from Debian's own Python. */
const PYTHON_IMAGE = "docker.io/library/python:3.11-slim";

const GREET = `import pathlib, sys, time
source, target, pause = sys.argv[1:]
time.sleep(float(pause))
names = pathlib.Path(source).read_text().split()
pathlib.Path(target).parent.mkdir(parents=True, exist_ok=True)
pathlib.Path(target).write_text("".join(f"Hello {name}!\\n" for name in names))
print("greeted", len(names))
`;

/** An analysis of two steps, each in its own image: a program in Python, and a count in the shell. */
const ANALYSIS = {
  inputs: { files: ["code/greet.py", "data/names.txt"], parameters: { pause: 0 } },
  outputs: { files: ["results/greetings.txt", "results/count.txt"] },
  workflow: {
    type: "serial",
    specification: {
      steps: [
        {
          name: "greet",
          environment: PYTHON_IMAGE.replace("docker.io/library/", ""),
          kubernetes_memory_limit: "256Mi",
          commands: ['python3 "code/greet.py" data/names.txt results/greetings.txt ${pause}'],
        },
        {
          name: "count",
          environment: BASH_IMAGE,
          commands: ["wc -l < results/greetings.txt > results/count.txt; ! command -v python3"],
        },
      ],
    },
  },
};

interface ShownJob {
  readonly name: string;
  readonly reason: string;
  readonly image_digest: string | null;
}

/** A server and a real podman: each step runs in its image, and a restart compares the image too. */
describeUnless(NO_PODMAN)("an analysis in its images", () => {
  let podman: Podman;
  let server: RealServer;
  let folder: string;
  let run: string;

  const start = () => startRealServer(folder, { REPRISE_CONTAINERS: "podman", REPRISE_PULL_IMAGES: "never" });

  beforeAll(async () => {
    podman = openPodman();
    podman.addPython(PYTHON_IMAGE);
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-in-containers-"));
    server = await start();
  });
  afterAll(async () => {
    await server.stop();
    const left = podman.containers();
    podman.close();
    rmSync(folder, { recursive: true });
    if (left.length > 0) throw new Error(`Containers are left: ${left.join(", ")}`);
  });

  const jobsOf = async (id: string) => {
    const { body } = await client(server.url).call("GET", `workflows/${id}/jobs`);
    return body["items"] as readonly ShownJob[];
  };
  const planOf = async () => {
    const { body } = await client(server.url).call("POST", `workflows/${run}/restart-plan`, "{}");
    return (body["jobs"] as readonly { verdict: string; reason: string }[]).map((job) => [
      job.verdict,
      job.reason,
    ]);
  };
  const restart = async () => {
    const { status, body } = await client(server.url).call(
      "POST",
      `workflows/${run}/start`,
      JSON.stringify({ restart: true }),
    );
    expect([status, body]).toEqual([200, expect.anything()]);
    const again = body["workflow_id"] as string;
    expect((await client(server.url).ended(again))["status"]).toBe("finished");
    return again;
  };

  test("runs each step in its own, and leaves files of the server's user", async () => {
    const { call, upload, setStatus, ended, download } = client(server.url);
    const created = await call("POST", "workflows", JSON.stringify(ANALYSIS), "&workflow_name=greetings");
    run = created.body["workflow_id"] as string;
    await upload(run, "code/greet.py", GREET);
    await upload(run, "data/names.txt", "Ada Grace\n");
    await setStatus(run, "start");
    const { status } = await ended(run);
    const { body } = await call("GET", `workflows/${run}/logs`);
    expect([status, JSON.stringify(body)]).toEqual(["finished", expect.stringContaining("greeted 2")]);
    expect((await download(run, "results/greetings.txt")).text).toBe("Hello Ada!\nHello Grace!\n");
    expect((await download(run, "results/count.txt")).text).toBe("2\n");
    const digests = (await jobsOf(run)).map((job) => job.image_digest);
    expect(digests).toEqual([expect.stringMatching(/^sha256:/), expect.stringMatching(/^sha256:/)]);
    expect(new Set(digests).size).toBe(2);
  });

  test.each([
    ["in containers", BASH_IMAGE],
    ["behind the wall of the server", undefined],
  ])("updates files of a CWL workflow in place %s", async (_, image) => {
    const { call, upload, setStatus, ended, download } = client(server.url);
    const document = { inputs: {}, workflow: { type: "cwl", file: "main.cwl" } };
    const created = await call("POST", "workflows", JSON.stringify(document), "&workflow_name=update");
    const id = created.body["workflow_id"] as string;
    await upload(id, "main.cwl", updateInPlace(image));
    await setStatus(id, "start");
    const { status } = await ended(id);
    const { body } = await call("GET", `workflows/${id}/logs`);
    expect([status, body]).toEqual(["finished", expect.anything()]);
    expect((await download(id, "outputs/log")).text).toBe(UPDATED_IN_PLACE);
  });

  test("takes both over as long as the images are the same", async () => {
    expect((await planOf()).map(([verdict]) => verdict)).toEqual(["taken-over", "taken-over"]);
    const before = await jobsOf(run);
    const after = await jobsOf(await restart());
    expect(after.map(({ reason, image_digest }) => [reason, image_digest])).toEqual(
      before.map((job) => ["taken-over", job.image_digest]),
    );
  });

  test("runs again, and says why, once the name of an image stands for another one", async () => {
    const before = await jobsOf(run);
    podman.addImage(BASH_IMAGE, [], { "etc/changed": "" });
    // The running server may use a cached answer of podman for ten seconds.
    await server.stop();
    server = await start();
    expect(await planOf()).toEqual([
      ["taken-over", expect.any(String)],
      ["runs", "Its image is not the one that it ran in in greetings.1.1, although it has the same name."],
    ]);
    const after = await jobsOf(await restart());
    expect(after.map(({ reason }) => reason)).toEqual(["taken-over", "exited"]);
    expect(after[0]!.image_digest).toBe(before[0]!.image_digest);
    expect(after[1]!.image_digest).not.toBe(before[1]!.image_digest);
    expect((await planOf()).map(([verdict]) => verdict)).toEqual(["taken-over", "taken-over"]);
  });

  test("keeps an image while a job needs it, and knows when one was last used", async () => {
    const { call, setStatus, ended } = client(server.url);
    const step = { environment: PYTHON_IMAGE, commands: ["until test -e go; do sleep 0.1; done"] };
    const waiting = { workflow: { type: "serial", specification: { steps: [step] } } };
    const { body } = await call("POST", "workflows", JSON.stringify(waiting));
    const id = body["workflow_id"] as string;
    await setStatus(id, "start");
    await expect.poll(async () => (await jobsOf(id)).length).toBe(1);
    const settings = { dataFolder: folder, containers: "podman" };
    const imageOf = async () => {
      const images = await openImages(readConfig(process.env, settings, () => undefined));
      return images.maybeNamed("python:3.11-slim");
    };
    expect(await imageOf()).toMatchObject({ isWanted: true, names: [PYTHON_IMAGE] });
    const lastUsedAtMs = (await imageOf())!.lastUsedAtMs!;
    expect(lastUsedAtMs).toBeGreaterThan(0);
    await client(server.url).upload(id, "go", "");
    expect((await ended(id))["status"]).toBe("finished");
    const after = await imageOf();
    expect(after).toMatchObject({ isWanted: false });
    expect(after!.lastUsedAtMs).toBeGreaterThanOrEqual(lastUsedAtMs);
  });
});
