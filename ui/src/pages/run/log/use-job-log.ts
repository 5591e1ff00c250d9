import { useEffect, useMemo, useRef, useState } from "react";
import type { Job } from "../../../api/run-asks.ts";
import { client, isRefusal, runAddress } from "../../../api/client.ts";
import { setContact } from "../../../api/contact.ts";
import { LogText } from "./log-text.ts";

/** Maximum part of a log that a tab keeps. Earlier lines are in the download. */
const MAX_BYTES = 160 << 20;
const SHOW_EVERY_MS = 80;
const RECONNECT_MS = 1000;

export interface JobLog {
  readonly text: LogText;
  /** Rises with each change of the text. */
  readonly version: number;
  readonly isComplete: boolean;
  /** Bytes of the log before the text. */
  readonly from: number;
  readonly error: unknown;
}

/** Reads the log of a job live, and resumes at the last offset after an interruption. */
export function useJobLog(run: string, job: Job): JobLog {
  const text = useMemo(() => new LogText(MAX_BYTES), []);
  const [state, setState] = useState({ version: 0, isComplete: false, from: 0, error: undefined as unknown });
  const first = useRef(Math.max(0, (job.log_bytes ?? 0) - MAX_BYTES));
  useEffect(() => {
    const closing = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setState((before) => ({ ...before, version: before.version + 1, from: first.current }));
      }, SHOW_EVERY_MS);
    };
    readToEnd({ run, job: job.id, text, from: first.current, signal: closing.signal, show }).then(
      () => setState((before) => ({ ...before, version: before.version + 1, isComplete: true })),
      (error: unknown) => {
        if (!closing.signal.aborted) setState((before) => ({ ...before, error }));
      },
    );
    return () => {
      closing.abort();
      clearTimeout(timer);
    };
  }, [run, job.id, text]);
  return { text, ...state };
}

interface Reading {
  readonly run: string;
  readonly job: string;
  readonly text: LogText;
  readonly from: number;
  readonly signal: AbortSignal;
  readonly show: () => void;
}

async function readToEnd(reading: Reading): Promise<void> {
  while (!(await readOnce(reading))) {
    setContact("away");
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    reading.signal.throwIfAborted();
  }
}

/** Reads on from where the text ends. Returns whether the log is complete. */
async function readOnce({ run, job, text, from, signal, show }: Reading): Promise<boolean> {
  const path = runAddress(run, `jobs/${job}/log?follow=true&from=${from + text.bytes}`);
  try {
    const { body } = await client.send(path, { signal });
    const reader = body!.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return true;
      text.append(value);
      show();
    }
  } catch (error) {
    if (signal.aborted || isRefusal(error)) throw error;
    return false;
  }
}
