import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Run } from "../../api/asks.ts";
import { act, lookAgain, type RunAction, type StartValues } from "../../api/changes.ts";

/** Requests at a time: the server works on them in turn. */
const AT_ONCE = 6;

export interface ManyWork {
  readonly run: (action: RunAction, values?: StartValues) => void;
  readonly remove: UseMutationResult<unknown, unknown, void>;
  /** Number of completed runs. Undefined while idle. */
  readonly done: number | undefined;
  /** The result of the last action. Undefined before the first action, and after `forget`. */
  readonly outcome: Outcome | undefined;
  readonly forget: () => void;
}

export interface Outcome {
  readonly action: RunAction;
  /** Number of runs without a refusal. */
  readonly succeeded: number;
  /** Errors, one for each refused run. */
  readonly refusals: readonly unknown[];
}

interface Order {
  readonly action: RunAction;
  readonly values?: StartValues | undefined;
}

/** Performs one action on many runs, and collects the refusals. */
export function useManyRuns(find: () => Promise<readonly Run[]>, onEnd: () => void): ManyWork {
  const [done, setDone] = useState(0);
  const work = useMutation({
    async mutationFn({ action, values }: Order): Promise<Outcome> {
      setDone(0);
      const refusals: unknown[] = [];
      const runs = await find();
      const waiting = runs.values();
      const worker = async () => {
        for (const { id } of waiting) {
          await act(id, action, values).catch((error: unknown) => refusals.push(error));
          setDone((before) => before + 1);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return { action, succeeded: runs.length - refusals.length, refusals };
    },
    async onSettled() {
      onEnd();
      await lookAgain();
    },
  });
  const remove = useMutation({ mutationFn: () => work.mutateAsync({ action: "delete" }) });
  return {
    run: (action, values) => work.mutate({ action, values }),
    remove,
    done: work.isPending ? done : undefined,
    outcome: work.error ? { action: work.variables.action, succeeded: 0, refusals: [work.error] } : work.data,
    forget: work.reset,
  };
}
