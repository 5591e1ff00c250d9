import { Fragment } from "react";

/** A path or an e-mail address that wraps after a dot or an `@`, not inside a word. */
export function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=[.@])/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}
