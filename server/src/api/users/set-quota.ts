import Type from "typebox";
import { endpoint } from "#api/http/route";
import { Refusal } from "#plumbing/errors";

const Reply = Type.Object({ message: Type.String(), limit: Type.Integer(), usage: Type.Integer() });
const Body = Type.Record(Type.String(), Type.Unknown());

/** Refuses to set a quota as REANA does: accepting a limit that is not enforced would be worse. */
export const setQuotaEndpoint = endpoint({
  method: "POST",
  path: "/api/quota",
  operation: "set-quota",
  summary: "Limit what a user may use: not on this server",
  access: "admin",
  refuses: [501],
  schema: { body: Body, response: { 200: Reply } },
  handle: () => noLimits("The limit could not be set"),
});

export const setQuotaPeriodEndpoint = endpoint({
  method: "PATCH",
  path: "/api/quota",
  operation: "set-quota-period",
  summary: "Set the period of a limit: not on this server",
  access: "admin",
  refuses: [501],
  schema: { body: Body, response: { 200: Reply } },
  handle: () => noLimits("The period could not be set"),
});

function noLimits(what: string): never {
  throw new Refusal("not-implemented", `${what}: this server does not limit what its users use in total.`);
}
