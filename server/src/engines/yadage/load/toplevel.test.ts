import { expect, test } from "vitest";
import { locationOf } from "#engines/documents";
import { baseOf } from "#engines/yadage/load/toplevel";

const GITHUB = "https://raw.githubusercontent.com/ada/fits";

test.each([
  [undefined, "sub/wf.yml", "sub/wf.yml"],
  ["specs", "sub/wf.yml", "specs/sub/wf.yml"],
  ["./specs//deep/", "wf.yml", "specs/deep/wf.yml"],
  ["https://example.org/specs", "sub/wf.yml", "https://example.org/specs/sub/wf.yml"],
  ["https://example.org/specs/", "../wf.yml", "https://example.org/wf.yml"],
  ["github:ada/fits", "wf.yml", `${GITHUB}/main/wf.yml`],
  ["github:ada/fits@v2", "wf.yml", `${GITHUB}/v2/wf.yml`],
  ["github:ada/fits:specs/deep", "wf.yml", `${GITHUB}/main/specs/deep/wf.yml`],
  ["github:ada/fits@a/branch:specs", "wf.yml", `${GITHUB}/a/branch/specs/wf.yml`],
  [
    "from-github/phenochain",
    "wf.yml",
    "https://raw.githubusercontent.com/lukasheinrich/yadage-workflows/master/phenochain/wf.yml",
  ],
  ["gitlab-cern:ada/fits@v2:specs", "wf.yml", "https://gitlab.cern.ch/ada/fits/-/raw/v2/specs/wf.yml"],
])("in the toplevel %s, %s is %s", (toplevel, reference, location) => {
  const place = baseOf(toplevel);
  expect(place.ok && locationOf(reference, place.base)).toEqual({ ok: true, location });
});

test("a toplevel outside of the workspace is refused by name", () => {
  expect(baseOf("../specs")).toEqual({
    ok: false,
    problem: {
      path: "inputs.options.toplevel",
      message: 'The option toplevel names "../specs", which leads out of the workspace.',
    },
  });
});
