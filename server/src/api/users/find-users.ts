import Type from "typebox";
import { endpoint } from "#api/http/route";
import { User } from "#api/users/user-schemas";
import { findUsers } from "#operations/users/find-users";

const criterion = (description: string) => Type.Optional(Type.String({ description }));

export const findUsersEndpoint = endpoint({
  method: "GET",
  path: "/api/users",
  operation: "find-users",
  summary: "Users that match all the criteria; without any, all users",
  access: "admin",
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
