import type { components, RepriseClient } from "reprise-sdk";
import { type Call, optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";
import { clientFor } from "#cli/server/hosts";
import { amountOfTime } from "#plumbing/text/duration";
import { inColumns } from "#cli/terminal/columns";
import { counted } from "#plumbing/text/counted";
import { shortSize } from "#plumbing/text/human-size";
import { SIZE_UNITS } from "#plumbing/text/size-units";

type Resource = "cpu" | "disk" | "wall";
type Quota = components["schemas"]["ResourceQuota"];

const NO_LIMIT = -1;

/** Sets the given limits of a user, and shows each limit with the user's use. */
export async function quota(cli: CliContext, call: Call): Promise<void> {
  const email = call.args[0]!;
  const limits = (["cpu", "disk", "wall"] as const).flatMap((resource) => {
    const given = optionOf(call, resource);
    return given === undefined ? [] : [{ resource, limit: parseLimit(resource, given) }];
  });
  const months = optionOf(call, "months");
  const period = months === undefined ? undefined : parseMonths(months);
  const client = await clientFor(cli, call);
  for (const { resource, limit } of limits) {
    await client.POST("/api/quota", { body: { email, resource_type: resource, limit } });
  }
  if (period !== undefined) {
    await client.PATCH("/api/quota", {
      body: { email, resource_type: "cpu", quota_period_months: period === 0 ? null : period },
    });
  }
  const quotas = {
    cpu: await quotaOf(client, email, "cpu"),
    disk: await quotaOf(client, email, "disk"),
    wall: await quotaOf(client, email, "wall"),
  };
  if (call.flags("json")) return cli.print(JSON.stringify(quotas));
  const rows = [rowOf("cpu", quotas.cpu, amountOfTime), rowOf("disk", quotas.disk, shortSize)];
  // REANA has no wall-clock limit, and most servers set none.
  if (quotas.wall.limit !== NO_LIMIT) rows.push(rowOf("wall", quotas.wall, amountOfTime));
  for (const line of inColumns([["RESOURCE", "USED", "LIMIT", "PERIOD"], ...rows])) cli.print(line);
}

async function quotaOf(client: RepriseClient, email: string, resource: Resource): Promise<Quota> {
  const query = { email, resource_type: resource };
  return (await client.GET("/api/quota", { params: { query } })).data!;
}

function rowOf(
  name: Resource,
  { usage, limit, ...rest }: Quota,
  human: (amount: number) => string,
): string[] {
  const { quota_period_months: months, quota_period_start_at: start } = rest;
  const period =
    name === "disk" || months === null ? "-" : `${counted(months, "month")} from ${start!.slice(0, 10)}`;
  return [name, human(usage), limit === NO_LIMIT ? "-" : human(limit), period];
}

const UNITS: Readonly<Record<Resource, Readonly<Record<string, number>>>> = {
  cpu: { s: 1000, min: 60_000, h: 3_600_000 },
  wall: { s: 1000, min: 60_000, h: 3_600_000 },
  disk: SIZE_UNITS,
};

/** Returns null for the server's default, and 0 for no limit. */
export function parseLimit(resource: Resource, text: string): number | null {
  if (text === "default") return null;
  if (text === "none") return 0;
  const [, digits = "", unit = ""] = /^(\d{1,9})([A-Za-z]+)$/.exec(text) ?? [];
  const units = UNITS[resource];
  if (Object.hasOwn(units, unit) && Number(digits) > 0) return Number(digits) * units[unit]!;
  const example = resource === "disk" ? "50GiB (KiB, MiB, GiB, TiB)" : "100h (s, min, h)";
  throw new CommandError(
    `--${resource} ${text} is not valid: give an amount such as ${example}, none or default.`,
  );
}

/** Returns 0 for no period. */
function parseMonths(text: string): number {
  if (text === "none") return 0;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new CommandError(`--months ${text} is not valid: give a number of months, or none.`);
}

/** Shows what the users' runs and notebooks have used, by month. */
export async function usageByMonth(cli: CliContext, call: Call): Promise<void> {
  const [from, to, user] = [optionOf(call, "from"), optionOf(call, "to"), optionOf(call, "user")];
  const query = { ...(from && { from }), ...(to && { to }), ...(user && { user }) };
  const client = await clientFor(cli, call);
  const months = (await client.GET("/api/admin/usage", { params: { query } })).data!;
  if (call.flags("json")) return cli.print(JSON.stringify(months));
  const rows = months.map(({ month, email, runs, cpu_ms: cpu, wall_ms: wall }) => [
    month,
    email,
    String(runs),
    amountOfTime(cpu),
    amountOfTime(wall),
  ]);
  const head = ["MONTH", "USER", "RUNS", "PROCESSOR TIME", "WALL CLOCK"];
  for (const line of inColumns([head, ...rows], { right: [2, 3, 4] })) cli.print(line);
}

/** Lists what each user has used and may use. */
export async function usageOfUsers(cli: CliContext, call: Call): Promise<void> {
  const client = await clientFor(cli, call);
  const users = (await client.GET("/api/admin/usage/users")).data!;
  if (call.flags("json")) return cli.print(JSON.stringify(users));
  const rows = users.map((user) => [
    user.email,
    String(user.runs),
    String(user.live_runs),
    usedOf(user.cpu_ms, user.cpu_limit_ms, amountOfTime),
    usedOf(user.disk_bytes, user.disk_limit_bytes, shortSize),
  ]);
  const head = ["USER", "RUNS", "LIVE", "PROCESSOR TIME", "DISK"];
  for (const line of inColumns([head, ...rows], { right: [1, 2, 3, 4] })) cli.print(line);
}

function usedOf(used: number | null, limit: number | null, human: (amount: number) => string): string {
  const amount = used === null ? "?" : human(used);
  return limit === null ? amount : `${amount} of ${human(limit)}`;
}
