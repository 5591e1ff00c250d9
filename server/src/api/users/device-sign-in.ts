import Type from "typebox";
import { nullable, toUtcTime, utcTime } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { PROVIDER } from "#api/users/provider-sign-in";
import { TokenName } from "#api/users/user-schemas";
import { beginDeviceSignIn, completeDeviceSignIn } from "#operations/users/device-sign-in";
import { Refusal } from "#plumbing/errors";

export const beginDeviceSignInEndpoint = endpoint({
  operation: "begin-device-sign-in",
  summary:
    "Begin to sign a device without a browser in by a provider (RFC 8628): returns a code for the person",
  access: "anyone",
  changesNothing: true,
  refuses: [403, 404, 501, 503],
  schema: {
    params: PROVIDER,
    response: {
      201: Type.Object(
        {
          user_code: Type.String({ description: "The code that the person types at the address." }),
          url: Type.String({ description: "The address at the provider, for any browser." }),
          url_with_code: nullable(Type.String({ description: "An address at which nothing is typed." })),
          interval_seconds: Type.Integer({ description: "The shortest pause between two questions." }),
          expires_in_seconds: Type.Integer(),
          attempt: Type.String({ description: "Kept by the device, and sent to ask for the token." }),
        },
        { title: "BegunDeviceSignIn" },
      ),
    },
  },
  async handle(context, { params }, reply) {
    reply.header("cache-control", "no-store");
    const begun = await beginDeviceSignIn(context, params.provider);
    return {
      user_code: begun.userCode,
      url: begun.address,
      url_with_code: begun.addressWithCode ?? null,
      interval_seconds: begun.intervalSeconds,
      expires_in_seconds: begun.lifeSeconds,
      attempt: begun.attempt,
    };
  },
});

export const completeDeviceSignInEndpoint = endpoint({
  operation: "complete-device-sign-in",
  summary:
    "Ask whether the person has entered the code at the provider: returns a token, the only time it is shown",
  access: "anyone",
  hidesBody: true,
  needsBody: true,
  usualStatus: 201,
  refuses: [403, 404, 409, 503],
  schema: {
    params: PROVIDER,
    body: Type.Object({
      attempt: Type.String({ description: "As the sign-in began." }),
      name: TokenName,
    }),
    response: {
      201: Type.Object(
        {
          id_: Type.String({ format: "uuid", description: "UUID of the user." }),
          email: Type.String(),
          token: Type.String(),
          expires: utcTime(),
        },
        { title: "DeviceToken" },
      ),
      202: Type.Object(
        {
          slow_down: Type.Boolean({ description: "True if the pause must grow by five seconds." }),
        },
        { title: "DeviceWait" },
      ),
    },
  },
  async handle(context, request, reply) {
    const { body, params } = request;
    if (!body) throw new Refusal("malformed", "No token was made: send JSON with `attempt` and `name`.");
    reply.header("cache-control", "no-store");
    const answer = await completeDeviceSignIn(context, { ...body, provider: params.provider });
    if (typeof answer === "string") {
      reply.status(202);
      return { slow_down: answer === "slow-down" };
    }
    const { userId, email, token, expiresAtMs } = answer;
    request.subject = { email, provider: params.provider };
    return { id_: userId, email, token, expires: toUtcTime(expiresAtMs) };
  },
});
