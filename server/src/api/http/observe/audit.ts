import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiContext, Route } from "#api/http/endpoint";
import { hasIds, type Subject, withNames } from "#operations/service/audit-names";
import { takesKey } from "#api/http/document/refusals";
import { toWireTime } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";

/** Returns whether requests to the endpoint are recorded: all changes, and requests that show tokens. */
export function isAudited(route: Route): boolean {
  return (takesKey(route) && route.changesNothing !== true) || route.showsTokens === true;
}

/** Names of parameters in the audit log, if different from the names in the address. */
const SUBJECT_NAMES: Readonly<Record<string, string>> = {
  workflow_id_or_name: "run",
  file_name: "file",
  status: "wanted",
};

/**
 * Query parameters that identify the subject of a change. Other parameters are not recorded, because they may
 * contain a token.
 */
const QUERY_NAMES = ["file_name", "source", "target", "status", "workflow_name", "spec"];

/** Longest text of a subject: a user may give a parameter of some kilobytes. */
const SUBJECT_MAX_LENGTH = 200;

/**
 * Returns a hook that records a request with its outcome, before its reply is sent. Requests without a user
 * are not recorded, because they were refused, and anyone could fill the log.
 */
export function auditHook(route: Route, { audit, clock, db }: Pick<ApiContext, "audit" | "clock" | "db">) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ) => {
    const { caller, subject = {}, ip, id: requestId } = request;
    if (!caller) return done(null, payload);
    const { action = route.operation, ...about } = subject;
    const write = (named: Subject) => {
      audit?.write({
        time: toWireTime(clock.now()),
        action,
        user: caller.email,
        ip,
        status: reply.statusCode,
        requestId,
        subject: shortened(named),
      });
      crashPoint("change-audited");
      done(null, payload);
    };
    const named = { ...parametersOf(request), ...about };
    if (!audit || !hasIds(named)) return write(named);
    // Without the database the entry has the ids.
    withNames({ db }, named).then(write, () => write(named));
  };
}

function parametersOf(request: FastifyRequest): Record<string, string> {
  // A parameter that is given twice arrives as a list.
  const query = request.query as Record<string, string | string[] | undefined>;
  const given = [
    ...Object.entries((request.params ?? {}) as Record<string, string>),
    ...QUERY_NAMES.flatMap((name) => (query[name] ? [[name, query[name]] as const] : [])),
  ];
  return Object.fromEntries(given.map(([name, value]) => [SUBJECT_NAMES[name] ?? name, String(value)]));
}

function shortened(subject: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(subject).map(([name, value]) => [name, value.slice(0, SUBJECT_MAX_LENGTH)]),
  );
}
