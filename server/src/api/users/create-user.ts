import Type from "typebox";
import { keeping } from "#api/http/once";
import { endpoint } from "#api/http/route";
import { User } from "#api/users/user-schemas";
import { createUser } from "#operations/users/create-user";
import type { UserRecord } from "#operations/users/find-users";

export const createUserEndpoint = endpoint({
  method: "POST",
  path: "/api/users",
  operation: "create-user",
  summary: "Create a user",
  access: "admin",
  needs: ["email"],
  schema: {
    querystring: Type.Object({
      email: Type.Optional(Type.String({ description: "E-mail address of the user" })),
      user_token: Type.Optional(
        Type.String({ description: "Becomes the user's token; without it one is made" }),
      ),
    }),
    response: { 201: Type.Object({ message: Type.String(), ...User.properties }) },
  },
  handle: async (context, request) => {
    const { email, user_token } = request.query;
    const keep = keeping(context, request, 201, createdRecord);
    const user = await createUser(context, { email, token: user_token, keep });
    request.subject = { action: "create-user", email: user.email };
    return createdRecord(user);
  },
});

function createdRecord(user: UserRecord) {
  return {
    message: "User was successfully created.",
    id_: user.id,
    email: user.email,
    access_token: user.accessToken,
  };
}
