import { admitting, findProvider, personOf, type ProviderContext } from "#operations/users/provider-sign-in";
import { type Attempt, maybeAttempt, sealAttempt } from "#operations/users/sealed-attempt";
import { makeToken } from "#operations/users/token-shape";
import { addToken } from "#operations/users/tokens";
import { DAY_MS } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { BegunDevice, DeviceWait } from "#sources/openid-provider";

/**
 * Sign-in of a device without a browser. A person enters a code at the provider with any browser, and the device gets an
 * access token. The device never sees the provider's own secrets: the attempt is encrypted.
 */

const PURPOSE = "device-sign-in";
/** Lifetime of the token: the same as that of a browser's session. */
const TOKEN_LIFE_MS = 30 * DAY_MS;

interface DeviceAttempt extends Attempt {
  readonly deviceCode: string;
}

export interface BegunDeviceSignIn extends Omit<BegunDevice, "deviceCode"> {
  /** Kept by the device, and sent to ask for the token. */
  readonly attempt: string;
}

/** Begins the sign-in of a device. Stores no row. */
export async function beginDeviceSignIn(context: ProviderContext, name: string): Promise<BegunDeviceSignIn> {
  const provider = findProvider(context, name);
  const { deviceCode, ...begun } = await provider.openId.beginDevice();
  const attempt: DeviceAttempt = {
    purpose: PURPOSE,
    id: context.random.uuid(),
    provider: provider.name,
    // The provider decides when a code expires. The attempt lives a minute longer, and so ends by the answer of the provider.
    expiresAtMs: context.clock.now() + begun.lifeSeconds * 1000 + 60_000,
    deviceCode,
  };
  return { ...begun, attempt: sealAttempt(context, attempt) };
}

export interface DeviceAnswer {
  readonly provider: string;
  readonly attempt: string;
  /** Name of the token in the list of the account. */
  readonly name: string;
}

export interface DeviceToken {
  readonly userId: string;
  readonly email: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Returns a token if the person has entered the code and the rules admit the person. */
export async function completeDeviceSignIn(
  context: ProviderContext,
  { provider: providerName, attempt: sealed, name }: DeviceAnswer,
): Promise<DeviceToken | DeviceWait> {
  const provider = findProvider(context, providerName);
  const found = maybeAttempt(context, { purpose: PURPOSE, provider: provider.name }, sealed);
  if (!found) throw ended(provider.title);
  const attempt = found as DeviceAttempt;
  const proven = await provider.openId.completeDevice(attempt.deviceCode);
  if (typeof proven === "string") return proven;
  const token = makeToken(context.random);
  const expiresAtMs = context.clock.now() + TOKEN_LIFE_MS;
  const { issuer, subject, session = null } = proven;
  const person = { ...personOf(provider, proven), needsFirstToken: false };
  const { user, result: isNew } = await admitting(context, provider, person, (admitted) =>
    addToken(context, admitted.db, {
      userId: admitted.user.id,
      id: attempt.id,
      token,
      name,
      expiresAtMs,
      openedBy: { issuer, subject, session },
    }),
  );
  crashPoint("device-token-issued");
  if (!isNew) throw ended(provider.title);
  return { userId: user.id, email: user.email, token, expiresAtMs };
}

function ended(title: string): Refusal {
  return new Refusal(
    "forbidden",
    `This sign-in with ${title} was used already, has expired, or began elsewhere. Begin again to get another code.`,
  );
}
