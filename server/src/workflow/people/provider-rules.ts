import { matchesStars } from "#plumbing/text/star-pattern";
import { isEmail } from "#workflow/people/email";

/** The claims of a sign-in provider about a person, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** A condition on a claim. Holds if a value of the claim matches a pattern, in which `*` stands for any text. */
export interface ClaimCondition {
  readonly claim: string;
  readonly patterns: readonly string[];
}

/**
 * How a person comes into an account that existed before, for example an imported one. `token`: the user signs in with a
 * token or a code and adds the provider. `consent`: also, if an administrator agrees. `automatic`: at once.
 */
export const ACCOUNT_RULES = ["token", "consent", "automatic"] as const;
export type AccountRule = (typeof ACCOUNT_RULES)[number];

/** The administrator's rules for the people of one provider. */
export interface ProviderRules {
  /** People may sign in if all conditions hold. Empty: all people of the provider. */
  readonly who: readonly ClaimCondition[];
  /** False if a new person waits for the consent of an administrator. */
  readonly admitsAtOnce: boolean;
  /** People who are administrators while the condition holds. If absent, the provider makes no administrators. */
  readonly administrators?: ClaimCondition | undefined;
  /** The claim with the groups of a person, and patterns of the groups to take over. */
  readonly groups?: ClaimCondition | undefined;
  /** How a new person comes into an account that has the person's verified address and no provider. */
  readonly accounts: AccountRule;
  /** Interval at which the provider is asked about people who are signed in. If absent, they are not checked again. */
  readonly recheckMs?: number | undefined;
  /** True if each address of the provider counts as verified, because the provider does not state it. */
  readonly trustsEmails: boolean;
}

type Trust = Pick<ProviderRules, "trustsEmails">;

/** Returns the e-mail address of a person, if the provider has verified it. */
export function maybeVerifiedEmail(claims: Claims, { trustsEmails }: Trust): string | undefined {
  const email = claims["email"];
  const isVerified = trustsEmails || claims["email_verified"] === true || claims["email_verified"] === "true";
  return isVerified && typeof email === "string" && isEmail(email) ? email : undefined;
}

/** Returns whether a condition holds. An address that the provider has not verified matches no pattern. */
export function holds(condition: ClaimCondition, claims: Claims, trust: Trust): boolean {
  if (condition.claim !== "email") return matching(condition, claims).length > 0;
  const email = maybeVerifiedEmail(claims, trust)?.toLowerCase();
  return email !== undefined && condition.patterns.some((one) => matchesStars(one.toLowerCase(), email));
}

/** Returns the first condition that does not hold. */
export function maybeUnmet({ who, ...trust }: ProviderRules, claims: Claims): ClaimCondition | undefined {
  return who.find((condition) => !holds(condition, claims, trust));
}

/** The longest name of a group at a provider. */
const GROUP_LENGTH = 100;

/**
 * Returns the names of a person's groups on this server. The provider's name is their first part, and users cannot make
 * groups with a colon, so a group of a provider is never mistaken for a group of a user.
 */
export function providerGroups(
  provider: string,
  { groups }: ProviderRules,
  claims: Claims,
): readonly string[] {
  if (!groups) return [];
  const names = matching(groups, claims).map((name) => name.replace(/^\//, ""));
  return [...new Set(names.filter(isUsable).map((name) => groupName(provider, name)))];
}

function isUsable(name: string): boolean {
  return name.length <= GROUP_LENGTH && /^[\w./:@+-]+$/.test(name);
}

function groupName(provider: string, name: string): string {
  return `${provider}:${name}`;
}

/** Returns whether a provider of sign-in maintains the members of a group. */
export function isOfProvider(group: string): boolean {
  return group.includes(":");
}

/** Returns the pattern of all names of groups of a provider. */
export function groupsPrefix(provider: string): string {
  return groupName(provider, "");
}

function matching({ claim, patterns }: ClaimCondition, claims: Claims): readonly string[] {
  return textsOf(valueOf(claim, claims)).filter((text) => patterns.some((one) => matchesStars(one, text)));
}

/** Returns the value of a claim. A dot leads into an object: `realm_access.roles`. */
function valueOf(name: string, claims: unknown): unknown {
  if (typeof claims !== "object" || claims === null) return undefined;
  if (Object.hasOwn(claims, name)) return (claims as Claims)[name];
  const [first = "", ...rest] = name.split(".");
  if (rest.length === 0 || !Object.hasOwn(claims, first)) return undefined;
  return valueOf(rest.join("."), (claims as Claims)[first]);
}

function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => ["string", "number", "boolean"].includes(typeof one)).map(String);
}
