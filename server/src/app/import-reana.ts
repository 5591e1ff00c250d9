import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openData } from "#app/data-folder";
import { LOCAL } from "#backends/local/capabilities";
import { attemptFolder } from "#backends/process/attempt/attempt-folder";
import type { Config } from "#config/settings";
import type { ReanaImportCall } from "#cli/context";
import type { Caller } from "#operations/context";
import { addSecrets, type SecretGiven } from "#operations/users/secrets";
import { addToken } from "#operations/users/tokens";
import { hashToken } from "#operations/users/token-shape";
import { systemClock } from "#plumbing/clock";
import { garbageCollector } from "#plumbing/collect-garbage";
import { messageOf, Refusal } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";
import { importReana } from "#reana/import-reana";
import type { RunSink } from "#reana/import-runs";
import { openReanaDatabase } from "#store/reana/reana-database";
import { maybeTokenOwner } from "#store/users/tokens";
import type { ReanaImportReport } from "#workflow/reports";
import { copyTree } from "#workspace/write/copy-tree";
import { removeTree } from "#workspace/remove/remove-tree";
import type { Workspaces } from "#workspace/workspaces";

/** Takes users, tokens, runs and files of a REANA into the data folder, which no server may be using. */
export async function importFromReana(config: Config, call: ReanaImportCall): Promise<ReanaImportReport> {
  const source = await openReanaDatabase(call.database);
  try {
    const opened = await openData(config, { onDatabaseError: () => undefined });
    const { db, data, hostId, tokenSeal, workspaces } = opened;
    const context = { clock: systemClock, random: systemRandom, tokenSeal };
    try {
      return await importReana({
        ...call,
        db,
        source,
        logPlace: { backend: LOCAL, hostId },
        now: () => systemClock.now(),
        freeMemory: garbageCollector(),
        addToken: (tx, token) => addToken(context, tx, { ...token, name: "REANA" }),
        hasToken: async (tx, { userId, token }) =>
          (await maybeTokenOwner(tx, hashToken(token), systemClock.now()))?.user.id === userId,
        addSecret: (user, secret) => maybeProblem({ ...context, db }, user, secret),
        writeLog: (jobId, log) => writeLog(attemptFolder(data.jobs, jobId), log),
        ...(call.volume !== undefined && { files: filesAt(call.volume, workspaces) }),
      });
    } finally {
      await opened.close();
    }
  } finally {
    await source.close();
  }
}

/** Adds a secret as its user does. Returns why the secret cannot be added, or undefined. */
async function maybeProblem(
  context: Parameters<typeof addSecrets>[0],
  user: Pick<Caller, "id" | "email">,
  secret: SecretGiven,
): Promise<string | undefined> {
  try {
    await addSecrets(context, { ...user, isAdmin: false }, { secrets: [secret], overwrite: false });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message.replace(/\.$/, "");
    throw error;
  }
}

async function writeLog(folder: string, log: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path.join(folder, "log"), log, { mode: 0o600 });
}

/** Opens REANA's shared volume, whose workspaces are copied. */
function filesAt(volume: string, workspaces: Workspaces): NonNullable<RunSink["files"]> {
  const find = (reanaPath: string) =>
    [path.join(volume, belowVolume(reanaPath)), reanaPath].find((folder) => existsSync(folder));
  const problem = "its folder is not on the volume";
  return {
    maybeProblem: (reanaPath) => (find(reanaPath) === undefined ? problem : undefined),
    async copy(reanaPath, workspaceId) {
      const source = find(reanaPath);
      if (source === undefined) return { problem };
      const target = workspaces.of(workspaceId);
      await removeTree(target.folder, systemRandom);
      try {
        await target.create();
        return await copyTree(source, target.folder, {
          isLeftOut: () => false,
          makesWritable: true,
          signal: NEVER,
        });
      } catch (error) {
        await removeTree(target.folder, systemRandom);
        return { problem: `they could not be copied: ${messageOf(error)}` };
      }
    },
  };
}

const NEVER = new AbortController().signal;

/** Returns the part of REANA's path of a workspace below its shared volume: `users/…/workflows/…`. */
function belowVolume(reanaPath: string): string {
  const at = reanaPath.indexOf("/users/");
  return at === -1 ? reanaPath : reanaPath.slice(at + 1);
}
