import type { Witness, WitnessedUser } from "./witness.ts";

/** A token, code or session that opens an account. */
export interface WitnessedKey {
  readonly secret: string;
  isOpen: boolean | "unknown";
}

/** A secret of a user, given to jobs. */
export interface WitnessedSecret {
  readonly value: string;
  isThere: boolean | "unknown";
}

/** Issues a token with a user's token, and revokes the new token. */
export async function issueAndRevoke(witness: Witness, { tokens }: WitnessedUser): Promise<void> {
  const token = tokens[0]!;
  const body = JSON.stringify({ name: "laptop" });
  const issued = await witness.expect(201, "POST", "tokens", { token, body });
  const key = addKey(witness, String(issued["token"]));
  key.isOpen = "unknown";
  await witness.expect(200, "DELETE", `tokens/${String(issued["id"])}`, { token });
  key.isOpen = false;
}

/** Signs a browser of the user in with a code, and out again. */
export async function signInAndOut(witness: Witness, { tokens }: WitnessedUser): Promise<void> {
  const headers = { "sec-fetch-site": "same-origin" };
  const { code } = await witness.expect(201, "POST", "session/codes", { token: tokens[0]! });
  const used = addKey(witness, String(code));
  used.isOpen = "unknown";
  const body = JSON.stringify({ code });
  const opened = await witness.ask("POST", "session", { token: "", headers, body });
  if (opened.status !== 201) throw new Error(`A browser could not sign in: ${JSON.stringify(opened.body)}`);
  used.isOpen = false;
  const cookie = opened.cookie.split(";", 1)[0]!;
  const session = addKey(witness, cookie.split("=")[1]!);
  session.isOpen = "unknown";
  const own = { ...headers, cookie, "reprise-page-key": String(opened.body["page_key"]) };
  await witness.expect(200, "DELETE", "session", { token: "", headers: own });
  session.isOpen = false;
}

/** Remembers a key that is open. */
export function addKey({ keys }: Witness, secret: string): WitnessedKey {
  const key: WitnessedKey = { secret, isOpen: true };
  keys.push(key);
  return key;
}
