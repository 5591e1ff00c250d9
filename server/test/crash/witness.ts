import { setTimeout as delay } from "node:timers/promises";
import type { RunStatus } from "#workflow/run/run-status";
import { Asker } from "./asker.ts";
import type { WitnessedKey, WitnessedSecret } from "./keys.ts";
import { ADMIN_TOKEN } from "../support/real-server.ts";

/**
 * The state of a request. The witness sends requests to a server as users and programs do, and remembers over all lives
 * of the server what was acknowledged: that must be true in the end. A request that was never answered may have been
 * carried out or not.
 */
export type Certainty = "never" | "asked" | "answered";

export interface WitnessedUser {
  readonly id: string;
  readonly email: string;
  /** All valid tokens. */
  readonly tokens: string[];
  lockedOut: boolean | "unknown";
  /** Limit of processor time. Null if unlimited. */
  cpuLimitMs: number | null | "unknown";
}

export interface WitnessedRun {
  readonly id: string;
  readonly token: string;
  /** The end of an undisturbed run; `stopped` for an endless run. */
  readonly endsAs: "finished" | "failed" | "stopped";
  started: Certainty;
  stopped: Certainty;
  deleted: Certainty;
  readonly uploads: Map<string, { readonly content: string; certainty: Certainty }>;
  /** Deleted files. `ruled` are the files deleted by retention rules some time after the run's end. */
  readonly gone: Set<string>;
  readonly ruled: string[];
  /** Every status shown in an answer, in order. */
  readonly seen: RunStatus[];
  leaves?: Left;
}

/** Lines and files that a run must leave if the run finishes. */
export interface Left {
  /** Number of commands. Each command adds a line to the file shared by all jobs of the world. */
  readonly commands: number;
  readonly files: Readonly<Record<string, string>>;
}

/** A user to whom a run was shown, or hidden again. */
export interface WitnessedReader {
  readonly run: WitnessedRun;
  readonly user: WitnessedUser;
  mayRead: boolean | "unknown";
}

export interface WitnessedNotification {
  readonly id: string;
  readonly token: string;
  /** Address of the webhook. */
  readonly receiver: string;
  isThere: boolean | "unknown";
}

/** A group with access to a run. */
export interface WitnessedGroup {
  readonly name: string;
  readonly run: WitnessedRun;
  readonly members: WitnessedReader[];
}

/** Longer than any request and any run; past this time something is stuck. */
const PATIENCE_MS = 30_000;
const POLL_MS = 25;

export class Witness extends Asker {
  readonly users: WitnessedUser[] = [];
  readonly runs: WitnessedRun[] = [];
  readonly secrets = new Map<string, WitnessedSecret>();
  readonly readers: WitnessedReader[] = [];
  readonly keys: WitnessedKey[] = [];
  readonly notifications: WitnessedNotification[] = [];
  /** Messages received by webhooks: address, run and status. */
  readonly messages = new Set<string>();
  readonly #restarted: WitnessedRun[] = [];
  #people = 0;

  /** Creates a user whose address is new, even if an earlier request was carried out and never answered. */
  async createUser(name: string): Promise<WitnessedUser> {
    this.#people += 1;
    const email = `${name}.${this.#people}@example.org`;
    const body = await this.expect(201, "POST", "users", { query: `&email=${email}` });
    const tokens = [String(body["access_token"])];
    const user: WitnessedUser = {
      id: String(body["id_"]),
      email,
      tokens,
      lockedOut: false,
      cpuLimitMs: null,
    };
    this.users.push(user);
    return user;
  }

  /** Invites a user. The user redeems the code for a token. */
  async inviteUser(name: string): Promise<WitnessedUser> {
    this.#people += 1;
    const email = `${name}.${this.#people}@example.org`;
    const body = JSON.stringify({ email });
    const { id_: id, code } = await this.expect(201, "POST", "admin/invitations", { body });
    const redeemed = await this.expect(201, "POST", "tokens/redeem", {
      body: JSON.stringify({ code, name: "laptop" }),
    });
    const user: WitnessedUser = {
      id: String(id),
      email,
      tokens: [String(redeemed["token"])],
      lockedOut: false,
      cpuLimitMs: null,
    };
    this.users.push(user);
    return user;
  }

