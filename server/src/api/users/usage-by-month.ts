import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { usageByMonth } from "#operations/users/usage-by-month";

const month = (description: string) =>
  Type.Optional(Type.String({ pattern: "^[12]\\d{3}-(0[1-9]|1[0-2])$", description }));

export const getUsageByMonthEndpoint = endpoint({
  operation: "get-usage-by-month",
  summary: "Show what the users' runs and notebooks have used, by the month in which they ended",
  access: "admin",
  refuses: [404],
  schema: {
    querystring: Type.Object({
      from: month("The first month, `2026-11`. Absent: the last one."),
      to: month("The last month. Absent: the present one."),
      user: Type.Optional(Type.String({ description: "Id or e-mail address. Absent: all users." })),
    }),
    response: {
      200: Type.Array(
        Type.Object(
          {
            id_: Type.String({ format: "uuid" }),
            email: Type.String(),
            month: Type.String(),
            cpu_ms: Type.Integer({ description: "Processor time of jobs and notebooks." }),
            wall_ms: Type.Integer({ description: "Time from the starts of the runs to their ends." }),
            runs: Type.Integer(),
          },
          { title: "MonthOfUse" },
        ),
      ),
    },
  },
  async handle(context, { query }) {
    const months = await usageByMonth(context, { from: query.from, to: query.to, user: query.user });
    return months.map(({ userId, email, month: name, cpuMs, wallMs, runs }) => ({
      id_: userId,
      email,
      month: name,
      cpu_ms: cpuMs,
      wall_ms: wallMs,
      runs,
    }));
  },
});
