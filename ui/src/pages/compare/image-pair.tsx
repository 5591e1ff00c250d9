import { useMemo, useState } from "react";
import { fileAddress } from "../../api/client.ts";
import { signedAddress } from "../../api/signed-address.ts";

interface ImagePairProps {
  readonly name: string;
  readonly a: { readonly id: string; readonly name: string };
  readonly b: { readonly id: string; readonly name: string };
}

/** Signed only once, so that the browser does not load the picture again on every render. */
function useSigned(run: string, name: string): string {
  return useMemo(() => signedAddress(`${fileAddress(run, name)}?preview=true`), [run, name]);
}

/** Two versions of a picture, side by side and, with the slider, on top of each other. */
export function ImagePair({ name, a, b }: ImagePairProps) {
  const [share, setShare] = useState(50);
  const [first, second] = [useSigned(a.id, name), useSigned(b.id, name)];
  return (
    <div className="mt-2 grid gap-3 lg:grid-cols-3">
      {(
        [
          [a, first],
          [b, second],
        ] as const
      ).map(([run, address]) => (
        <figure key={run.id}>
          <img src={address} alt={`${name} of ${run.name}`} className="w-full rounded bg-white" />
          <figcaption className="text-xs text-muted">{run.name}</figcaption>
        </figure>
      ))}
      <figure>
        <div className="relative">
          <img src={first} alt="" className="w-full rounded bg-white" />
          <img
            src={second}
            alt=""
            className="absolute inset-0 w-full rounded bg-white"
            style={{ opacity: share / 100 }}
          />
        </div>
        <figcaption>
          <label className="flex items-center gap-2 text-xs text-muted">
            Overlaid
            <input
              type="range"
              value={share}
              onChange={(event) => setShare(Number(event.target.value))}
              className="flex-1 accent-accent"
            />
          </label>
        </figcaption>
      </figure>
    </div>
  );
}
