import { ArrowDownToLine, ChevronDown, ChevronUp, Download, TriangleAlert } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { Job } from "../../../api/run-asks.ts";
import { runAddress } from "../../../api/client.ts";
import { Button, buttonClass } from "../../../parts/button.tsx";
import { FileLink } from "../../../parts/file-link.tsx";
import { useCommands } from "../../../parts/commands.ts";
import { bytesText } from "../../../parts/times.ts";
import { useFound } from "./use-found.ts";
import type { JobLog } from "./use-job-log.ts";

interface LogBarProps {
  readonly run: string;
  readonly job: Job;
  readonly log: JobLog;
  /** The line that explains the failure. */
  readonly error: number | undefined;
  readonly isFollowing: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
  readonly onGoTo: (line: number) => void;
}

/** Above the log: search, the line of the error, the end, the whole file. */
export function LogBar({ run, job, log, error, isFollowing, onFollow, onGoTo }: LogBarProps) {
  useCommands([
    {
      name: isFollowing ? "Stop following the log" : "Go to the end of the log",
      run: () => onFollow(!isFollowing),
    },
    ...(error === undefined ? [] : [{ name: "Go to the error", run: () => onGoTo(error) }]),
  ]);
  const missingBytes = log.from + log.text.lostBytes;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
      <LogSearch log={log} onGoTo={onGoTo} />
      {error !== undefined && (
        <Button look="danger" onClick={() => onGoTo(error)}>
          <TriangleAlert size={14} aria-hidden /> <span className="sr-only sm:not-sr-only">Error</span>
        </Button>
      )}
      <Button aria-pressed={isFollowing} onClick={() => onFollow(!isFollowing)}>
        <ArrowDownToLine size={14} aria-hidden className={isFollowing ? "text-accent" : "text-muted"} />
        <span className="sr-only sm:not-sr-only">{job.status === "running" ? "Follow" : "End"}</span>
      </Button>
      <FileLink
        address={runAddress(run, `jobs/${job.id}/log`)}
        download={`${job.step}-${job.key}.log`}
        className={`${buttonClass("plain")} ml-auto`}
      >
        <Download size={14} aria-hidden />
        <span className="sr-only sm:not-sr-only">
          {log.isComplete ? bytesText(log.from + log.text.bytes) : "Download"}
        </span>
      </FileLink>
      {missingBytes > 0 && (
        <p className="w-full text-sm text-muted">
          The first {bytesText(missingBytes)} are only in the download.
        </p>
      )}
    </div>
  );
}

function LogSearch({ log, onGoTo }: Pick<LogBarProps, "log" | "onGoTo">) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(-1);
  const { lines: found, isComplete } = useFound(log, text);
  const step = (by: number) => {
    if (found.length === 0) return;
    const next = (at + by + found.length) % found.length;
    setAt(next);
    onGoTo(found[next]!);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  return (
    <div className="flex items-center gap-1">
      <input
        type="search"
        aria-label="Search in the log"
        placeholder="Search"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(-1);
        }}
        onKeyDown={onKey}
        className="h-8 w-40 rounded-md border border-line bg-canvas px-2.5 placeholder:text-muted sm:w-52"
      />
      {text !== "" && (
        <>
          <span aria-live="polite" className="min-w-14 px-1 text-sm text-muted tabular-nums">
            {found.length > 0 ? `${at + 1}/${found.length}` : isComplete ? "none" : "…"}
          </span>
          <Button look="quiet" aria-label="Previous match" className="w-8 px-0" onClick={() => step(-1)}>
            <ChevronUp size={16} aria-hidden />
          </Button>
          <Button look="quiet" aria-label="Next match" className="w-8 px-0" onClick={() => step(1)}>
            <ChevronDown size={16} aria-hidden />
          </Button>
        </>
      )}
    </div>
  );
}
