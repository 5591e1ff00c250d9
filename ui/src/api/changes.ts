import type { components } from "reprise-sdk";
import { client, of } from "./client.ts";
import { queryCache } from "./cache.ts";
import { forgetPageKey, keepPageKey } from "./page-key.ts";

/** Every change that the page asks the server for. Uploads are in `upload.ts`. */

export async function signIn(proof: { readonly code?: string; readonly token?: string }) {
  const { data } = await client.POST("/api/session", { body: proof });
  keepPageKey(data!.page_key);
  queryCache.clear();
  return data!;
}

export async function signOut(): Promise<void> {
  await client.DELETE("/api/session");
  forgetPageKey();
  queryCache.clear();
}

/** Lets every page look again at what may have changed. */
export async function lookAgain(): Promise<void> {
  await queryCache.invalidateQueries();
}

// Runs.

export type RunAction = "start" | "stop" | "delete" | "restart" | "rerun";

export interface StartValues {
  readonly input_parameters?: Readonly<Record<string, unknown>>;
  readonly fresh?: boolean;
}

/** Carries out an action on a run. Returns the id of the run to look at: a restart and a rerun are new runs. */
export async function act(id: string, action: RunAction, values: StartValues = {}): Promise<string> {
  const params = of(id);
  if (action === "rerun") {
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/rerun", {
      params,
      body: values,
    });
    return data!.workflow_id;
  }
  if (action === "start" || action === "restart") {
    const body = { ...values, ...(action === "restart" && { restart: true }) };
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/start", { params, body });
    return data!.workflow_id;
  }
  const status = action === "delete" ? "deleted" : action;
  const query = { status };
  await client.PUT("/api/workflows/{workflow_id_or_name}/status", { params: { ...params, query } });
  return id;
}

/** Creates a run from a specification. */
export async function createRun(name: string, specification: components["schemas"]["Specification"]) {
  const query = name === "" ? {} : { workflow_name: name };
  const { data } = await client.POST("/api/workflows", { params: { query }, body: specification });
  return data!;
}

/** Creates a run from a repository, and starts it. */
export async function launchRun(wanted: components["schemas"]["LaunchWorkflowBody"]) {
  const { data } = await client.POST("/api/launch", { body: wanted });
  return data!;
}

export async function setNotes(run: string, notes: { readonly note: string; readonly tags: string[] }) {
  await client.PUT("/api/workflows/{workflow_id_or_name}/notes", { params: of(run), body: notes });
}

/** Runs a finished run or one of its steps again, to compare the outputs. An empty step stands for the whole run. */
export async function verifyRun(run: string, step: string): Promise<void> {
  const body = step === "" ? {} : { step };
  await client.POST("/api/workflows/{workflow_id_or_name}/verify", { params: of(run), body });
}

/** Makes a draft of a run on another server, or publishes the draft. */
export async function publishRun(
  run: string,
  values: Partial<components["schemas"]["PublicationValues"]>,
): Promise<void> {
  const path = "/api/workflows/{workflow_id_or_name}/publication";
  await client.POST(path, { params: of(run), body: { submit: false, ...values } });
}

/** Repeats the first step that differs in a verification, to find the cause. */
export async function repeatStep(run: string): Promise<void> {
  const path = "/api/workflows/{workflow_id_or_name}/verification/repetitions";
  await client.POST(path, { params: of(run), body: {} });
}

export interface ShareWith {
  /** An e-mail address, or `group:` and the name of a group. */
  readonly reader: string;
  /** Last day of the share, `YYYY-MM-DD`, or an empty text. */
  readonly until: string;
}

export async function shareRun(run: string, { reader, until }: ShareWith): Promise<void> {
  const body = { user_email_to_share_with: reader, ...(until !== "" && { valid_until: until }) };
  await client.POST("/api/workflows/{workflow_id_or_name}/share", { params: of(run), body });
}

export async function unshareRun(run: string, reader: string): Promise<void> {
  const params = { ...of(run), query: { user_email_to_unshare_with: reader } };
  await client.POST("/api/workflows/{workflow_id_or_name}/unshare", { params });
}

/** Opens a notebook on the files of a run. An empty image: the server's own JupyterLab. */
export async function openNotebook(run: string, image: string): Promise<void> {
  const params = { path: { workflow_id_or_name: run, type: "jupyter" } };
  const body = image === "" ? {} : { image };
  await client.POST("/api/workflows/{workflow_id_or_name}/open/{type}", { params, body });
}

