import Type from "typebox";
import { endpoint } from "#api/http/route";

const Users = Type.Array(Type.Object({ email: Type.String() }));

export const listUsersSharedWithYouEndpoint = endpoint({
  method: "GET",
  path: "/api/users/shared-with-you",
  operation: "list-users-shared-with-you",
  summary: "Who shares workflows with the caller",
  access: "user",
  schema: { response: { 200: Type.Object({ users_shared_with_you: Users }) } },
  handle: () => ({ users_shared_with_you: [] }),
});

export const listUsersYouSharedWithEndpoint = endpoint({
  method: "GET",
  path: "/api/users/you-shared-with",
  operation: "list-users-you-shared-with",
  summary: "With whom the caller shares workflows",
  access: "user",
  schema: { response: { 200: Type.Object({ users_you_shared_with: Users }) } },
  handle: () => ({ users_you_shared_with: [] }),
});