  async issueToken(user: WitnessedUser): Promise<void> {
    user.tokens.push(String((await this.expect(201, "POST", `admin/users/${user.id}/tokens`))["token"]));
  }

  async lockOut(user: WitnessedUser, isOut: boolean): Promise<void> {
    user.lockedOut = "unknown";
    await this.expect(200, "POST", `admin/users/${user.id}/${isOut ? "disable" : "enable"}`);
    user.lockedOut = isOut;
  }

  async limit(user: WitnessedUser, cpuLimitMs: number): Promise<void> {
    user.cpuLimitMs = "unknown";
    const body = JSON.stringify({ user_id: user.id, resource_type: "cpu", limit: cpuLimitMs });
    await this.expect(200, "POST", "quota", { body });
    user.cpuLimitMs = cpuLimitMs;
  }

  async createRun(
    name: string,
    specification: object,
    options: { readonly token?: string; readonly endsAs?: WitnessedRun["endsAs"] } = {},
  ): Promise<WitnessedRun> {
    const { token = ADMIN_TOKEN, endsAs = "finished" } = options;
    const request = { token, query: `&workflow_name=${name}`, body: JSON.stringify(specification) };
    const body = await this.expect(201, "POST", "workflows", request);
    return this.witnessRun(String(body["workflow_id"]), token, endsAs);
  }

  witnessRun(id: string, token: string, endsAs: WitnessedRun["endsAs"]): WitnessedRun {
    const certainties = { started: "never", stopped: "never", deleted: "never" } as const;
    const files = { uploads: new Map(), gone: new Set<string>(), ruled: [] };
    const run: WitnessedRun = { id, token, endsAs, ...certainties, ...files, seen: ["created"] };
    this.runs.push(run);
    return run;
  }

  async upload(run: WitnessedRun, name: string, content: string): Promise<void> {
    const upload = { content, certainty: "asked" as Certainty };
    run.uploads.set(name, upload);
    const query = `&file_name=${name}`;
    await this.expect(200, "POST", `workflows/${run.id}/workspace`, {
      token: run.token,
      query,
      body: content,
    });
    upload.certainty = "answered";
  }

  start(run: WitnessedRun): Promise<boolean> {
    return this.#setStatus(run, "started", "start");
  }

  /** Prunes a workspace. Exactly the named files of the run must be deleted. */
  async prune(run: WitnessedRun, names: readonly string[]): Promise<void> {
    this.#expectToGo(run, names);
    await this.expect(200, "POST", `workflows/${run.id}/prune`, { token: run.token });
    for (const name of names) run.gone.add(name);
  }

  /** Starts a run whose rules delete the named files as soon as the run has ended. */
  startWithRules(run: WitnessedRun, names: readonly string[]): Promise<boolean> {
    this.#expectToGo(run, names);
    run.ruled.push(...names);
    return this.start(run);
  }

