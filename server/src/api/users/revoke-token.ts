import Type from "typebox";
import { endpoint } from "#api/http/route";
import { revokeToken } from "#operations/users/revoke-token";

export const revokeTokenEndpoint = endpoint({
  method: "DELETE",
  path: "/api/token",
  operation: "revoke-token",
  summary: "Take a user's tokens out of use",
  access: "admin",
  worksOnFullDisk: true,
  refuses: [404],
  schema: {
    body: Type.Object({
      user_id: Type.Optional(Type.String({ description: "UUID of the user; this or email." })),
      email: Type.Optional(Type.String()),
    }),
    response: {
      200: Type.Object({
        message: Type.String(),
        status: Type.Integer(),
        id_: Type.String({ format: "uuid" }),
        email: Type.String(),
        reana_token: Type.Object({ status: Type.String() }),
      }),
    },
  },
  async handle(context, { body = {} }) {
    const { id, email } = await revokeToken(context, { userId: body.user_id, email: body.email });
    return {
      message: "Access token revoked.",
      status: 200,
      id_: id,
      email,
      reana_token: { status: "revoked" },
    };
  },
});
