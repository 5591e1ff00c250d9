import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { Dice } from "../../simulation/dice.ts";

/** Cuts each connection after some bytes, counted in both directions. After `cuts` cuts, connections live forever. */
export async function cuttingProxy(
  target: string,
  {
    seed,
    cuts,
    lifeBytesMax,
  }: { readonly seed: number; readonly cuts: number; readonly lifeBytesMax: number },
) {
  const dice = new Dice(seed, "cuts");
  let left = cuts;
  const proxy = net.createServer((socket) => {
    const onward = net.connect(Number(new URL(target).port), "127.0.0.1");
    let lifeBytes = left > 0 ? 1 + Math.floor(dice.unit() * lifeBytesMax) : Number.POSITIVE_INFINITY;
    const end = () => {
      socket.destroy();
      onward.destroy();
    };
    const pass = (from: net.Socket, to: net.Socket) => {
      from.on("data", (chunk) => {
        const part = chunk.subarray(0, Math.max(lifeBytes, 0));
        lifeBytes -= chunk.length;
        to.write(part);
        if (lifeBytes > 0) return;
        left -= 1;
        end();
      });
      from.on("error", end).on("close", end);
    };
    pass(socket, onward);
    pass(onward, socket);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cutsLeft: () => left,
    close: () => void proxy.close(),
  };
}
