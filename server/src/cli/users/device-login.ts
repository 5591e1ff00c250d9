import os from "node:os";
import path from "node:path";
import { ApiError, type RepriseClient } from "reprise-sdk";
import { type Call, optionOf } from "#cli/call";
import { openPublicClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError, UsageError } from "#cli/failure";
import { messageOf } from "#plumbing/errors";
import { writeSecretFile } from "#plumbing/secrets/secret-file";

/** RFC 8628, section 3.5: the pause grows by this much each time that the provider asks for it. */
const SLOWER_SECONDS = 5;
/** The longest name of a token. */
const MAX_NAME = 100;

/** Gets an access token by a provider of sign-in: the person enters a code there, with a browser on any machine. */
export async function loginByProvider(cli: CliContext, call: Call): Promise<void> {
  const client = await openPublicClient(cli, call);
  const { name: provider, title } = await chosenProvider(client, optionOf(call, "provider"));
  const params = { path: { provider } };
  const { data } = await client.POST("/api/session/providers/{provider}/device", { params });
  const begun = data!;
  cli.printError(`Open this address in a browser on any machine, and sign in with ${title}:`);
  cli.printError(`  ${begun.url_with_code ?? begun.url}`);
  cli.printError(
    `The code is ${begun.user_code}. It is good for ${minutes(begun.expires_in_seconds)}; waiting …`,
  );
  const issued = await untilIssued(cli, { ...begun, client, provider, title });
  await deliver(cli, call, issued);
}

interface Provider {
  readonly name: string;
  readonly title: string;
}

async function chosenProvider(client: RepriseClient, wanted: string | undefined): Promise<Provider> {
  const providers = (await client.GET("/api/config")).data!.sign_in_providers;
  const names = providers.map(({ name }) => name).join(", ");
  if (wanted !== undefined) {
    const found = providers.find(({ name }) => name === wanted);
    if (found) return found;
    throw new UsageError(
      `${client.url} has no provider of sign-in with the name ${wanted}${names && `. It has ${names}`}.`,
    );
  }
  if (providers.length === 1) return providers[0]!;
  if (providers.length > 1) throw new UsageError(`Choose a provider with --provider: ${names}.`);
  throw new CommandError(
    `No token was given, and ${client.url} has no provider of sign-in. Put a token into REPRISE_TOKEN, or name a file ` +
      "that holds it: --token-file.",
  );
}

interface Waiting extends Pick<Provider, "title"> {
  readonly client: RepriseClient;
  readonly provider: string;
  readonly attempt: string;
  readonly interval_seconds: number;
  readonly expires_in_seconds: number;
}

interface Issued {
  readonly email: string;
  readonly token: string;
  readonly expires: string;
}

/** Asks until the person has entered the code. A provider or a server that is away is asked again until the code expires. */
async function untilIssued(cli: CliContext, waiting: Waiting): Promise<Issued> {
  const endMs = cli.clock.elapsedMs() + waiting.expires_in_seconds * 1000;
  let pauseSeconds = waiting.interval_seconds;
  let hasToldAway = false;
  while (cli.clock.elapsedMs() < endMs) {
    await new Promise<void>((resolve) => cli.clock.after(pauseSeconds * 1000, resolve));
    try {
      const answer = await ask(waiting);
      if ("token" in answer) return answer;
      if (answer.slow_down) pauseSeconds += SLOWER_SECONDS;
    } catch (error) {
      if (!isAway(error)) throw error;
      pauseSeconds += SLOWER_SECONDS;
      if (!hasToldAway) cli.printError(`${messageOf(error)} Still waiting …`);
      hasToldAway = true;
    }
  }
  throw new CommandError(
    `Nobody entered the code at ${waiting.title} in time, so no token was made. Run \`reprise login\` again for another.`,
  );
}

async function ask({ client, provider, attempt }: Waiting) {
  const name = `login on ${os.hostname()}`.slice(0, MAX_NAME);
  const { data } = await client.POST("/api/session/providers/{provider}/device/answer", {
    params: { path: { provider } },
    body: { attempt, name },
  });
  return data!;
}

function isAway(error: unknown): boolean {
  return error instanceof ApiError && [0, 502, 503, 504].includes(error.status);
}

/** Saves the token, or prints it. */
async function deliver(cli: CliContext, call: Call, { email, token, expires }: Issued): Promise<void> {
  const file = optionOf(call, "save");
  if (file !== undefined) await writeSecretFile(path.resolve(file), `${token}\n`);
  if (call.flags("json"))
    return cli.print(JSON.stringify({ email, expires, ...(file === undefined ? { token } : { file }) }));
  cli.printError(`You are ${email}. The token is valid until ${expires.slice(0, 10)}.`);
  if (file === undefined) return cli.print(token);
  cli.printError(`It is in ${file}: use it with --token-file, or REPRISE_TOKEN=$(cat ${file}).`);
}

function minutes(seconds: number): string {
  const count = Math.max(1, Math.round(seconds / 60));
  return count === 1 ? "a minute" : `${count} minutes`;
}
