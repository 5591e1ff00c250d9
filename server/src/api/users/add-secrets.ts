import Type from "typebox";
import { keeping } from "#api/http/once";
import { endpoint } from "#api/http/route";
import { oneOf } from "#api/http/schemas";
import { addSecrets } from "#operations/users/secrets";
import { SECRET_TYPES } from "#workflow/secret";

const ADDED = { message: "Secret(s) successfully added." };

export const addSecretsEndpoint = endpoint({
  method: "POST",
  path: "/api/secrets",
  operation: "add-secrets",
  summary: "Give secrets to the jobs of the caller's runs: all of these or none",
  access: "user",
  hidesBody: true,
  statusOf: { malformed: 403, "too-large": 403 },
  schema: {
    querystring: Type.Object({
      overwrite: Type.Boolean({ default: false, description: "Replace those that are there." }),
    }),
    body: Type.Record(
      Type.String({ description: "The name." }),
      Type.Object({
        value: Type.String({ description: "In base64." }),
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
    const keep = keeping<void>(context, request, 201, () => ADDED);
    await addSecrets(context, caller, { secrets, overwrite: query.overwrite, keep });
    return ADDED;
  },
});
