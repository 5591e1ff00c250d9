import type { ComponentProps, SyntheticEvent } from "react";
import { signedAddress } from "../api/signed-address.ts";

interface FileLinkProps extends Omit<ComponentProps<"a">, "href"> {
  readonly address: string;
}

/** Link to something that the browser downloads by itself. The address is signed when the user reaches for it. */
export function FileLink({ address, onClick, onPointerDown, onContextMenu, ...rest }: FileLinkProps) {
  // The handlers of a menu that the link is an entry of stay in place.
  const signThen =
    <Event extends SyntheticEvent<HTMLAnchorElement>>(next?: (event: Event) => void) =>
    (event: Event) => {
      event.currentTarget.href = signedAddress(address);
      next?.(event);
    };
  return (
    <a
      {...rest}
      href={address}
      onClick={signThen(onClick)}
      onPointerDown={signThen(onPointerDown)}
      onContextMenu={signThen(onContextMenu)}
    />
  );
}
