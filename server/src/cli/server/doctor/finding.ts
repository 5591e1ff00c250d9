/**
 * The state of a check. `missing`: something required is absent, and the exit code shows it. `note`: neither good nor
 * bad.
 */
export type State = "ok" | "note" | "warning" | "missing";

export interface Finding {
  readonly name: string;
  readonly state: State;
  readonly sentence: string;
}

export function ok(name: string, sentence: string): Finding {
  return { name, state: "ok", sentence };
}

export function note(name: string, sentence: string): Finding {
  return { name, state: "note", sentence };
}

export function warning(name: string, sentence: string): Finding {
  return { name, state: "warning", sentence };
}

export function missing(name: string, sentence: string): Finding {
  return { name, state: "missing", sentence };
}
