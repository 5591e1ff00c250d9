import type { FileAsk } from "#engines/engine";
import type { answerAsk } from "#runner/files/answer-ask";
import { breaking } from "./break-module.ts";
import type { Mutant } from "./mutant.ts";

/** Breaks how a kind of ask is answered. */
function answering(broken: (answer: Answering, ...args: Parameters<Answering>) => ReturnType<Answering>) {
  return breaking(
    () => import("#runner/files/answer-ask"),
    (sound) => ({ answerAsk: (...args) => broken(sound.answerAsk, ...args) }),
  );
}

type Answering = typeof answerAsk;

/** Servers that give an engine wrong information about files, or let an engine ask for too much. */
export const ASK_MUTANTS: readonly Mutant[] = [
  {
    name: "does not see the files that it is asked to look at",
    breaks: answering((answer, files, ...rest) =>
      answer({ ...files, look: async () => ({ kind: "absent" }) }, ...rest),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "begins each page of a listing with its first entry",
    breaks: answering((answer, files, ask, digestOf) =>
      answer(files, ask.do === "list" ? fromTheFirst(ask) : ask, digestOf),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "says that it has published what it has only read",
    breaks: answering((answer, files, ...rest) => {
      const publish: typeof files.publish = async ({ from, to, algorithm }) => ({
        path: to,
        ...(await files.digest(from, algorithm)),
      });
      return answer({ ...files, publish }, ...rest);
    }),
    caughtBy: ["scenarios"],
  },
  {
    name: "says that it has written what it has not",
    breaks: answering((answer, files, ...rest) =>
      answer({ ...files, write: async () => undefined }, ...rest),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "tells the end of a job without what was asked of its files",
    breaks: breaking(
      () => import("#runner/files/collect-outputs"),
      () => ({ maybeCollected: async () => undefined }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "ends a run while its files are still written",
    breaks: breaking(
      () => import("#runner/files/file-requests"),
      ({ createFileRequests }) => ({
        createFileRequests(...args) {
          const requests = createFileRequests(...args);
          return {
            answer: (asks) => requests.answer(asks),
            collect: (reported) => requests.collect(reported),
            remove: (unread) => requests.remove(unread),
            detach: () => requests.detach(),
            settled: async () => undefined,
          };
        },
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "forgets the documents that a run was started with",
    breaks: breaking(
      () => import("#runner/engine/engine-input"),
      ({ engineInput }) => ({
        async engineInput(...args) {
          const { model: _, ...input } = await engineInput(...args);
          return input;
        },
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "lets a run have as much outstanding as any",
    breaks: breaking(
      () => import("#runner/engine/engine-input"),
      ({ engineInput }) => ({
        async engineInput(...args) {
          const input = await engineInput(...args);
          return { ...input, run: { ...input.run, mostOutstanding: 1000 } };
        },
      }),
    ),
    caughtBy: ["scenarios"],
  },
  {
    name: "carries out what an engine asks beyond its limit",
    breaks: breaking(
      () => import("#runner/turn/decide"),
      ({ collectResponses }) => ({
        collectResponses: (sifted, responses) =>
          collectResponses(sifted, responses, { mostOutstanding: Number.POSITIVE_INFINITY }),
      }),
    ),
    caughtBy: ["scenarios"],
  },
];

function fromTheFirst({ after: _, ...ask }: Extract<FileAsk, { do: "list" }>): FileAsk {
  return ask;
}
