import Type, { type Static, type TObject } from "typebox";
import { FailureRecord, failureRecord } from "#api/watch/failure";
import { PaceRecord, paceRecord } from "#api/watch/pace";
import { JOB_LABEL, JobReasonWord, JobStatusWord } from "#api/watch/job-record";
import { nullable, toUtcTime, utcTime, utcTimeOrNull } from "#api/http/document/schemas";
import { RunStatusWord } from "#api/http/reply/workflow-records";
import type { RunNews } from "#operations/watch/follow/follow-run";

/**
 * Messages that report the events of a run. More messages may be added, because clients ignore unknown
 * messages.
 */

const Id = Type.String({ description: "Position in the history, which a client sends as `Last-Event-ID`." });

const StatusData = Type.Object(
  {
    status: RunStatusWord,
    waiting_for: nullable(
      Type.String({ description: "Why a live run is not making progress at the moment, in one sentence." }),
    ),
  },
  { title: "StatusEventData" },
);

const ProgressData = Type.Object(
  {
    total: Type.Integer({ description: "Jobs that the run will have, as far as known." }),
    created: Type.Integer({ description: "Number of jobs waiting for capacity." }),
    running: Type.Integer(),
    finished: Type.Integer(),
    failed: Type.Integer(),
    pace: Type.Optional(PaceRecord),
  },
  { title: "ProgressEventData" },
);

const JobData = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    key: Type.String(),
    attempt: Type.Integer(),
    step: Type.String(),
    label: Type.String({ description: JOB_LABEL }),
    status: JobStatusWord,
    reason: JobReasonWord,
    exit_code: nullable(Type.Integer()),
    at: nullable(utcTime("When its end was recorded; null before.")),
  },
  { title: "JobEventData" },
);

const LogData = Type.Object(
  {
    at: utcTime(),
    text: Type.String({ description: "Whole lines of the run's own log, as `workflow_logs` has them." }),
  },
  { title: "LogEventData" },
);

const EndData = Type.Object(
  { status: RunStatusWord, failure: nullable(FailureRecord) },
  { title: "EndEventData" },
);

function message<Name extends string, Data extends TObject>(event: Name, data: Data, description: string) {
  const title = `${event[0]!.toUpperCase()}${event.slice(1)}Event`;
  return Type.Object({ event: Type.Literal(event), id: Type.Optional(Id), data }, { title, description });
}

export const RunMessage = Type.Union(
  [
    message(
      "status",
      StatusData,
      "The state of the run: the first message, and again after each change. No id.",
    ),
    message("progress", ProgressData, "The number of jobs by status, after each change. No id."),
    message(
      "job",
      JobData,
      "A job that waits or runs: after each change, and for each such job at the beginning; no id. A job " +
        "that has ended: once, in the order of the history, with an id.",
    ),
    message("log", LogData, "New lines of the run's own log: once, in order, with an id."),
    message("end", EndData, "The run has ended, and nothing follows. The id is `end`."),
  ],
  {
    title: "RunEvent",
    description:
      "Server-sent events: each message has `event`, `data` as JSON, and for some events `id`. Comment lines " +
      "in between show that the connection is alive.",
  },
);

type Message = Static<typeof RunMessage>;

/** Returns a message in the format of server-sent events, or a comment if there is no news. */
export function messageText(news: RunNews, nowMs: number): string {
  if (news.kind === "quiet") return ": nothing new\n\n";
  const { event, id, data } = messageOf(news, nowMs);
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function messageOf(news: Exclude<RunNews, { kind: "quiet" }>, nowMs: number): Message {
  switch (news.kind) {
    case "status":
      return { event: "status", data: { status: news.status, waiting_for: news.waitingFor ?? null } };
    case "progress":
      return {
        event: "progress",
        data: { ...news.progress, ...(news.pace && { pace: paceRecord(news.pace, nowMs) }) },
      };
    case "job":
      return { event: "job", data: jobData({ ...news.job, reason: null, exitCode: null }, null) };
    case "job-ended":
      return { event: "job", id: idOf(news), data: jobData(news.job, news.atMs) };
    case "log":
      return { event: "log", id: idOf(news), data: { at: toUtcTime(news.atMs), text: news.text } };
    case "end":
      return { event: "end", id: END, data: endData(news) };
  }
}

/** Id of the last message of the stream. */
export const END = "end";

function idOf({ place }: Extract<RunNews, { readonly place: unknown }>): string {
  return `${place.seq}.${place.part}`;
}

function jobData(
  job: Extract<RunNews, { kind: "job-ended" }>["job"],
  atMs: number | null,
): Static<typeof JobData> {
  const { id, key, attempt, name: step, label, status, reason, exitCode } = job;
  return { id, key, attempt, step, label, status, reason, exit_code: exitCode, at: utcTimeOrNull(atMs) };
}

function endData({ run, failure }: Extract<RunNews, { kind: "end" }>): Static<typeof EndData> {
  return { status: run.status, failure: failure ? failureRecord(failure) : null };
}
