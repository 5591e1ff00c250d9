import type * as openIdClient from "openid-client";
import type { Configuration } from "openid-client";
import { Refusal } from "#plumbing/errors";
import { maybeReason } from "#sources/openid-failures";

/** The sign-in of a device without a browser: the OAuth 2.0 Device Authorization Grant (RFC 8628). */

interface Configured {
  readonly library: typeof openIdClient;
  readonly config: Configuration;
}

/** The code and address with which a person signs a device in, and the secret with which the server asks for the result. */
export interface BegunDevice {
  readonly deviceCode: string;
  /** The code that the person types at the address. */
  readonly userCode: string;
  readonly address: string;
  /** An address with the code in it, if the provider has one. */
  readonly addressWithCode: string | undefined;
  /** The provider's shortest pause between two questions. */
  readonly intervalSeconds: number;
  readonly lifeSeconds: number;
}

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** The pause if the provider names none. */
const INTERVAL_SECONDS = 5;

export async function beginDevice(
  { library, config }: Configured,
  { title, scopes }: { readonly title: string; readonly scopes: string },
): Promise<BegunDevice> {
  if (config.serverMetadata().device_authorization_endpoint === undefined) throw notOffered(title);
  const begun = await library.initiateDeviceAuthorization(config, { scope: scopes });
  return {
    deviceCode: begun.device_code,
    userCode: begun.user_code,
    address: begun.verification_uri,
    addressWithCode: begun.verification_uri_complete,
    intervalSeconds: begun.interval ?? INTERVAL_SECONDS,
    lifeSeconds: begun.expires_in,
  };
}

/** Redeems the device code, once. The library's own function would wait for the person, so it is not used. */
export async function redeemDevice({ library, config }: Configured, deviceCode: string) {
  try {
    return await library.genericGrantRequest(config, GRANT, { device_code: deviceCode });
  } catch (error) {
    const reason = maybeReason(error);
    if (reason === "authorization_pending") return "pending";
    if (reason === "slow_down") return "slow-down";
    throw error;
  }
}

function notOffered(title: string): Refusal {
  return new Refusal(
    "not-implemented",
    `${title} signs in no devices without a browser. Sign in on the page of this server, make a token on the page of your ` +
      "account, and put it into REPRISE_TOKEN.",
  );
}

const SENTENCES: Readonly<Record<string, (title: string) => string>> = {
  access_denied: (title) =>
    `The sign-in was declined at ${title}, so no token was made. Begin again to get another code.`,
  expired_token: (title) =>
    `The code of ${title} was not used in time, so no token was made. Begin again to get another.`,
  invalid_grant: (title) =>
    `${title} does not know the code of this sign-in, or it was used already. Begin again to get another.`,
  unauthorized_client: (title) =>
    `${title} does not let this server sign devices in. Its administrator must allow the device flow for the client there.`,
};

/** Says why a device was not signed in. */
export function noDevice(title: string, cause: unknown): Refusal {
  const reason = maybeReason(cause);
  const sentence = reason === undefined ? undefined : SENTENCES[reason];
  return new Refusal(
    "forbidden",
    sentence?.(title) ??
      `${title} did not sign you in${reason === undefined ? ": its answer was not accepted" : ` (${reason})`}. Begin again. ` +
        "If it fails again, ask the server's administrator: the log has the details.",
    { cause },
  );
}
