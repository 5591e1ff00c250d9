import { type Call, optionOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { inColumns } from "#cli/terminal/columns";
import { GROUP_ROLES, type GroupRole } from "#workflow/people/group-role";

export async function listGroups(cli: CliContext, call: Call): Promise<void> {
  const { data } = await (await openClient(cli, call)).GET("/api/groups");
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const rows = data!.map((group) => [group.name, String(group.member_count), group.owner_email]);
  for (const line of inColumns([["NAME", "MEMBERS", "OWNER"], ...rows], { right: [1] })) cli.print(line);
}

export async function showGroup(cli: CliContext, call: Call): Promise<void> {
  const params = { path: { group: call.args[0]! } };
  const { data } = await (await openClient(cli, call)).GET("/api/groups/{group}", { params });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const rows = data!.members.map(({ email, role }) => [email, role]);
  for (const line of inColumns([["E-MAIL", "ROLE"], ...rows])) cli.print(line);
}

export async function createGroup(cli: CliContext, call: Call): Promise<void> {
  const [name, ...members] = call.args;
  const { data } = await (await openClient(cli, call)).POST("/api/groups", { body: { name: name! } });
  say(cli, call, data!);
  if (members.length > 0) await addMembers(cli, call);
}

export async function addMembers(cli: CliContext, call: Call): Promise<void> {
  const [group, ...members] = call.args;
  const role = roleOf(call);
  const client = await openClient(cli, call);
  for (const user of members) {
    const params = { path: { group: group!, user } };
    const body = role === undefined ? {} : { role };
    say(cli, call, (await client.PUT("/api/groups/{group}/members/{user}", { params, body })).data!);
  }
}

function roleOf(call: Call): GroupRole | undefined {
  const text = optionOf(call, "role");
  const role = GROUP_ROLES.find((one) => one === text);
  if (text === undefined || role !== undefined) return role;
  throw new UsageError(`--role ${text}: ${GROUP_ROLES.join(", ")} are the roles.`);
}

export async function removeMembers(cli: CliContext, call: Call): Promise<void> {
  const [group, ...members] = call.args;
  const client = await openClient(cli, call);
  for (const user of members) {
    const params = { path: { group: group!, user } };
    say(cli, call, (await client.DELETE("/api/groups/{group}/members/{user}", { params })).data!);
  }
}

export async function deleteGroup(cli: CliContext, call: Call): Promise<void> {
  const params = { path: { group: call.args[0]! } };
  say(cli, call, (await (await openClient(cli, call)).DELETE("/api/groups/{group}", { params })).data!);
}

function say(cli: CliContext, call: Call, reply: { readonly message: string }): void {
  cli.print(call.flags("json") ? JSON.stringify(reply) : reply.message);
}
