import { expect, test } from "vitest";
import { createTurns } from "#runner/engine/turns";

test("users take turns, and the requests of one user keep their order", () => {
  const turns = createTurns<{ ownerId: string; n: number }>();
  for (let n = 1; n <= 3; n += 1) turns.add({ ownerId: "ada", n });
  turns.add({ ownerId: "bob", n: 1 });
  const order = [turns.maybeNext(), turns.maybeNext()];
  turns.add({ ownerId: "eve", n: 1 });
  turns.add({ ownerId: "bob", n: 2 });
  while (turns.waiting().length > 0) order.push(turns.maybeNext());
  expect(order.map((one) => `${one?.ownerId} ${one?.n}`)).toEqual([
    "ada 1",
    "bob 1",
    "eve 1",
    "ada 2",
    "bob 2",
    "ada 3",
  ]);
  expect(turns.maybeNext()).toBeUndefined();
});
