import { expect } from "vitest";
import type { Counterpart } from "../support/sign-in/counterpart.ts";
import type { Elsewhere } from "./walk.ts";

/** Asks for access as a person does on the page. */
export async function visitOnce(page: string, counterpart: Counterpart): Promise<void> {
  const post = async (address: string, body?: object) =>
    fetch(`${page}/api/session/providers/${address}`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const { url, attempt } = (await (await post("physics")).json()) as { url: string; attempt: string };
  const answer = new URL(await counterpart.visit(url, "ada")).search;
  expect(await (await post("physics/answer", { attempt, answer })).json()).toMatchObject({
    code: "user-waiting",
  });
}

/** A person who opens the printed address on another machine. */
export function personElsewhere(counterpart: Counterpart): Elsewhere {
  return {
    isDue: (printed) => printed.includes("waiting …"),
    act: (printed) => counterpart.enterCode(/https?:\S+user_code=\S+/.exec(printed)![0], "ada"),
  };
}
