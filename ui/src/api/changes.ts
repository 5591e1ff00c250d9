import { client, of } from "./client.ts";
import { queryCache } from "./cache.ts";

/** Every change that the page asks the server for. */

export async function signIn(proof: { readonly code?: string; readonly token?: string }) {
  const { data } = await client.POST("/api/session", { body: proof });
  queryCache.clear();
  return data!;
}

export async function signOut(): Promise<void> {
  await client.DELETE("/api/session");
  queryCache.clear();
}

export type RunAction = "start" | "stop" | "delete" | "restart" | "rerun";

/** Carries out an action on a run. Returns the id of the run to look at: a restart and a rerun are new runs. */
export async function act(id: string, action: RunAction): Promise<string> {
  const params = of(id);
  if (action === "rerun") {
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/rerun", { params, body: {} });
    return data!.workflow_id;
  }
  if (action === "restart") {
    const body = { restart: true };
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/start", { params, body });
    return data!.workflow_id;
  }
  const status = action === "delete" ? "deleted" : action;
  await client.PUT("/api/workflows/{workflow_id_or_name}/status", {
    params: { ...params, query: { status } },
  });
  return id;
}

/** Lets every page look again at what may have changed. */
export async function lookAgain(): Promise<void> {
  await queryCache.invalidateQueries();
}
