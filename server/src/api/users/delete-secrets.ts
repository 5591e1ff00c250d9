import Type from "typebox";
import { endpoint } from "#api/http/route";
import { deleteSecrets, MissingSecrets } from "#operations/users/secrets";

const Names = Type.Array(Type.String(), { title: "SecretNames" });

export const deleteSecretsEndpoint = endpoint({
  method: "DELETE",
  path: "/api/secrets",
  operation: "delete-secrets",
  summary: "Delete secrets of the caller: all of these or none",
  access: "user",
  statusOf: { malformed: 403 },
  worksOnFullDisk: true,
  refuses: [404],
  schema: { body: Names, response: { 200: Names } },
  async handle(context, { caller, body = [] }, reply) {
    try {
      await deleteSecrets(context, caller, body);
      return body;
    } catch (error) {
      if (!(error instanceof MissingSecrets)) throw error;
      // Unlike any other refusal this one is no message: REANA's clients build their own sentence from the names.
      return reply.code(404).type("application/json; charset=utf-8").send(JSON.stringify(error.names));
    }
  },
});
