import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { User } from "#api/users/user-schemas";
import { createUser } from "#operations/users/create-user";
import { findUsers } from "#operations/users/find-users";

const criterion = (description: string) => Type.Optional(Type.String({ description }));

export const findUsersEndpoint = endpoint({
  operation: "find-users",
  summary: "Find the users that match all criteria; without criteria, all users",
  access: "admin",
  showsTokens: true,
  refuses: [404],
  schema: {
    querystring: Type.Object({
      email: criterion("E-mail address of the user"),
      id_: criterion("UUID of the user"),
      id: criterion("The same as id_"),
      user_token: criterion("A token of the user"),
    }),
    response: { 200: Type.Array(User) },
  },
  handle: async (context, request) => {
    const { email, id_, id, user_token } = request.query;
    const users = await findUsers(context, { email, id: id_ || id, token: user_token });
    return users.map((user) => ({ id_: user.id, email: user.email, access_token: user.accessToken }));
  },
});

export const createUserEndpoint = change({
  operation: "create-user",
  summary: "Create a user",
  access: "admin",
  needs: ["email"],
  schema: {
    querystring: Type.Object({
      email: Type.Optional(Type.String({ description: "E-mail address of the user" })),
      user_token: Type.Optional(Type.String({ description: "The user's token; generated if absent" })),
    }),
    response: { 201: Type.Object({ message: Type.String(), ...User.properties }) },
  },
  handle: async (context, request) => {
    const { email, user_token } = request.query;
    const user = await createUser(context, { email, token: user_token });
    request.subject = { action: "create-user", email: user.email };
    return user;
  },
  toWire: (user) => ({
    message: "User was successfully created.",
    id_: user.id,
    email: user.email,
    access_token: user.accessToken,
  }),
});
