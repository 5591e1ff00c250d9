import { rm, writeFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { packSources } from "#app/packing/pack-sources";
import { PackProblem } from "#operations/reports/pack/pack-sources";
import { openCrate } from "../../support/crates/open-crate.ts";
import { changeStatus, T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";

/** Packs of runs whose jobs really ran, with a program and images that are only names. */
const PROGRAM = [
  {
    name: "bin/reprise.js",
    content: async function* () {
      yield Buffer.from("program");
    },
    bytes: 7,
    mode: 0o755,
  },
];
let imageProblem: string | undefined;
const packing = {
  ...packSources({ containers: "none" }),
  maybeProgram: async () => PROGRAM,
  images: async (used: readonly { readonly image: string; readonly digest: string }[]) => {
    if (imageProblem !== undefined) throw new PackProblem(imageProblem);
    const images = used.map(({ image, digest }) => ({ id: digest.replace(/^sha256:/, ""), name: image }));
    return {
      images,
      bytes: 1000,
      save: async function* () {
        yield Buffer.from("layers");
      },
    };
  },
};
const fixture = await reuseFixture({ parts: { packing } });
const { api, ada, created, ran, untilOver, fileOf, step } = fixture;
afterAll(() => fixture.close());

function analysis(outputs = ["out.txt"]) {
  return {
    inputs: { files: ["data/in.txt"], directories: ["code"], parameters: { n: 1 } },
    workflow: { type: "serial", specification: { steps: [step("fit", "cat data/in.txt code/* > out.txt")] } },
    outputs: { files: outputs },
  } as Specification;
}

/** Runs the analysis with one more file. */
async function ranWith(name: string, content: string, inputs: object = {}): Promise<string> {
  const specification = analysis();
  Object.assign(specification.inputs, inputs);
  const { id } = await created(specification);
  const url = `/api/workflows/${id}/workspace?file_name=${name}&${T(ada)}`;
  await api.inject({ method: "POST", url, payload: content });
  await changeStatus(api, ada, id, "start");
  await untilOver(id, "finished");
  return id;
}

const address = (id: string, query = "") => `/api/workflows/${id}/crate?runnable=true&${T(ada)}${query}`;

async function refusal(id: string, query?: string) {
  const reply = await api.inject(address(id, query));
  return [reply.statusCode, reply.json<{ message: string }>().message];
}

const giveImage = (id: string) =>
  api.operations.db
    .updateTable("jobs")
    .set({ image: "python:3.12", image_digest: "sha256:abc" })
    .where("run_id", "=", id)
    .execute();

describe("GET crate?runnable=true", () => {
  test("holds the inputs by name, the program, the starter and the checksums of the outputs", async () => {
    const id = await ran(analysis());
    const reply = await api.inject(address(id));
    expect(reply.headers).toMatchObject({ "x-pack-starter": "run.sh" });
    expect(Number(reply.headers["x-pack-bytes"])).toBeGreaterThan(7);
    const { files, entities } = await openCrate(reply.rawPayload);
    expect([...files.keys()].filter((name) => name.startsWith("r") && !name.includes("-logs"))).toEqual([
      "reana.yaml",
      "run.sh",
      "ro-crate-pack/outputs.sha256",
      "ro-crate-pack/reprise/bin/reprise.js",
      "ro-crate-preview.html",
      "ro-crate-metadata.json",
    ]);
    expect(JSON.parse(files.get("reana.yaml")!.toString())).toMatchObject({
      inputs: { files: ["code/a.sh", "data/in.txt"], parameters: { n: 1 } },
    });
    const sum = entities.get("out.txt")!["sha256"] as string;
    expect(files.get("ro-crate-pack/outputs.sha256")!.toString()).toBe(`${sum}  out.txt\n`);
    expect(files.get("README.md")!.toString()).toContain("    sh run.sh\n");
    const head = await api.inject({ method: "HEAD", url: address(id) });
    expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0]);
  });

  test("does not take the name of a file of the run for the starter", async () => {
    const id = await ranWith("run.sh", "own", { files: ["run.sh", "data/in.txt"] });
    const { files } = await openCrate((await api.inject(address(id))).rawPayload);
    expect(files.get("run.sh")!.toString()).toBe("own");
    expect(files.get("ro-crate-run.sh")!.toString()).toMatch(/^#!\/bin\/sh/);
  });

  test("holds the images of jobs once, for the owner alone", async () => {
    const id = await ran(analysis());
    await giveImage(id);
    const { files } = await openCrate((await api.inject(address(id))).rawPayload);
    expect(files.get("ro-crate-pack/images.txt")!.toString()).toBe("abc python:3.12\n");
    expect(files.get("ro-crate-pack/images.tar")!.toString()).toBe("layers");
    const bob = await api.makeUser();
    const payload = { user_email_to_share_with: bob.email };
    await api.inject({ method: "POST", url: `/api/workflows/${id}/share?${T(ada)}`, payload });
    const reply = await api.inject(`/api/workflows/${id}/crate?runnable=true&${T(bob)}`);
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      403,
      expect.stringMatching(/ ran in images, so only its owner can pack it\./) as string,
    ]);
  });

  test("refuses an image that was never pulled, before anything is sent", async () => {
    const id = await ran(analysis());
    await giveImage(id);
    imageProblem = "the image python:3.12 is not on this machine. Pull it and try again";
    expect(await refusal(id)).toEqual([
      409,
      expect.stringMatching(/^Workflow w\d+\.1 cannot be packed: the image python:3\.12 is not on/) as string,
    ]);
    imageProblem = undefined;
  });

  test.each<[string, (file: string) => Promise<void>]>([
    ["gone", (file) => rm(file)],
    ["changed", (file) => writeFile(file, "other")],
  ])("refuses inputs that are %s", async (what, change) => {
    const id = await ran(analysis());
    await change(await fileOf(id, "data/in.txt"));
    expect(await refusal(id)).toEqual([
      409,
      expect.stringMatching(
        new RegExp(`cannot be packed, because an input is not as recorded: data/in\\.txt \\(${what}\\)\\.`),
      ) as string,
    ]);
  });

  test("refuses a crate without the inputs, a run that is not over, and an input with a secret", async () => {
    const id = await ran(analysis());
    expect(await refusal(id, "&without_inputs=true")).toEqual([
      400,
      "A crate without its inputs cannot run again: leave out one of the two.",
    ]);
    expect(await refusal((await created(analysis())).id)).toEqual([
      409,
      expect.stringContaining("it has not been started") as string,
    ]);
    const leaking = await ranWith("code/b.sh", "a secret of ada");
    const secret = { TOKEN: { value: Buffer.from("secret of ada").toString("base64"), type: "env" } };
    await api.inject({ method: "POST", url: `/api/secrets/?${T(ada)}`, payload: secret });
    expect(await refusal(leaking)).toEqual([
      409,
      expect.stringMatching(
        /would not run without code\/b\.sh\. .* a secret of the owner is in it\./,
      ) as string,
    ]);
  });
});
