import type { Kind } from "#config/kinds";
import { setting } from "#config/setting";
import { isLoopback } from "#plumbing/loopback";
import { nearestWord } from "#plumbing/text/nearest-word";
import {
  ACCOUNT_RULES,
  type AccountRule,
  type ClaimCondition,
  type ProviderRules,
} from "#workflow/people/provider-rules";

/** A provider of sign-in, as the settings describe it. */
export interface ProviderSettings {
  /** The provider's part of addresses and of names of groups. */
  readonly name: string;
  readonly title: string;
  readonly issuer: string;
  readonly clientId: string;
  /** If absent, the server is a public client and proves its requests by PKCE alone. */
  readonly clientSecretFile: string | undefined;
  readonly scopes: string;
  readonly rules: ProviderRules;
}

const KEYS = [
  "issuer",
  "client-id",
  "client-secret-file",
  "title",
  "scopes",
  "who",
  "admit",
  "accounts",
  "administrators",
  "groups",
  "trust-emails",
  "recheck",
] as const;
type Key = (typeof KEYS)[number];

/** A line of a provider's section: `cern.issuer=https://auth.example.org`. */
export interface ProviderLine {
  readonly provider: string;
  readonly key: string;
  readonly value: string;
}

function providerLines(): Kind<readonly ProviderLine[]> {
  return {
    words: `the name of a provider in small letters, a dot, one of ${KEYS.join(", ")}, then = and a value`,
    placeholder: "provider.key=value",
    isRepeatable: true,
    hasSections: true,
    parse(text) {
      const found = text.split("\n").map(maybeLine);
      return found.every((one) => one !== undefined) ? found : undefined;
    },
    show: (lines) => lines.map(({ provider, key, value }) => `${provider}.${key}=${value}`).join("\n"),
  };
}

function maybeLine(text: string): ProviderLine | undefined {
  const [, provider, key, value = ""] = /^\s*([a-z0-9][a-z0-9-]{0,31})\.([^\s=]+)\s*=(.*)$/.exec(text) ?? [];
  return provider === undefined || key === undefined ? undefined : { provider, key, value: value.trim() };
}

/** The setting of the providers of sign-in: a part of `SETTINGS`. */
export const SIGN_IN_SETTINGS = {
  signIn: setting(providerLines(), {
    option: "--sign-in",
    fallback: () => [],
    fallbackText: "none: people sign in with a code or a token of this server",
    sentence:
      "A line about a provider of OpenID Connect with which people sign in. In the settings file, each provider is a " +
      "section such as `[sign-in cern]`; see the guide to sign-in.",
  }),
};

/** Returns the providers of the lines, and a sentence for each line or provider that cannot be used. */
export function providersOf(lines: readonly ProviderLine[]): {
  readonly providers: readonly ProviderSettings[];
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const names = [...new Set(lines.map(({ provider }) => provider))];
  const providers = names.flatMap((name) => {
    const own = lines.filter(({ provider }) => provider === name);
    const found = problemsOf(name, own);
    problems.push(...found);
    return found.length > 0 ? [] : [providerOf(name, own)];
  });
  return { providers, problems };
}

/** Returns the values of a key, in the order of the lines. */
type Values = (key: Key) => readonly string[];

function valuesOf(lines: readonly ProviderLine[]): Values {
  return (key) => lines.filter((line) => line.key === key).map(({ value }) => value);
}

function problemsOf(name: string, lines: readonly ProviderLine[]): readonly string[] {
  const values = valuesOf(lines);
  const unknown = lines.filter(({ key }) => !(KEYS as readonly string[]).includes(key));
  const twice = KEYS.filter((key) => key !== "who" && values(key).length > 1);
  return [
    ...unknown.map(({ key }) => `${key} is no setting of a provider${suggestion(key)}`),
    ...twice.map((key) => `${key} is set twice.`),
    ...KEYS.flatMap((key) => problemsOfKey(key, values(key))),
  ].map((problem) => `Sign-in ${name}: ${problem}`);
}

function suggestion(key: string): string {
  const nearest = nearestWord(key, KEYS);
  return nearest === undefined ? `: use one of ${KEYS.join(", ")}.` : `; did you mean ${nearest}?`;
}

