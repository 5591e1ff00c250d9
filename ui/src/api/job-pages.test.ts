import { expect, test } from "vitest";
import type { Job } from "./run-asks.ts";
import { type JobPages, JOBS_PER_PAGE, outdatedJobs, withRecords, withTotal } from "./job-pages.ts";

const job = (id: string, status = "running") => ({ id, status }) as Job;
const listOf = (jobs: readonly Job[], hasNext = false) =>
  ({ pageParams: [1], pages: [{ items: [...jobs], has_next: hasNext, total: 7 }] }) as unknown as JobPages;

test.each([
  ["one that has changed", false, [job("b", "finished")], ["b"]],
  ["one that is as it was", false, [job("b")], []],
  ["a new one", false, [job("c")], ["c"]],
  ["a new one behind the pages that are shown", true, [job("c")], []],
])("outdated: %s", (_name, hasNext, news, expected) => {
  expect(outdatedJobs(listOf([job("a"), job("b")], hasNext), news)).toEqual(expected);
});

test("a newer record takes the place of the older one, and a new job comes last", () => {
  const { pages } = withRecords(listOf([job("a"), job("b")]), [job("c"), job("a", "finished")]);
  expect(pages).toEqual([{ items: [job("a", "finished"), job("b"), job("c")], has_next: false, total: 8 }]);
});

test("a full page leaves the rest to the next one", () => {
  const full = Array.from({ length: JOBS_PER_PAGE - 1 }, (_, index) => job(`${index}`));
  const [page] = withRecords(listOf(full), [job("b"), job("c")]).pages;
  expect(page).toMatchObject({ has_next: true, total: 9 });
  expect(page!.items).toHaveLength(JOBS_PER_PAGE);
});

test.each([
  ["grows with the run", true, 9, 9],
  ["does not shrink", true, 3, 7],
  ["is known of a whole list", false, 9, 7],
])("the number of jobs %s", (_name, hasNext, total, expected) => {
  expect(withTotal(listOf([job("a")], hasNext), total).pages[0]!.total).toBe(expected);
});
