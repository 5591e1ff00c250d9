import type { Seal } from "#plumbing/secrets/seal";

/**
 * Messages between the servers of a shared folder. Each is sealed with a key that only these servers have, so a message
 * can neither be read nor forged on the way. A question names the host that it is for, and its answer repeats the nonce
 * of the question, so neither can be used in another place.
 */
export interface Question {
  readonly to: string;
  readonly nonce: string;
  /** The name of the answer, as in `Answers`. */
  readonly about: string;
  readonly details: readonly unknown[];
}

export type Answer = { readonly nonce: string } & (
  | { readonly value: unknown }
  | { readonly refusal: { readonly kind: string; readonly message: string } }
  | { readonly failure: string }
);

/** The header of a question that asks for a connection. */
export const QUESTION_HEADER = "x-reprise-question";
/** The protocol of such a connection, in the header `upgrade`. */
export const CONNECTION_PROTOCOL = "reprise-peer";

export function sealed(seal: Seal, message: Question | Answer): string {
  return seal.seal(JSON.stringify(message));
}

/** Returns undefined if the text was not sealed with the key of the servers. */
export function maybeQuestion(seal: Seal, text: string): Question | undefined {
  try {
    return JSON.parse(seal.open(text)) as Question;
  } catch {
    // Forged, damaged, or sealed with an earlier key.
    return undefined;
  }
}

/** Returns the answer to the question with this nonce. Throws if another program has answered. */
export function openAnswer(seal: Seal, text: string, nonce: string): Answer {
  const answer = JSON.parse(seal.open(text)) as Answer;
  if (answer.nonce !== nonce) throw new Error("The answer belongs to another question.");
  return answer;
}
