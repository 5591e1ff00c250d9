import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { mailStatusReport, statusReport } from "#operations/runs/status-report";

const DAYS_MAX = 366;
const days = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: DAYS_MAX,
    default: 1,
    description: "Number of days covered by the report.",
  }),
);

export const getStatusReportEndpoint = endpoint({
  operation: "get-status-report",
  summary: "Show what needs attention, and what has happened in the last days",
  access: "admin",
  schema: {
    querystring: Type.Object({ days }),
    response: {
      200: Type.Object({ subject: Type.String(), text: Type.String() }, { title: "StatusReport" }),
    },
  },
  handle: (context, { query }) => statusReport(context, { days: query.days ?? 1, version: context.version }),
});

export const mailStatusReportEndpoint = endpoint({
  operation: "mail-status-report",
  summary: "Send that report to every administrator by e-mail",
  access: "admin",
  refuses: [409],
  schema: {
    querystring: Type.Object({ days }),
    response: { 200: Type.Object({ sent_to: Type.Array(Type.String()) }) },
  },
  async handle(context, { query }) {
    const wanted = { days: query.days ?? 1, version: context.version };
    return { sent_to: [...(await mailStatusReport(context, wanted))] };
  },
});
