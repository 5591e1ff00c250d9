import { execFileSync } from "node:child_process";
import { maybeRun } from "#store/runs/runs";
import type { ApiFixture, FixtureUser } from "./api-fixture.ts";
import { type CreatedRun, T } from "./run-rows.ts";

/** Requests the workspace files of a user's runs, as that user. */
export function workspaceClient(api: ApiFixture, user: FixtureUser) {
  const at = (run: CreatedRun, file: string, query = "") =>
    `/api/workflows/${run.id}/workspace${file}?${query}${query && "&"}${T(user)}`;
  return {
    at,
    put: (run: CreatedRun, name: string, content: string | Buffer) =>
      api.inject({
        method: "POST",
        url: at(run, "", `file_name=${encodeURIComponent(name)}`),
        payload: content,
      }),
    get: (run: CreatedRun, file: string, headers: Record<string, string> = {}, query = "") =>
      api.inject({ url: at(run, `/${file}`, query), headers }),
    async folderOf(run: CreatedRun): Promise<string> {
      const row = await maybeRun(api.operations.db, run.id);
      return api.operations.workspaces.of(row!.workspaceId).folder;
    },
  };
}

/** Returns the disk usage of a folder, as the system reports it. */
export function duOf(folder: string): number {
  return Number(execFileSync("du", ["-s", "-B1", folder], { encoding: "utf8" }).split("\t")[0]);
}

export async function bodyOf(response: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}
