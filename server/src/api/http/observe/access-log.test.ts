import { EventEmitter } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { accessLog } from "#api/http/observe/access-log";
import { RequestMeter } from "#api/http/observe/request-meter";
import { type Clock, systemClock } from "#plumbing/clock";
import type { Log } from "#plumbing/log";

const STOP = { action: "stop", run: "fit.1" };

/** Returns the line about a request whose connection closes now. */
function lineOf(
  subject: Readonly<Record<string, string>> | undefined,
  writableEnded: boolean,
  clock: Clock = systemClock,
): object {
  const lines: object[] = [];
  const log = {
    info: (line: object) => void lines.push(line),
    infoOfOwnWords: (words: string) => void lines.push(JSON.parse(`{${words}}`) as object),
  } as unknown as Log;
  const raw = Object.assign(new EventEmitter(), { writableEnded, statusCode: 200 });
  const request = {
    id: "r1",
    method: "PUT",
    ip: "127.0.0.1",
    routeOptions: { config: { route: { path: "/api/x" } } },
    subject,
  } as unknown as FastifyRequest;
  accessLog(log, clock, new RequestMeter())(request, { raw } as unknown as FastifyReply);
  raw.emit("close");
  return lines[0]!;
}

test.each([
  ["a question", undefined],
  ["a change", STOP],
])("the line about %s says if the client disconnected before it had the whole answer", (_name, subject) => {
  const line = { requestId: "r1", method: "PUT", route: "/api/x", status: 200, ...subject };
  expect(lineOf(subject, false)).toMatchObject({ ...line, cut: true });
  expect(lineOf(subject, true)).toMatchObject(line);
  expect(lineOf(subject, true)).not.toHaveProperty("cut");
});

test("the duration of a request is right although the time of day was set back meanwhile", () => {
  let [now, elapsed] = [1_000_000, 0];
  const clock = { ...systemClock, now: () => (now -= 60_000), elapsedMs: () => (elapsed += 4.6) };
  expect(lineOf(STOP, true, clock)).toMatchObject({ ms: 5 });
});
