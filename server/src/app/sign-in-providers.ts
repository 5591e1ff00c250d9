import { readFileSync } from "node:fs";
import { SettingError } from "#config/read";
import type { Config } from "#config/settings";
import { providersOf, type ProviderSettings } from "#config/sign-in-settings";
import type { SignInProvider } from "#operations/users/sign-in-provider";
import type { Clock } from "#plumbing/clock";
import { messageOf } from "#plumbing/errors";
import type { Log } from "#plumbing/log";
import { openProvider } from "#sources/openid-provider";

interface Parts {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
}

/** Reads the secrets of the providers of sign-in. Returns a function that opens the providers. */
export function readProviders({
  signIn,
}: Pick<Config, "signIn">): (parts: Parts) => readonly SignInProvider[] {
  const known = providersOf(signIn).providers.map((provider) => ({ provider, secret: secretOf(provider) }));
  return (parts) => known.map(({ provider, secret }) => openSignIn(provider, secret, parts));
}

function secretOf({ name, clientSecretFile: file }: ProviderSettings): string | undefined {
  if (file === undefined) return undefined;
  const secret = read(name, file).trim();
  if (secret !== "") return secret;
  throw new SettingError([`Sign-in ${name}: the file ${file} is empty. Put the client's secret there.`]);
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SettingError([`Sign-in ${name}: the file ${file} could not be read: ${messageOf(error)}.`]);
  }
}

function openSignIn(
  provider: ProviderSettings,
  clientSecret: string | undefined,
  parts: Parts,
): SignInProvider {
  const { name, title, rules } = provider;
  const note: SignInProvider["note"] = (details, message) =>
    parts.log.warn({ provider: name, ...details }, `sign-in: ${message}`);
  const openId = openProvider(
    { ...provider, clientSecret },
    { clock: parts.clock, note: (reasons) => note({ reasons }, "the provider signed nobody in") },
  );
  return { name, title, rules, openId, note };
}
