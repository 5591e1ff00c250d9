import fc from "fast-check";
import { expect, test } from "vitest";
import { jobFolder } from "#engines/job-folder";
import { plainPath } from "#plumbing/files/relative-path";

const RUN = { number: "3.1" };

test.each([
  [["align", "0", "sort"], "cwl/3.1/align/0/sort"],
  [[".."], "cwl/3.1/%2E."],
  [["a/b", ""], "cwl/3.1/a%2Fb/%"],
  [["Größe"], "cwl/3.1/Gr%C3%B6%C3%9Fe"],
])("the job of step %j has the folder %s", (steps, folder) => {
  expect(jobFolder("cwl", RUN, steps)).toBe(folder);
});

test("different steps and runs have different folders, each as deep as its step path", () => {
  const name = fc.string({
    unit: fc.constantFrom("a", "B", "/", ".", "%", "2", "F", "é", " ", "\0"),
    maxLength: 200,
  });
  const steps = fc.array(name, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(steps, steps, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      const folder = jobFolder("cwl", RUN, one);
      expect(folder).not.toBe(jobFolder("cwl", RUN, other));
      expect(folder).not.toBe(jobFolder("cwl", { number: "3.2" }, one));
      expect(folder.split("/")).toHaveLength(2 + one.length);
      expect(plainPath(folder)).toBe(folder);
      expect(Math.max(...folder.split("/").map((part) => part.length))).toBeLessThanOrEqual(120);
    }),
  );
});
