import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable, recordOf } from "#api/http/document/schemas";
import { getServerState } from "#operations/service/server-state";

const Disk = Type.Object(
  {
    free_bytes: Type.Integer(),
    total_bytes: Type.Integer(),
    floor_bytes: Type.Integer({
      description: "With less free space, no job starts, and uploads are refused.",
    }),
  },
  { title: "Disk" },
);

const Backend = Type.Object(
  {
    name: Type.String(),
    compute_backends: Type.Array(Type.String(), {
      description: "Values of `compute_backend` for the backend.",
    }),
    provides: Type.Array(Type.String(), { description: "Features enforced for jobs of the backend." }),
    away: nullable(
      Type.String({ description: "A sentence while the place where its jobs run cannot be reached." }),
    ),
  },
  { title: "Backend" },
);

export const getServerStateEndpoint = endpoint({
  operation: "get-server-state",
  summary:
    "Show the version of the server, its disk and database, its backends, and the settings that were changed",
  access: "admin",
  schema: {
    response: {
      200: Type.Object({
        version: Type.String(),
        database_bytes: Type.Integer(),
        disk: nullable(Disk),
        backends: Type.Array(Backend),
        settings: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
          description: "Settings with values other than the default. The value of a secret is not shown.",
        }),
      }),
    },
  },
  async handle(context) {
    const { databaseBytes, disk, backends } = await getServerState(context);
    return {
      version: context.version,
      database_bytes: databaseBytes,
      disk: disk
        ? { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes, floor_bytes: disk.floorBytes }
        : null,
      backends: backends.map(({ name, computeBackends, provides, away }) => ({
        name,
        compute_backends: [...computeBackends],
        provides: [...provides()],
        away: away ?? null,
      })),
      settings: Object.entries(context.changedSettings).map(([name, value]) => ({ name, value })),
    };
  },
});

const DEFAULT_LAST = 100;
const MAX_LAST = 1000;

export const listAuditEndpoint = endpoint({
  operation: "list-audit",
  summary: "List the newest entries of the audit log, the newest first",
  access: "admin",
  schema: {
    querystring: Type.Object({
      last: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_LAST,
          description: `The number of entries: default ${DEFAULT_LAST}, at most ${MAX_LAST}.`,
        }),
      ),
    }),
    response: {
      200: Type.Object({
        items: Type.Array(
          Type.Object(
            {
              time: Type.String({ description: "Time in UTC." }),
              action: Type.String({ description: "Name of the operation." }),
              user: Type.String(),
              ip: nullable(Type.String({ description: "Null for a command on the machine." })),
              status: nullable(
                Type.Integer({ description: "HTTP status of a refusal. Null for a completed change." }),
              ),
              subject: recordOf(Type.String(), { description: "Subject of the change." }),
            },
            { title: "AuditEntry" },
          ),
        ),
        unreadable_lines: Type.Integer({
          description:
            "Number of lines in the last megabyte of the log that cannot be read. A full disk can leave a part of a line.",
        }),
      }),
    },
  },
  async handle({ audit }, { query }) {
    const { entries = [], unreadable = 0 } = (await audit?.newest(query.last ?? DEFAULT_LAST)) ?? {};
    return {
      items: entries.map(({ time, action, user, ip, status, subject }) => ({
        time,
        action,
        user,
        ip: ip ?? null,
        status: status ?? null,
        subject: { ...subject },
      })),
      unreadable_lines: unreadable,
    };
  },
});
