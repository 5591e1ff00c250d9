import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { Refusal } from "#plumbing/errors";
import { type FetchedRepository, type GitSourceOptions, openGitSource } from "#sources/git-source";
import { type GitHttpServer, startGitHttpServer } from "./git-http-server.ts";

/**
 * A Git source with a real Git server over HTTP on loopback, which an administrator has allowed by name. After each
 * test, no temporary file may be left.
 */
export interface GitSourceFixture {
  /** A folder that is removed after the test. */
  readonly folder: string;
  /** The target folder of the repository. */
  readonly into: string;
  readonly options: GitSourceOptions;
  readonly server: GitHttpServer;
  /** Handles a request instead of git, and then returns true. */
  answerFirst: (request: IncomingMessage, response: ServerResponse) => boolean;
  fetch(address: string, more?: Partial<GitSourceOptions>): Promise<FetchedRepository>;
  /** Fetches from a refused address, and checks that no files are left behind. Returns the refusal. */
  refusalOf(address: string, more?: Partial<GitSourceOptions>): Promise<Refusal>;
}

/** The smallest valid specification. */
export const SPEC = "workflow: {type: serial, specification: {steps: []}}\n";

/** Sets up a fixture for each test of the file. Returns a function that returns the current fixture. */
export function useGitSource(): () => GitSourceFixture {
  let fixture: GitSourceFixture;
  beforeEach(async () => {
    fixture = await openFixture();
  });
  afterEach(async () => {
    await fixture.server.close();
    expect(await readdir(fixture.options.tempFolder).catch(() => [])).toEqual([]);
    await rm(fixture.folder, { recursive: true, force: true });
  });
  return () => fixture;
}

async function openFixture(): Promise<GitSourceFixture> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-git-source-"));
  const into = path.join(folder, "workspace");
  const options: GitSourceOptions = {
    httpHosts: ["127.0.0.1"],
    privateHosts: ["127.0.0.1"],
    maxBytes: 1_000_000,
    maxFiles: 50,
    timeoutMs: 8000,
    tempFolder: path.join(folder, "temp"),
  };
  const fetch: GitSourceFixture["fetch"] = (address, more) =>
    openGitSource({ ...options, ...more }).fetch(address, into);
  const fixture: GitSourceFixture = {
    folder,
    into,
    options,
    server: await startGitHttpServer((request, response) => fixture.answerFirst(request, response)),
    answerFirst: () => false,
    fetch,
    refusalOf: async (address, more) => {
      const error: unknown = await fetch(address, more).then(
        () => new Error("it was not refused"),
        (reason: unknown) => reason,
      );
      if (!(error instanceof Refusal)) throw error;
      expect(await readdir(into).catch(() => "absent")).toBe("absent");
      return error;
    },
  };
  return fixture;
}

/** Lists all files below a folder, including links, sorted. */
export async function filesIn(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => path.relative(place, path.join(entry.parentPath, entry.name))).toSorted();
}

export function needCredentials(_: IncomingMessage, response: ServerResponse): boolean {
  response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  return true;
}
