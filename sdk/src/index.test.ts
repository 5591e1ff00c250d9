import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { ApiError, connect, type paths } from "./index.ts";
import { VERSION } from "./user-agent.ts";

const servers: http.Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => once(server.close(), "close")));
});

/** Starts a server that gives every request the same response, and records the last request. */
async function answering(status: number, body: string) {
  const seen: Partial<Record<"method" | "url" | "authorization" | "userAgent", string | undefined>> = {};
  const server = http.createServer((request, response) => {
    Object.assign(seen, {
      method: request.method,
      url: request.url,
      authorization: request.headers.authorization,
      userAgent: request.headers["user-agent"],
    });
    response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body);
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

test("data is typed, and the token is sent in a header", async () => {
  const { url, seen } = await answering(
    200,
    '{"message":"OK","status":"200","reana_server_version":"0.1.0"}',
  );
  const { data } = await connect({ url: `${url}/`, token: "a.b.c" }).GET("/api/ping");
  expect(data?.reana_server_version).toBe("0.1.0");
  expect(seen).toEqual({
    method: "GET",
    url: "/api/ping",
    authorization: "Bearer a.b.c",
    userAgent: `reprise/${VERSION}`,
  });
});

test("a body is typed", async () => {
  const { url } = await answering(400, '{"message":"no","code":"malformed"}');
  const client = connect({ url, retryPausesMs: [] });
  // @ts-expect-error: a number is no specification
  await expect(client.POST("/api/workflows", { body: 42 })).rejects.toMatchObject({ code: "malformed" });
  // @ts-expect-error: a status is required
  const wrong = { params: { path: { workflow_id_or_name: "a" }, query: {} } } satisfies ChangeStatus;
  expect(wrong).toBeDefined();
});

type ChangeStatus = { params: paths["/api/workflows/{workflow_id_or_name}/status"]["put"]["parameters"] };

test("sends no token without a token", async () => {
  const { url, seen } = await answering(200, "{}");
  await connect({ url }).GET("/api/ping");
  expect(seen.authorization).toBeUndefined();
});

async function errorOf(url: string): Promise<ApiError> {
  const error: unknown = await connect({ url, token: "a.b.c", retryPausesMs: [] })
    .GET("/api/ping")
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe("a response without success is thrown", () => {
  test("has the server's sentence", async () => {
    const { url } = await answering(409, '{"message":"It runs already."}');
    expect(await errorOf(url)).toMatchObject({ status: 409, message: "It runs already." });
  });

  test.each(["<html>", "", "null", '{"message": 3}'])("with the status of %j", async (body) => {
    const { url } = await answering(502, body);
    expect(await errorOf(url)).toMatchObject({ status: 502, message: "The server answered 502 Bad Gateway" });
  });

  test("has the reason if no server responds", async () => {
    const { url } = await answering(200, "{}");
    await once(servers.pop()!.close(), "close");
    const error = await errorOf(url);
    expect(error.status).toBe(0);
    expect(error.message).toContain(`${url} could not be reached: connect ECONNREFUSED`);
    expect(error.message).not.toContain("a.b.c");
  });
});
