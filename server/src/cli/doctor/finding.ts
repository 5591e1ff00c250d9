/** `missing`: something required is not there, and the command's exit code says so. `note`: neither good nor bad. */
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