export async function closeNotebook(run: string): Promise<void> {
  await client.POST("/api/workflows/{workflow_id_or_name}/close", { params: of(run) });
}

// Files.

export async function renameFile(run: string, source: string, target: string): Promise<void> {
  const params = { ...of(run), query: { source, target } };
  await client.PUT("/api/workflows/move_files/{workflow_id_or_name}", { params });
}

export async function deleteFile(run: string, name: string): Promise<void> {
  const path = { workflow_id_or_name: run, file_name: name };
  await client.DELETE("/api/workflows/{workflow_id_or_name}/workspace/{file_name}", { params: { path } });
}

// The account.

export interface NewToken {
  readonly name: string;
  readonly scope: components["schemas"]["TokenScope"];
  /** If absent, the token never expires. */
  readonly expires_in_days?: number;
}

export async function issueToken(wanted: NewToken) {
  return (await client.POST("/api/tokens", { body: wanted })).data!;
}

export async function revokeToken(token: string): Promise<void> {
  await client.DELETE("/api/tokens/{token}", { params: { path: { token } } });
}

export async function addSecret(name: string, value: string): Promise<void> {
  const bytes = new TextEncoder().encode(value);
  const secret = { type: "env" as const, value: btoa(String.fromCodePoint(...bytes)) };
  const params = { query: { overwrite: false } };
  await client.POST("/api/secrets", { params, body: { [name]: secret } });
}

export async function deleteSecret(name: string): Promise<void> {
  await client.DELETE("/api/secrets", { body: [name] });
}

// The administration.

export async function addUser(email: string) {
  return (await client.POST("/api/users", { params: { query: { email } } })).data!;
}

export async function setEnabled(user: string, isEnabled: boolean): Promise<void> {
  const params = { path: { user } };
  if (isEnabled) await client.POST("/api/admin/users/{user}/enable", { params });
  else await client.POST("/api/admin/users/{user}/disable", { params });
}

/** Lets a provider of sign-in open the account of a user, or refuses it. */
export async function answerProvider(user: string, isAdmitted: boolean): Promise<void> {
  const params = { path: { user } };
  if (isAdmitted) await client.PUT("/api/admin/users/{user}/provider", { params });
  else await client.DELETE("/api/admin/users/{user}/provider", { params });
}

/** Switches the copies of the later runs of a user on another server on or off. */
export async function switchShadows(user: string, isOn: boolean): Promise<void> {
  const params = { path: { user } };
  await client.PUT("/api/admin/users/{user}/shadows", { params, body: { on: isOn } });
}

/** Switches the copies of the user's own later runs. */
export async function switchOwnShadows(isOn: boolean): Promise<void> {
  await client.PUT("/api/shadows", { body: { on: isOn } });
}

export async function issueTokenFor(user: string, wanted: NewToken) {
  const params = { path: { user } };
  return (await client.POST("/api/admin/users/{user}/tokens", { params, body: wanted })).data!;
}

/** Sets limits of a user. Null: the limit that applies to everybody. 0: no limit. */
export async function setQuotas(
  email: string,
  limits: readonly (readonly ["cpu" | "disk" | "wall", number | null])[],
): Promise<void> {
  for (const [resource, limit] of limits) {
    await client.POST("/api/quota", { body: { email, resource_type: resource, limit } });
  }
}

interface GroupRoleWanted {
  readonly name: string;
  readonly email: string;
  readonly role: components["schemas"]["GroupRole"];
}

/** Gives a user of a group another role. */
export async function setGroupRole({ name, email, role }: GroupRoleWanted): Promise<void> {
  const params = { path: { group: name, user: email } };
  await client.PUT("/api/groups/{group}/members/{user}", { params, body: { role } });
}

export async function setPolicy(group: string, body: components["schemas"]["SetPolicyBody"]): Promise<void> {
  await client.PUT("/api/admin/policies/{group}", { params: { path: { group } }, body });
}

export async function declareLost(host: string): Promise<void> {
  await client.POST("/api/admin/hosts/{host}/declare-lost", { params: { path: { host } } });
}

export async function setDraining(isDraining: boolean): Promise<void> {
  if (isDraining) await client.POST("/api/admin/drain", { body: {} });
  else await client.DELETE("/api/admin/drain");
}
