import { useState } from "react";
import { fileAddress } from "../../api/client.ts";

interface ImagePairProps {
  readonly name: string;
  readonly a: { readonly id: string; readonly name: string };
  readonly b: { readonly id: string; readonly name: string };
}

/** Two versions of a picture, side by side and, with the slider, on top of each other. */
export function ImagePair({ name, a, b }: ImagePairProps) {
  const [share, setShare] = useState(50);
  const address = (run: string) => `${fileAddress(run, name)}?preview=true`;
  return (
    <div className="mt-2 grid gap-3 lg:grid-cols-3">
      {[a, b].map((run) => (
        <figure key={run.id}>
          <img src={address(run.id)} alt={`${name} of ${run.name}`} className="w-full rounded bg-white" />
          <figcaption className="text-xs text-muted">{run.name}</figcaption>
        </figure>
      ))}
      <figure>
        <div className="relative">
          <img src={address(a.id)} alt="" className="w-full rounded bg-white" />
          <img
            src={address(b.id)}
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
