import { expect, test } from "vitest";
import { shellWords } from "#plumbing/text/shell-words";

test.each<[string, readonly string[]]>([
  ["", []],
  ["  --quiet  --outdir /tmp/a ", ["--quiet", "--outdir", "/tmp/a"]],
  [String.raw`--outdir='a b' "c \"d" e\ f ""`, ["--outdir=a b", 'c "d', "e f", ""]],
  ["it's", ["it's"]],
])("%s is split", (text, words) => {
  expect(shellWords(text)).toEqual(words);
});
