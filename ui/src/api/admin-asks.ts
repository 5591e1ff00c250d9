import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components } from "reprise-sdk";
import { client } from "./client.ts";
import { LIVE_STATUSES } from "./asks.ts";

/** Requests of the account's and the administrator's pages. */

export type Account = components["schemas"]["Account"];
export type Host = components["schemas"]["Host"];
export type Token = components["schemas"]["Token"];

export type Shadow = components["schemas"]["Shadow"];
export type ShadowKind = components["schemas"]["ShadowKind"];
export type ShadowUser = components["schemas"]["ShadowUser"];
export type Shadows = components["schemas"]["Shadows"];
export type UsageOfUser = components["schemas"]["UsageOfUser"];
export type Policy = components["schemas"]["Policy"];
export type You = NonNullable<Awaited<ReturnType<typeof askYou>>>;

const askYou = async () => (await client.GET("/api/you")).data!;

export const you = queryOptions({
  queryKey: ["you"],
  queryFn: askYou,
});

export const tokens = queryOptions({
  queryKey: ["tokens"],
  queryFn: async () => (await client.GET("/api/tokens")).data!,
});

export const secrets = queryOptions({
  queryKey: ["secrets"],
  queryFn: async () => (await client.GET("/api/secrets")).data!,
});

export const groups = queryOptions({
  queryKey: ["groups"],
  queryFn: async () => (await client.GET("/api/groups")).data!,
});

export const group = (name: string) =>
  queryOptions({
    queryKey: ["groups", name],
    queryFn: async () =>
      (await client.GET("/api/groups/{group}", { params: { path: { group: name } } })).data!,
  });

export const policies = queryOptions({
  queryKey: ["admin", "policies"],
  queryFn: async () => (await client.GET("/api/admin/policies")).data!,
});

/** The use and the limits of a user, by resource. */
export type Quotas = Readonly<Record<"cpu" | "disk" | "wall", components["schemas"]["ResourceQuota"]>>;

export const quotasOf = (email: string) =>
  queryOptions({
    queryKey: ["admin", "quotas", email],
    queryFn: async (): Promise<Quotas> => {
      const one = async (resource: keyof Quotas) => {
        const query = { email, resource_type: resource };
        return (await client.GET("/api/quota", { params: { query } })).data!;
      };
      const [cpu, disk, wall] = await Promise.all([one("cpu"), one("disk"), one("wall")]);
      return { cpu, disk, wall };
    },
  });

export const users = queryOptions({
  queryKey: ["admin", "users"],
  queryFn: async () => (await client.GET("/api/admin/users")).data!,
});

export const usageOfUsers = queryOptions({
  queryKey: ["admin", "usage"],
  queryFn: async () => (await client.GET("/api/admin/usage/users")).data!,
  // The server counts all files of users for this reply.
  staleTime: 60_000,
});

const OFTEN_MS = 5000;

export const hosts = queryOptions({
  queryKey: ["admin", "hosts"],
  queryFn: async () => (await client.GET("/api/admin/hosts")).data!,
  refetchInterval: OFTEN_MS,
});

export const drain = queryOptions({
  queryKey: ["admin", "drain"],
  queryFn: async () => (await client.GET("/api/admin/drain")).data!,
  refetchInterval: OFTEN_MS,
});

export const load = queryOptions({
  queryKey: ["admin", "load"],
  queryFn: async () => (await client.GET("/api/status")).data!,
  refetchInterval: OFTEN_MS,
});

/** Limit on the live runs that are shown at once. */
const LIVE_RUNS_SHOWN = 50;

export const liveRuns = queryOptions({
  queryKey: ["admin", "runs"],
  queryFn: async () => {
    const query = { status: [...LIVE_STATUSES], size: LIVE_RUNS_SHOWN };
    return (await client.GET("/api/admin/runs", { params: { query } })).data!;
  },
  refetchInterval: OFTEN_MS,
});

/** The runs that are also sent to another server: of the user, or of all users for the administrator. */
export const shadows = queryOptions({
  queryKey: ["shadows"],
  queryFn: async () => (await client.GET("/api/shadows")).data!,
  refetchInterval: OFTEN_MS,
});

export const serverState = queryOptions({
  queryKey: ["admin", "server"],
  queryFn: async () => (await client.GET("/api/admin/server")).data!,
  refetchInterval: OFTEN_MS,
});

export const audit = (last: number) =>
  queryOptions({
    queryKey: ["admin", "audit", last],
    queryFn: async () => (await client.GET("/api/admin/audit", { params: { query: { last } } })).data!,
    placeholderData: keepPreviousData,
  });
