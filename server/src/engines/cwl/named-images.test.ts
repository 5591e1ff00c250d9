import { expect, test } from "vitest";
import { inputFor } from "#engines/cwl/cwl-fixture";
import type { CwlModel } from "#engines/cwl/model/model";
import { imagesIn } from "#engines/cwl/named-images";

const HEAD = "cwlVersion: v1.2\ninputs: []\noutputs: []\n";
const CALM = `${HEAD}class: CommandLineTool\nbaseCommand: "true"\n`;
const hint = (image: string) => `${CALM}hints: {DockerRequirement: {dockerPull: ${image}}}\n`;
const workflow = (fields: string, ...runs: readonly string[]) =>
  `${HEAD}class: Workflow\nrequirements: {SubworkflowFeatureRequirement: {}}\nsteps:\n` +
  runs.map((run, index) => `  s${index}: {run: ${run}, in: [], out: []${fields}}\n`).join("");

const found = (texts: Readonly<Record<string, string>>) => imagesIn(inputFor(texts).model as CwlModel);

test("a tool names an image, and a step around the tool overrides the image", () => {
  const require = ", requirements: {DockerRequirement: {dockerPull: 'b:1'}}";
  expect(
    found({ "main.cwl": workflow("", "a.cwl", "none.cwl"), "a.cwl": hint("a:1"), "none.cwl": CALM }),
  ).toEqual([{ who: 'Step "s0"', image: "a:1", isRequired: false }]);
  expect(found({ "main.cwl": workflow(require, "a.cwl"), "a.cwl": hint("a:1") })).toEqual([
    { who: 'Step "s0"', image: "b:1", isRequired: true },
  ]);
});

test("an image built by the document is known by the id", () => {
  const made =
    "hints: {DockerRequirement: {dockerFile: FROM a, dockerImageId: 'made:1', dockerPull: 'a:1'}}\n";
  expect(found({ "main.cwl": `${CALM}id: one\n${made}` })).toEqual([
    { who: "one", image: "made:1", isRequired: false, madeBy: "dockerFile" },
  ]);
});

test("workflows that run each other many times are visited once each", () => {
  const levels = Array.from({ length: 40 }, (_, level) => [`w${level}.cwl`, `w${level + 1}.cwl`] as const);
  const texts = Object.fromEntries(levels.map(([name, next]) => [name, workflow("", next, next)]));
  const { "w0.cwl": main, ...others }: Record<string, string> = { ...texts, "w40.cwl": hint("a:1") };
  const images = found({ "main.cwl": main!, ...others });
  expect(images.map(({ image }) => image)).toEqual(["a:1"]);
});
