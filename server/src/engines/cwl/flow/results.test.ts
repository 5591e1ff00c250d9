import { expect, test } from "vitest";
import { publishing } from "#engines/cwl/flow/results";

const file = (location: string) => ({ class: "File", location, basename: "a.txt" });

test("a file that is two outputs is published once, under the file's name", () => {
  const { values, files } = publishing({ one: file("cwl/1/s/out/a.txt"), two: file("cwl/1/s/out/a.txt") });
  expect(files).toEqual([{ from: "cwl/1/s/out/a.txt", to: "outputs/a.txt" }]);
  expect(values["two"]).toEqual(values["one"]);
});

test("two files with equal names keep the name in separate places", () => {
  const { values, files } = publishing({ one: file("cwl/1/s/out/a.txt"), two: file("cwl/1/t/out/a.txt") });
  expect(files.map(({ to }) => to)).toEqual(["outputs/a.txt", "outputs/a_2.txt"]);
  expect(values["two"]).toMatchObject({ basename: "a.txt", location: "outputs/a_2.txt" });
});
