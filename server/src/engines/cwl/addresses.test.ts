import { expect, test } from "vitest";
import { requestFor } from "#engines/cwl/cwl-fixture";
import { prepareCwl } from "#engines/cwl/cwl-preparation";

const TOOL = `cwlVersion: v1.2
class: CommandLineTool
baseCommand: cat
inputs:
  data: {type: File, inputBinding: {position: 1}, default: {class: File, location: "https://x.org/default.csv"}}
  more: File[]?
  folder: Directory?
outputs: []
`;

function prepared(parameters: object, inputs: object = {}) {
  const request = requestFor("main.cwl");
  const specification = { ...request.specification, inputs: { ...inputs, parameters } };
  return prepareCwl({ ...request, specification } as typeof request, { "main.cwl": TOOL });
}

const file = (location: string) => ({ class: "File", location });
const FETCHED = /^fetched\/[0-9a-f]{12}\//;

test("addresses of files and folders become inputs of the run, each in a separate folder", () => {
  const made = prepared({
    data: file("https://x.org/a/data.csv?signature=1"),
    more: [file("https://x.org/b/data.csv"), file("s3://lab/keys/data.csv")],
    folder: { class: "Directory", location: "s3://lab/run7" },
  });
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  const { remoteInputs, job } = made.model as {
    readonly remoteInputs: readonly { readonly address: string; readonly path: string }[];
    readonly job: Readonly<Record<string, { readonly location: string }>>;
  };
  expect(remoteInputs.map(({ address }) => address)).toEqual([
    "https://x.org/a/data.csv?signature=1",
    "https://x.org/b/data.csv",
    "s3://lab/keys/data.csv",
    "s3://lab/run7",
  ]);
  for (const { path } of remoteInputs) expect(path).toMatch(FETCHED);
  expect(new Set(remoteInputs.map(({ path }) => path)).size).toBe(4);
  expect(job["data"]!.location).toBe(remoteInputs[0]!.path);
  expect(remoteInputs[3]).toMatchObject({ many: { prefix: "run7/" } });
});

test("a default is fetched only if the job gives no other value", () => {
  const addresses = (parameters: object) => {
    const made = prepared(parameters);
    return made.kind === "ready" ? (made.model as { readonly remoteInputs?: unknown }).remoteInputs : made;
  };
  expect(addresses({ data: file("data.csv") })).toBeUndefined();
  expect(addresses({})).toMatchObject([{ address: "https://x.org/default.csv" }]);
});

test("an address that the specification declares has its path, and is not fetched twice", () => {
  const declared = { address: "s3://lab/data.csv", path: "here/data.csv", credentials: "LAB" };
  expect(prepared({ data: file("s3://lab/data.csv") }, { files: [declared] })).toMatchObject({
    model: { job: { data: { location: "here/data.csv" } } },
  });
});

test.each([
  [{ data: file("s3://lab/*.csv") }, "names many objects, and one is needed"],
  [{ data: file("s3://l") }, "s3://l is not of the form s3://bucket/key"],
  [
    { folder: { class: "Directory", location: "https://x.org/a/" } },
    "is not a folder that can be listed: folders are read from s3:// only",
  ],
])("the value %j is refused before the start", (parameters, reason) => {
  expect(prepared(parameters)).toMatchObject({
    kind: "refused",
    problems: [{ message: expect.stringContaining(reason) }],
  });
});