  #expectToGo(run: WitnessedRun, names: readonly string[]): void {
    for (const name of names) run.uploads.get(name)!.certainty = "asked";
  }

  /** Waits until all due rules of an ended run have been applied. */
  async untilTidied(run: WitnessedRun): Promise<void> {
    const lastMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const request = { token: run.token };
      const body = await this.expect(200, "GET", `workflows/${run.id}/retention_rules`, request);
      const rules = body["retention_rules"] as { retention_days: number; status: string }[];
      if (rules.every(({ retention_days: days, status }) => days > 0 || status === "applied")) break;
      if (performance.now() > lastMs) throw new Error(`P3: ${JSON.stringify(rules)} stay so.`);
      await delay(POLL_MS);
    }
    for (const name of run.ruled) run.gone.add(name);
  }

  /** Fails unless the workspace has exactly the named files. */
  async expectFiles(run: WitnessedRun, names: readonly string[]): Promise<void> {
    const body = await this.expect(200, "GET", `workflows/${run.id}/workspace`, { token: run.token });
    const found = (body["items"] as { name: string }[]).map(({ name }) => name).toSorted();
    if (String(found) !== String(names))
      throw new Error(`P8: the workspace of ${run.id} holds ${found.join(", ")}.`);
  }

  async addSecret(name: string, type: "env" | "file", value: string): Promise<void> {
    const secret: WitnessedSecret = { value, isThere: "unknown" };
    this.secrets.set(name, secret);
    const body = JSON.stringify({ [name]: { type, value: Buffer.from(value).toString("base64") } });
    await this.expect(201, "POST", "secrets", { body });
    secret.isThere = true;
  }

  async deleteSecret(name: string): Promise<void> {
    const secret = this.secrets.get(name)!;
    secret.isThere = "unknown";
    await this.expect(200, "DELETE", "secrets", { body: JSON.stringify([name]) });
    secret.isThere = false;
  }

  /** Adds a notification of a user to a new address. */
  async notify({ tokens }: WitnessedUser, webhooks: string): Promise<WitnessedNotification> {
    this.#people += 1;
    const [token, receiver] = [tokens[0]!, `${webhooks}/${this.#people}`];
    const { id } = await this.expect(201, "POST", "notifications", {
      token,
      body: JSON.stringify({ to: receiver }),
    });
    const notification: WitnessedNotification = { id: String(id), token, receiver, isThere: true };
    this.notifications.push(notification);
    return notification;
  }

  async removeNotification(notification: WitnessedNotification): Promise<void> {
    notification.isThere = "unknown";
    const { id, token } = notification;
    await this.expect(200, "DELETE", `notifications/${id}`, { token });
    notification.isThere = false;
  }

  /** Waits until a webhook has received the message about the end of a run. */
  async untilReported(run: WitnessedRun, { receiver }: WitnessedNotification): Promise<void> {
    const lastMs = performance.now() + PATIENCE_MS;
    while (!this.messages.has(`${receiver} ${run.id} ${await this.look(run)}`)) {
      if (performance.now() > lastMs) throw new Error(`P3: the end of ${run.id} is not reported.`);
      await delay(POLL_MS);
    }
  }

  async share(run: WitnessedRun, user: WitnessedUser): Promise<WitnessedReader> {
    const reader: WitnessedReader = { run, user, mayRead: "unknown" };
    this.readers.push(reader);
    const body = JSON.stringify({ user_email_to_share_with: user.email });
    await this.expect(200, "POST", `workflows/${run.id}/share`, { token: run.token, body });
    reader.mayRead = true;
    return reader;
  }

  async unshare(reader: WitnessedReader): Promise<void> {
    const { run, user } = reader;
    reader.mayRead = "unknown";
    const body = JSON.stringify({ user_email_to_unshare_with: user.email });
    await this.expect(200, "POST", `workflows/${run.id}/unshare`, { token: run.token, body });
    reader.mayRead = false;
  }

  /** Makes a group with a new name, and shares the run with the group. */
  async createGroup(run: WitnessedRun): Promise<WitnessedGroup> {
    this.#people += 1;
    const name = `group-${this.#people}`;
    const { token } = run;
    await this.expect(201, "POST", "groups", { token, body: JSON.stringify({ name }) });
    const body = JSON.stringify({ user_email_to_share_with: `group:${name}` });
    await this.expect(200, "POST", `workflows/${run.id}/share`, { token, body });
    return { name, run, members: [] };
  }

  async addMember({ name, run, members }: WitnessedGroup, user: WitnessedUser): Promise<WitnessedReader> {
    const member: WitnessedReader = { run, user, mayRead: "unknown" };
    this.readers.push(member);
    members.push(member);
    await this.expect(200, "PUT", `groups/${name}/members/${user.id}`, { token: run.token });
    member.mayRead = true;
    return member;
  }

  async removeMember({ name, run }: WitnessedGroup, member: WitnessedReader): Promise<void> {
    member.mayRead = "unknown";
    await this.expect(200, "DELETE", `groups/${name}/members/${member.user.id}`, { token: run.token });
    member.mayRead = false;
  }

  async deleteGroup({ name, run, members }: WitnessedGroup): Promise<void> {
    for (const member of members) member.mayRead = "unknown";
    await this.expect(200, "DELETE", `groups/${name}`, { token: run.token });
    for (const member of members) member.mayRead = false;
  }

  /** Restarts a run in the same workspace. A run whose answer was lost is found by `findRestarts`. */
  async restart(
    run: WitnessedRun,
    endsAs: WitnessedRun["endsAs"],
    changes: object = {},
  ): Promise<WitnessedRun> {
    this.#restarted.push(run);
    const request = { token: run.token, body: JSON.stringify({ restart: true, ...changes }) };
    const body = await this.expect(200, "POST", `workflows/${run.id}/start`, request);
    return this.#witnessRestart(String(body["workflow_id"]), run, endsAs);
  }

  /** Starts a new run with a copy of the files. */
  async rerun(run: WitnessedRun, endsAs: WitnessedRun["endsAs"]): Promise<WitnessedRun> {
    this.#restarted.push(run);
    const request = { token: run.token, body: "{}" };
    const body = await this.expect(201, "POST", `workflows/${run.id}/rerun`, request);
    return this.#witnessRestart(String(body["workflow_id"]), run, endsAs);
  }

  /** Finds restarts and reruns whose answer was lost. The caller expects such runs to be possible. */
  async findRestarts(): Promise<void> {
    for (const base of this.#restarted.splice(0)) {
      const request = { token: base.token, query: "&type=batch" };
      const { items } = (await this.expect(200, "GET", "workflows", request)) as { items: { id: string }[] };
      const unknown = items.filter(({ id }) => !this.runs.some((run) => run.id === id));
      for (const { id } of unknown) this.#witnessRestart(id, base, base.endsAs);
    }
  }

  #witnessRestart(id: string, base: WitnessedRun, endsAs: WitnessedRun["endsAs"]): WitnessedRun {
    const run = { ...this.witnessRun(id, base.token, endsAs), uploads: base.uploads };
    run.started = "answered";
    this.runs.splice(-1, 1, run);
    return run;
  }

  stop(run: WitnessedRun): Promise<boolean> {
    return this.#setStatus(run, "stopped", "stop");
  }

  remove(run: WitnessedRun): Promise<boolean> {
    return this.#setStatus(run, "deleted", "deleted");
  }

  /** Changes a status. Returns false if the server refuses because of the run's present status. */
  async #setStatus(
    run: WitnessedRun,
    what: "started" | "stopped" | "deleted",
    word: string,
  ): Promise<boolean> {
    const before = run[what];
    run[what] = before === "answered" ? "answered" : "asked";
    const request = { token: run.token, query: `&status=${word}` };
    const { status, body } = await this.ask("PUT", `workflows/${run.id}/status`, request);
    if (status === 409) {
      run[what] = before;
      return false;
    }
    if (status !== 200) throw new Error(`${word} ${run.id} answered ${status}: ${JSON.stringify(body)}`);
    run[what] = "answered";
    run.seen.push(body["status"] as RunStatus);
    return true;
  }

  async look(run: WitnessedRun): Promise<RunStatus> {
    const body = await this.expect(200, "GET", `workflows/${run.id}/status`, { token: run.token });
    const status = body["status"] as RunStatus;
    if (run.seen.at(-1) !== status) run.seen.push(status);
    return status;
  }

  async until(run: WitnessedRun, ...wanted: readonly RunStatus[]): Promise<void> {
    const lastMs = performance.now() + PATIENCE_MS;
    while (!wanted.includes(await this.look(run))) {
      if (performance.now() > lastMs) throw new Error(`P3: ${run.id} is ${run.seen.at(-1)}, and stays so.`);
      await delay(POLL_MS);
    }
  }

  /** Returns the command, the output and the status of each job, by its id. */
  async logs(run: WitnessedRun): Promise<Map<string, { cmd: string; status: string; logs: string }>> {
    const body = await this.expect(200, "GET", `workflows/${run.id}/logs`, { token: run.token });
    const { job_logs: jobs } = JSON.parse(String(body["logs"])) as {
      job_logs: Record<string, { cmd: string; status: string; logs: string }>;
    };
    return new Map(Object.entries(jobs));
  }
}
