import { systemRandom } from "#plumbing/ids";
import type { ApiFixture, FixtureUser } from "./api-fixture.ts";
import type { Scenario } from "./scenarios/scenarios.ts";

export const T = (user: FixtureUser): string => `access_token=${user.token}`;

/** Returns a serial specification with a step for each command. */
export function serial(commands: readonly string[], parameters: Readonly<Record<string, unknown>> = {}) {
  const steps = commands.map((command, index) => ({
    name: `s${index}`,
    environment: "any",
    commands: [command],
  }));
  return { inputs: { parameters }, workflow: { type: "serial", specification: { steps } } };
}

export interface CreatedRun {
  readonly id: string;
  /** For example `w.1`. */
  readonly name: string;
}

export async function createRun(
  api: ApiFixture,
  user: FixtureUser,
  name: string,
  specification: object = serial(["true"]),
): Promise<CreatedRun> {
  const url = `/api/workflows?workflow_name=${name}&${T(user)}`;
  const reply = await api.inject({ method: "POST", url, payload: specification });
  const { workflow_id: id, workflow_name: fullName } = reply.json<{
    workflow_id: string;
    workflow_name: string;
  }>();
  return { id, name: fullName };
}

export async function changeStatus(
  api: ApiFixture,
  user: FixtureUser,
  run: string,
  word: string,
  body?: object,
) {
  const url = `/api/workflows/${run}/status?status=${word}&${T(user)}`;
  return api.inject({ method: "PUT", url, ...(body && { payload: body }) });
}

export async function statusOf(api: ApiFixture, user: FixtureUser, run: string): Promise<string> {
  const reply = await api.inject({ url: `/api/workflows/${run}/status?${T(user)}` });
  return reply.json<{ status: string }>().status;
}

/** Polls until the run has a status, as clients do. */
export async function untilStatus(
  api: ApiFixture,
  user: FixtureUser,
  run: string,
  status: string,
): Promise<void> {
  while ((await statusOf(api, user, run)) !== status) await new Promise((resolve) => setImmediate(resolve));
}

/** The answer to an unknown token for all clients but REANA's. */
export const UNKNOWN_TOKEN =
  "Token not valid: it belongs to no user of this server. Check it, or ask the server's administrator for a new one.";

/**
 * Returns rows for callers without access and for missing runs, for an endpoint of one run. `urlOf` returns a path that
 * may contain a query.
 */
export async function refusalRows(
  api: ApiFixture,
  method: NonNullable<Scenario["method"]>,
  run: CreatedRun,
  urlOf: (address: string) => string,
): Promise<Scenario[]> {
  const stranger = await api.makeUser();
  const revoked = await api.makeRevokedUser();
  const disabled = await api.makeDisabledUser();
  const nobodysId = systemRandom.uuid();
  const as = (query: string, address = run.id) => {
    const url = urlOf(address);
    return { method, url: `${url}${url.includes("?") ? "&" : "?"}${query}` };
  };
  const notAllowed = (user: FixtureUser) => `User ${user.id} is not allowed to access workflow ${run.id}`;
  return [
    { name: "nobody", ...as(""), status: 401, reply: "User not signed in" },
    { name: "a wrong token", ...as("access_token=no"), status: 404, reply: UNKNOWN_TOKEN },
    { name: "a revoked token", ...as(T(revoked)), status: 403, reply: "User access token revoked." },
    { name: "a disabled user", ...as(T(disabled)), status: 403 },
    { name: "a stranger, by UUID", ...as(T(stranger)), status: 403, reply: notAllowed(stranger) },
    {
      name: "the administrator is a stranger",
      ...as(T(api.admin)),
      status: 403,
      reply: notAllowed(api.admin),
    },
    {
      name: "a stranger, by name",
      ...as(T(stranger), run.name),
      status: 404,
      reply: `There is no workflow ${run.name}.`,
    },
    {
      name: "no such UUID",
      ...as(T(stranger), nobodysId),
      status: 404,
      reply: `There is no workflow ${nobodysId}.`,
    },
    {
      name: "what can be no name",
      ...as(T(stranger), "%C3%A9"),
      status: 404,
      reply: "Workflow name é is not valid.",
    },
  ];
}
