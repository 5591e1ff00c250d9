/** A line of the engine's log. */
export interface LogLine {
  readonly do: "log";
  /** The name under which REANA's engines of this language log. */
  readonly logger: string;
  /** The thread in which REANA's engine logs the line. Default: its main thread. */
  readonly thread?: string;
  readonly level: "INFO" | "ERROR";
  readonly line: string;
}
