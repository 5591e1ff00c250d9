import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";

/**
 * Debian's Firefox, driven through Firefox's own protocol, WebDriver BiDi: Playwright supports only a Firefox
 * built for Playwright. Offers only actions of a reader.
 */
export interface Firefox {
  go(address: string): Promise<void>;
  /** Presses the button or link with the name, as soon as it appears. */
  press(name: string): Promise<void>;
  /** Waits until the page shows the text. */
  sees(text: string): Promise<void>;
  /** Errors that the page or the browser has complained of. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

const PROGRAM = "/usr/bin/firefox-esr";

export function hasFirefox(): boolean {
  return existsSync(PROGRAM);
}

export async function openFirefox(): Promise<Firefox> {
  const profile = await mkdtemp(path.join(os.tmpdir(), "reprise-firefox-"));
  const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
  const child = spawn(PROGRAM, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: profile },
  });
  const { send, faults } = await connected(await addressOf(child));
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = (await send("browsingContext.getTree", {})) as Tree;
  const { context } = contexts[0]!;
  const evaluate = async (expression: string): Promise<unknown> => {
    const target = { context };
    const answer = await send("script.evaluate", { expression, target, awaitPromise: true });
    return (answer as { result?: { value?: unknown } }).result?.value;
  };
  const until = async (expression: string) => {
    await expect.poll(() => evaluate(expression)).toBe(true);
  };
  return {
    faults,
    go: async (url) => void (await send("browsingContext.navigate", { context, url, wait: "complete" })),
    press: (name) => until(`(() => { const wanted = ${JSON.stringify(name)}; ${PRESS} })()`),
    sees: (text) => until(`document.body.innerText.includes(${JSON.stringify(text)})`),
    async close() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Looks in an open dialog first, as a reader does. */
const PRESS = `
  const place = document.querySelector("dialog[open]") ?? document;
  const found = [...place.querySelectorAll("a, button")].find(
    (one) => !one.disabled && (one.ariaLabel ?? one.innerText).trim() === wanted,
  );
  found?.click();
  return found !== undefined;`;

interface Tree {
  readonly contexts: readonly { readonly context: string }[];
}

/** Returns the address printed by Firefox when it starts to listen. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = "";
    child.stderr!.on("data", (chunk: Buffer) => {
      written += String(chunk);
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(written)?.[1];
      if (address !== undefined) resolve(`${address}/session`);
    });
    child.once("exit", () => reject(new Error(`Firefox ended:\n${written}`)));
  });
}

interface Message {
  readonly id?: number;
  readonly error?: string;
  readonly message?: string;
  readonly result?: unknown;
  readonly method?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
}

async function connected(address: string) {
  const socket = new WebSocket(address);
  await once(socket, "open");
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const faults: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.method === "log.entryAdded" && message.params?.level === "error") {
      faults.push(message.params.text ?? "an error without a text");
    }
    const asked = message.id === undefined ? undefined : waiting.get(message.id);
    if (message.error === undefined) asked?.resolve(message.result);
    else asked?.reject(new Error(`${message.error}: ${message.message}`));
  });
  let last = 0;
  const send = (method: string, params: object): Promise<unknown> => {
    last += 1;
    const asked = Promise.withResolvers<unknown>();
    waiting.set(last, asked);
    socket.send(JSON.stringify({ id: last, method, params }));
    return asked.promise;
  };
  return { send, faults };
}
