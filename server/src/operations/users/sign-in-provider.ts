import type { OpenIdProvider } from "#sources/openid-provider";
import type { ProviderRules } from "#workflow/people/provider-rules";

/** A provider by which people sign in. */
export interface SignInProvider {
  /** The provider's part of addresses and of names of groups. */
  readonly name: string;
  readonly title: string;
  readonly rules: ProviderRules;
  readonly openId: OpenIdProvider;
  /** Records in the log why a person was refused. */
  readonly note: (details: Readonly<Record<string, unknown>>, message: string) => void;
}
