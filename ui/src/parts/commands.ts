import { useEffect, useRef, useSyncExternalStore } from "react";

/** An action that is currently possible on the page. The palette lists it by name. */
export interface Command {
  readonly name: string;
  /** True for an action of every page. The palette lists such actions last. */
  readonly isEverywhere?: boolean;
  run(): void;
}

let offered: readonly Command[] = [];
const listeners = new Set<() => void>();

function offer(commands: readonly Command[]): void {
  offered = commands;
  for (const listener of listeners) listener();
}

/** Offers the actions of a part of the page, as long as it is shown. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  const names = commands.map(({ name }) => name).join("\n");
  useEffect(() => {
    const own = names === "" ? [] : names.split("\n").map(byName);
    offer([...offered, ...own]);
    return () => offer(offered.filter((one) => !own.includes(one)));
    function byName(name: string): Command {
      const { isEverywhere = false } = latest.current.find((one) => one.name === name)!;
      return { name, isEverywhere, run: () => latest.current.find((one) => one.name === name)?.run() };
    }
  }, [names]);
}

export function useOfferedCommands(): readonly Command[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offered,
  );
}
