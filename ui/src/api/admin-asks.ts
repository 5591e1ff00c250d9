import { queryOptions } from "@tanstack/react-query";
import type { components } from "reprise-sdk";
import { client } from "./client.ts";

/** What the pages of the account and of the administration ask of the API. */

export type Account = components["schemas"]["Account"];
export type Host = components["schemas"]["Host"];
export type Token = components["schemas"]["Token"];

export const you = queryOptions({
  queryKey: ["you"],
  queryFn: async () => (await client.GET("/api/you")).data!,
});

export const tokens = queryOptions({
  queryKey: ["tokens"],
  queryFn: async () => (await client.GET("/api/tokens")).data!,
});

export const secrets = queryOptions({
  queryKey: ["secrets"],
  queryFn: async () => (await client.GET("/api/secrets")).data!,
});

export const users = queryOptions({
  queryKey: ["admin", "users"],
  queryFn: async () => (await client.GET("/api/admin/users")).data!,
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
