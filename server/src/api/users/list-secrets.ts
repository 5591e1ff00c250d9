import Type from "typebox";
import { endpoint } from "#api/http/route";
import { oneOf } from "#api/http/schemas";
import { listSecrets } from "#operations/users/secrets";
import { SECRET_TYPES } from "#workflow/secret";

export const listSecretsEndpoint = endpoint({
  method: "GET",
  path: "/api/secrets",
  operation: "list-secrets",
  summary: "The names of the caller's secrets",
  access: "user",
  schema: {
    response: { 200: Type.Array(Type.Object({ name: Type.String(), type: oneOf(SECRET_TYPES) })) },
  },
  handle: (context, { caller }) => listSecrets(context, caller),
});
