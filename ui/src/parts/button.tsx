import type { ComponentProps } from "react";

const LOOKS = {
  main: "border-transparent bg-accent text-on-accent hover:opacity-90",
  plain: "border-line bg-surface text-ink hover:bg-raised",
  quiet: "border-transparent text-muted hover:bg-raised hover:text-ink",
  danger: "border-bad/50 text-bad hover:bg-bad-tint",
} as const;

export type ButtonLook = keyof typeof LOOKS;

export function buttonClass(look: ButtonLook = "plain"): string {
  return (
    `inline-flex h-8 items-center justify-center gap-1.5 rounded-md border px-3 font-medium whitespace-nowrap [&>svg]:shrink-0 ` +
    `disabled:cursor-not-allowed disabled:opacity-55 ${LOOKS[look]}`
  );
}

export function Button({
  look,
  className = "",
  ...rest
}: ComponentProps<"button"> & { readonly look?: ButtonLook }) {
  return <button type="button" {...rest} className={`${buttonClass(look)} ${className}`} />;
}
