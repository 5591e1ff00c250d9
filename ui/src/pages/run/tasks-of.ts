import type { Job } from "../../api/run-asks.ts";

/**
 * Returns the tasks of scattered steps that a job of CWL belongs to, from the outside in, counted from 1. Its key has
 * their positions between the names of the steps (`align/3/sort`), and its node has the names alone (`align/sort`).
 */
export function tasksOf({ key, node }: Pick<Job, "key" | "node">): readonly number[] {
  const names = node.split("/");
  const tasks: number[] = [];
  let at = 0;
  for (const part of key.split("/")) {
    if (part === names[at]) at += 1;
    else if (/^\d+$/.test(part)) tasks.push(Number(part) + 1);
    else return [];
  }
  return at === names.length ? tasks : [];
}
