import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Run } from "../../api/asks.ts";
import { act, lookAgain, type RunAction, type StartValues } from "../../api/changes.ts";

/** Requests at a time: the server works on them in turn. */
const AT_ONCE = 6;

export interface ManyWork {
  readonly run: (action: RunAction, values?: StartValues) => void;
  readonly remove: UseMutationResult<unknown, unknown, void>;
  /** Number of runs that are done. Undefined while nothing is under way. */
  readonly done: number | undefined;
  /** Errors of the last action, one for each run that was refused. */
  readonly refusals: readonly unknown[];
}

interface Order {
  readonly action: RunAction;
  readonly values?: StartValues | undefined;
}

/** Carries out one action on many runs, and collects what was refused. */
export function useManyRuns(find: () => Promise<readonly Run[]>, onEnd: () => void): ManyWork {
  const [done, setDone] = useState(0);
  const work = useMutation({
    async mutationFn({ action, values }: Order) {
      setDone(0);
      const refusals: unknown[] = [];
      const waiting = [...(await find())].values();
      const worker = async () => {
        for (const { id } of waiting) {
          await act(id, action, values).catch((error: unknown) => refusals.push(error));
          setDone((before) => before + 1);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return refusals;
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
    refusals: work.error ? [work.error] : (work.data ?? []),
  };
}
