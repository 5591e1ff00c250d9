import { afterAll, beforeAll, expect } from "vitest";
import { createShadowRound } from "#operations/runs/shadows/shadow-round";
import { createUser } from "#operations/users/create-user";
import { apiFixture, type ApiFixture } from "./api-fixture.ts";
import { changeStatus, createRun, untilStatus } from "./run-rows.ts";

export interface Shadows {
  readonly server: string | null;
  readonly on: boolean;
  readonly problems: readonly { readonly problem: string; readonly runs: number }[];
  readonly causes: readonly { readonly kind: string; readonly cause: string; readonly runs: number }[];
  readonly users: readonly Record<string, unknown>[];
  readonly runs: readonly Record<string, unknown>[];
}

export interface ShadowUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export const ADA = "ada@example.org";
const SPECIFICATION = {
  inputs: { files: ["in.txt"] },
  workflow: { type: "serial", specification: { steps: [{ name: "s", commands: ["true"] }] } },
  outputs: { files: ["out.txt"] },
};

export const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });

export async function userOf(api: ApiFixture, email: string, token?: string): Promise<ShadowUser> {
  const { id, accessToken } = await createUser(api.operations, { email, token });
  return { id, email, token: accessToken };
}

/** Uploads a file into a run. */
export async function put(
  api: ApiFixture,
  { token }: ShadowUser,
  run: string,
  [name, content]: readonly [name: string, content: string],
): Promise<void> {
  const url = `/api/workflows/${run}/workspace?file_name=${name}`;
  const headers = { ...headersOf(token), "content-type": "application/octet-stream" };
  expect((await api.inject({ method: "POST", url, headers, payload: content })).statusCode).toBe(200);
}

const NEVER = new AbortController().signal;

/** A server whose runs are also sent elsewhere, with a user. */
export function shadowFixture() {
  const the = {} as { here: ApiFixture; ada: ShadowUser };
  let started = 0;

  beforeAll(async () => {
    the.here = await apiFixture({ parts: { runSettings: { shadowHost: "reana.example.org" } } });
    the.ada = await userOf(the.here, ADA);
  });
  afterAll(() => the.here.close());

  /** Takes a step of each copy, some time later. */
  async function round(target: string, laterMs = 0, signal = NEVER): Promise<void> {
    const { clock } = the.here.operations;
    const later = { ...clock, now: () => clock.now() + laterMs };
    await createShadowRound({ ...the.here.operations, clock: later }, target, signal)();
  }

  async function report(token = the.ada.token): Promise<Shadows> {
    return (await the.here.inject({ url: "/api/shadows", headers: headersOf(token) })).json<Shadows>();
  }

  async function of(run: { readonly id: string }) {
    return (await report(the.here.adminToken)).runs.find((one) => one["workflow_id"] === run.id);
  }

  /** Creates and starts a run with an input. Returns the run and its job here. */
  async function start(name: string, user = the.ada) {
    const run = await createRun(the.here, user, name, SPECIFICATION);
    await put(the.here, user, run.id, ["in.txt", `input of ${name}`]);
    await changeStatus(the.here, user, run.id, "start");
    return { run, job: await the.here.backend.startedJob(started++) };
  }

  /** Ends a run here, with an output. */
  async function end(
    { run, job }: Awaited<ReturnType<typeof start>>,
    { output, exitCode = 0, user = the.ada }: { output?: string; exitCode?: number; user?: ShadowUser } = {},
  ): Promise<void> {
    if (output !== undefined) await put(the.here, user, run.id, ["out.txt", output]);
    the.here.backend.end(job, { exitCode });
    await untilStatus(the.here, user, run.id, exitCode === 0 ? "finished" : "failed");
  }

  return { the, round, report, of, start, end };
}
