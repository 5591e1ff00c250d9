import { asksFor, type Facts, NO_FACTS, type Needs, withAnswer } from "#engines/cwl/values/facts";
import type { Answer, FileAsk, ListedEntry } from "#engines/engine";

export const folder = (path: string): ListedEntry => ({ path, kind: "folder", bytes: 0 });
export const file = (path: string): ListedEntry => ({ path, kind: "file", bytes: 2 });
export const link = (path: string, target: string | null): ListedEntry => ({
  path,
  kind: "link",
  bytes: 0,
  target,
});

/** Repeats the work in a workspace with the given entries until no facts are missing. Also returns the questions. */
export function withFiles<Result>(
  entries: readonly ListedEntry[],
  work: (facts: Facts) => { readonly result: Result } | { readonly needs: Needs },
): { readonly result: Result; readonly rounds: readonly (readonly FileAsk[])[] } {
  const rounds: FileAsk[][] = [];
  let facts = NO_FACTS;
  for (;;) {
    const done = work(facts);
    if ("result" in done) return { ...done, rounds };
    const asks = asksFor(done.needs, String);
    rounds.push(asks);
    for (const ask of asks) facts = withAnswer(facts, ask, answer(ask, entries));
  }
}

function answer(ask: FileAsk, entries: readonly ListedEntry[]): Answer {
  const { id } = ask;
  if (ask.do === "list") {
    const below = entries.filter(({ path }) => path.startsWith(`${ask.folder}/`));
    const isDirect = ({ path }: ListedEntry) => !path.slice(ask.folder.length + 1).includes("/");
    return {
      kind: "listed",
      id,
      listing: { entries: ask.deep ? below : below.filter(isDirect), isCut: false },
    };
  }
  if (ask.do === "look") {
    const look = (path: string) =>
      entries.find((one) => one.path === path) ?? { path, kind: "absent" as const };
    return { kind: "looked", id, files: ask.paths.map(look) };
  }
  if (ask.do !== "checksum") throw new Error(ask.do);
  const sum = (path: string) => ({ path, bytes: 2, algorithm: "sha1" as const, digest: path });
  return { kind: "checksummed", id, files: ask.paths.map(sum) };
}
