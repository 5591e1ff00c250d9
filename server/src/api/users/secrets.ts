import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { oneOf, recordOf } from "#api/http/document/schemas";
import { addSecrets, deleteSecrets, listSecrets, MissingSecrets } from "#operations/users/secrets";
import { SECRET_TYPES } from "#workflow/people/secret";

export const listSecretsEndpoint = endpoint({
  operation: "list-secrets",
  summary: "List the names of the caller's secrets",
  access: "user",
  schema: {
    response: { 200: Type.Array(Type.Object({ name: Type.String(), type: oneOf(SECRET_TYPES) })) },
  },
  handle: (context, { caller }) => listSecrets(context, caller),
});

export const addSecretsEndpoint = change({
  operation: "add-secrets",
  summary: "Add secrets for the jobs of the caller's runs: all of them or none",
  access: "user",
  hidesBody: true,
  statusOf: { malformed: 403, "too-large": 403 },
  schema: {
    querystring: Type.Object({
      overwrite: Type.Boolean({ default: false, description: "Replace existing secrets." }),
    }),
    body: recordOf(
      Type.Object({
        value: Type.String({ description: "Value of the secret in base64." }),
        type: oneOf(SECRET_TYPES, {
          description: "`env`: a variable; `file`: a file in the folder that `REANA_SECRETS_DIR` names.",
        }),
      }),
    ),
    response: { 201: Type.Object({ message: Type.String() }) },
  },
  async handle(context, request) {
    const { body = {}, query, caller } = request;
    const secrets = Object.entries(body).map(([name, { type, value }]) => ({ name, type, value }));
    await addSecrets(context, caller, { secrets, overwrite: query.overwrite });
    request.subject = namesOf(Object.keys(body));
  },
  toWire: () => ({ message: "Secret(s) successfully added." }),
});

const Names = Type.Array(Type.String(), { title: "SecretNames" });

export const deleteSecretsEndpoint = endpoint({
  operation: "delete-secrets",
  summary: "Delete secrets of the caller: all of these or none",
  access: "user",
  statusOf: { malformed: 403 },
  worksOnFullDisk: true,
  // Unlike other refusals, the reply is a list of names: REANA's clients build their own sentence from the
  // names.
  schema: { body: Names, response: { 200: Names, 404: Names } },
  async handle(context, request, reply) {
    const { caller, body = [] } = request;
    try {
      await deleteSecrets(context, caller, body);
      request.subject = namesOf(body);
      return body;
    } catch (error) {
      if (!(error instanceof MissingSecrets)) throw error;
      return reply.code(404).type("application/json; charset=utf-8").send(JSON.stringify(error.names));
    }
  },
});

/** Returns the subject of an entry in the audit log. The names of secrets are not secret. */
function namesOf(secrets: readonly string[]) {
  return { secrets: secrets.join(", ") };
}
