/** A line of the engine's log. */
export interface LogLine {
  readonly do: "log";
  /** Name of the logger in REANA's engine for the language. */
  readonly logger: string;
  /** Name of the thread in REANA's engine. Default: the main thread. */
  readonly thread?: string;
  readonly level: "INFO" | "ERROR";
  readonly line: string;
}
