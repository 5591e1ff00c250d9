import { failureOf } from "#backends/containers/run-program";
import { printable } from "#plumbing/text/printable";

const LINES_KEPT = 20;
const LINE_MAX_CHARACTERS = 2000;
const SENTENCE_MAX_CHARACTERS = 300;

/** Keeps the last lines of a text that arrives in parts, and the beginning of each line. */
export class LastLines {
  #lines = [""];

  add(part: string): void {
    for (const [at, text] of part.split("\n").entries()) {
      if (at > 0) this.#lines = [...this.#lines.slice(1 - LINES_KEPT), ""];
      const line = `${this.#lines.pop()}${text}`;
      this.#lines.push(line.slice(0, LINE_MAX_CHARACTERS));
    }
  }

  get text(): string {
    return this.#lines.join("\n");
  }
}

/** Matches the words that precede a registry's reply in the runtimes' output. The reply may be any text. */
const BEFORE_REPLY =
  /(response body|StatusCode: \d+|malformed HTTP [a-z ]*[a-z]|malformed MIME [a-z ]*[a-z]).*$/s;

/** Matches what the runtimes print if no reply comes from a registry. */
const UNREACHABLE =
  /no such host|name resolution|connection refused|network is unreachable|no route to host|i\/o timeout|handshake timeout/i;

/** The words with which the message of a runtime begins: of podman, and of apptainer. */
const STARTS = ["Error", "FATAL"];

/**
 * Returns why a pull failed, as a sentence without the content of a reply. A user may name any host as a
 * registry, so the reply may come from inside the local network.
 */
export function pullFailureOf(result: { readonly stderr: string; readonly code: number | null }): string {
  const start = Math.max(...STARTS.map((word) => `\n${result.stderr}`.lastIndexOf(`\n${word}`)));
  const last = result.stderr.slice(Math.max(0, start)).replace(/^FATAL:\s*/, "");
  const sentence = failureOf({ ...result, stderr: last.replace(BEFORE_REPLY, "$1") });
  const shown = printable(sentence, SENTENCE_MAX_CHARACTERS);
  return UNREACHABLE.test(sentence)
    ? `this machine cannot reach the registry (${shown.replace(/\.$/, "")}).`
    : shown;
}
