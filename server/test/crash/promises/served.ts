import type { Witness, WitnessedReader, WitnessedRun, WitnessedUser } from "../witness.ts";
import { isOfSnakemake } from "./ran-once.ts";

/**
 * Checks what only a running server can show: whether acknowledged users can sign in, and whether it serves the
 * acknowledged files (P1, P6) and every byte that jobs printed (P5). The jobs run `job.sh`.
 */
export async function brokenWhileServing(witness: Witness, ran: readonly string[]): Promise<string[]> {
  const began = new Set(ran.map((line) => line.split(" ")[0]!));
  const broken: string[] = [];
  if (witness.secrets.size > 0) broken.push(...(await wrongSecrets(witness)));
  for (const reader of witness.readers) broken.push(...(await wrongAccess(witness, reader)));
  for (const user of witness.users) broken.push(...(await wrongSignIns(witness, user)));
  for (const run of witness.runs) {
    const status = await witness.look(run);
    if (status === "deleted") continue;
    broken.push(...(await wrongUploads(witness, run)), ...(await wrongLogs(witness, run, began)));
    if (status === "finished") broken.push(...(await wrongLeft(witness, run)));
  }
  return broken;
}

async function wrongSignIns(witness: Witness, user: WitnessedUser): Promise<string[]> {
  const answers = await Promise.all(user.tokens.map((token) => witness.ask("GET", "you", { token })));
  const wanted = { true: [403], false: [200], unknown: [200, 403] }[`${user.lockedOut}`];
  const wrong = answers.filter(({ status }) => !wanted.includes(status));
  const { body } = await witness.ask("GET", "users", { query: `&email=${user.email}` });
  const isKnown = String(body["text"]).includes(`"access_token":"${user.tokens[0]}"`);
  return [
    ...wrong.map(({ status }) => `P1: ${user.email} is answered ${status}.`),
    ...(isKnown ? [] : [`P1: the administrator is not told the token of ${user.email}.`]),
  ];
}

/** Checks that exactly the users with a share of a run can see the run (P1, P9). */
async function wrongAccess(witness: Witness, { run, user, mayRead }: WitnessedReader): Promise<string[]> {
  const [token] = user.tokens;
  const { status } = await witness.ask("GET", `workflows/${run.id}/status`, { token: token! });
  const wanted = { true: [200], false: [403], unknown: [200, 403] }[`${mayRead}`];
  return wanted.includes(status) ? [] : [`P9: ${user.email} is answered ${status} for ${run.id}.`];
}

/** Checks the secrets of the administrator, whose secrets the stories use. */
async function wrongSecrets(witness: Witness): Promise<string[]> {
  const { body } = await witness.ask("GET", "secrets");
  const names = (JSON.parse(String(body["text"])) as { name: string }[]).map(({ name }) => name);
  return [...witness.secrets]
    .filter(([name, { isThere }]) => isThere !== "unknown" && isThere !== names.includes(name))
    .map(
      ([name, { isThere }]) =>
        `P1: the secret ${name} was ${isThere ? "added and is gone" : "deleted and is there"}.`,
    );
}

async function wrongUploads(witness: Witness, run: WitnessedRun): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, { content, certainty }] of run.uploads) {
    const request = { token: run.token };
    const { status, body } = await witness.ask("GET", `workflows/${run.id}/workspace/${name}`, request);
    if (run.gone.has(name) && status !== 404)
      wrong.push(`P1: ${name} of ${run.id} was deleted, and is there.`);
    if (status === 404 && certainty === "answered") wrong.push(`P1: ${name} of ${run.id} is gone.`);
    else if (status !== 404 && body["text"] !== content) wrong.push(`P6: ${name} of ${run.id} is not whole.`);
  }
  return [...wrong, ...(await unknownFiles(witness, run))];
}

/** Compares the files of a run with the expected files (P2). */
async function wrongLeft(witness: Witness, run: WitnessedRun): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, content] of Object.entries(run.leaves?.files ?? {})) {
    const request = { token: run.token };
    const { body } = await witness.ask("GET", `workflows/${run.id}/workspace/${name}`, request);
    if (body["text"] !== content)
      wrong.push(
        `P2: ${name} of ${run.id} holds ${JSON.stringify(body)} and not ${JSON.stringify(content)}.`,
      );
  }
  return wrong;
}

/** Files written by engines and jobs of the stories, and the file from a repository. */
const MADE_BY_RUNS =
  /^(cwl|out|outputs|results|_yadage|greet_\d|join|\.snakemake)\/|^(settings\.json|talk|reana\.yaml|report\.html)$/;

async function unknownFiles(witness: Witness, run: WitnessedRun): Promise<string[]> {
  const { body } = await witness.ask("GET", `workflows/${run.id}/workspace`, { token: run.token });
  const names = ((body["items"] ?? []) as { name: string }[]).map(({ name }) => name);
  const unknown = names.filter((name) => !run.uploads.has(name) && !MADE_BY_RUNS.test(name));
  return unknown.map((name) => `P6: nobody has put ${name} into the workspace of ${run.id}.`);
}

/** The log of a reused job: all output of the executed job. */
const TAKEN_OVER = /^\[Taken over from .*\]\nbegin (\S+)\nend \1\n$/;

async function wrongLogs(witness: Witness, run: WitnessedRun, began: ReadonlySet<string>): Promise<string[]> {
  const wrong: string[] = [];
  for (const [id, { cmd, status, logs }] of await witness.logs(run)) {
    if (TAKEN_OVER.test(logs) || isOfSnakemake(cmd)) continue;
    const whole = `begin ${id}\nend ${id}\n`;
    const isWhole = status === "finished" ? logs === whole : whole.startsWith(logs);
    const hasBegun = !began.has(id) || logs.startsWith(`begin ${id}\n`);
    if (!isWhole || !hasBegun)
      wrong.push(`P5: of the job ${id} (${status}) is served: ${JSON.stringify(logs)}`);
  }
  return wrong;
}