function problemsOfKey(key: Key, values: readonly string[]): readonly string[] {
  const rule = CHECKS[key];
  if (values.length === 0) return rule.isNeeded ? [`${key} is missing: it must be ${rule.words}.`] : [];
  const wrong = values.filter((value) => !rule.accepts(value));
  return wrong.map((value) => `${key} is ${JSON.stringify(value)}: it must be ${rule.words}.`);
}

interface Check {
  readonly words: string;
  readonly isNeeded?: true;
  accepts(value: string): boolean;
}

const CONDITION =
  "the name of a claim, a colon, and values with commas between them, in which * stands for any text";
const isCondition = (value: string) => maybeCondition(value) !== undefined;

const CHECKS: Readonly<Record<Key, Check>> = {
  issuer: {
    words:
      "the provider's https address, as its own documents state it (http for a provider on this machine only)",
    isNeeded: true,
    accepts: isIssuer,
  },
  "client-id": { words: "the name that the provider gave this server", isNeeded: true, accepts: isGiven },
  "client-secret-file": { words: "the absolute path of a file", accepts: (value) => value.startsWith("/") },
  title: { words: "the name that people know the provider by", accepts: isGiven },
  scopes: { words: "scopes with blanks between them, openid among them", accepts: hasOpenid },
  who: {
    words: `anyone, or ${CONDITION}`,
    isNeeded: true,
    accepts: (value) => value === ANYONE || isCondition(value),
  },
  admit: { words: "automatic or consent", accepts: (value) => value === AUTOMATIC || value === "consent" },
  accounts: { words: "token, consent or automatic", accepts: isAccountRule },
  administrators: { words: CONDITION, accepts: isCondition },
  groups: {
    words: `the name of a claim, or ${CONDITION}`,
    accepts: (value) => maybeCondition(groupsCondition(value)) !== undefined,
  },
  "trust-emails": { words: "true or false", accepts: (value) => value === "true" || value === "false" },
  recheck: { words: "a number of minutes, from 1 to 1440", accepts: isMinutes },
};

const ANYONE = "anyone";
const AUTOMATIC = "automatic";

function isAccountRule(value: string): value is AccountRule {
  return (ACCOUNT_RULES as readonly string[]).includes(value);
}

function isMinutes(value: string): boolean {
  return /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= 1440;
}

function isGiven(value: string): boolean {
  return value !== "";
}

function hasOpenid(value: string): boolean {
  return value.split(/ +/).includes("openid");
}

function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  if (!url || url.search !== "" || url.hash !== "" || url.username !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** Completes the name of a claim alone to a condition that takes all groups. */
function groupsCondition(value: string): string {
  return value.includes(":") ? value : `${value}: *`;
}

function maybeCondition(text: string): ClaimCondition | undefined {
  const [, claim, list = ""] = /^([^\s:]+)\s*:(.+)$/.exec(text) ?? [];
  const patterns = list.split(",").map((pattern) => pattern.trim());
  return claim === undefined || patterns.includes("") ? undefined : { claim, patterns };
}

function providerOf(name: string, lines: readonly ProviderLine[]): ProviderSettings {
  const values = valuesOf(lines);
  const only = (key: Key) => values(key)[0];
  const condition = (text: string | undefined) => (text === undefined ? undefined : maybeCondition(text));
  const groups = only("groups");
  const who = values("who").filter((value) => value !== ANYONE);
  return {
    name,
    title: only("title") ?? name,
    issuer: only("issuer")!,
    clientId: only("client-id")!,
    clientSecretFile: only("client-secret-file"),
    scopes: only("scopes") ?? "openid email profile",
    rules: {
      who: who.map((text) => maybeCondition(text)!),
      admitsAtOnce: only("admit") === AUTOMATIC,
      accounts: (only("accounts") ?? "token") as AccountRule,
      administrators: condition(only("administrators")),
      groups: condition(groups && groupsCondition(groups)),
      trustsEmails: only("trust-emails") === "true",
      recheckMs: minutesOf(only("recheck")),
    },
  };
}

function minutesOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text) * 60_000;
}
