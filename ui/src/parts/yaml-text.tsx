import { CircleX, TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import { CST, Lexer } from "yaml";
import type { Mark } from "./marks.ts";

/** A token of a YAML text in its look. */
interface Token {
  readonly text: string;
  readonly className: string;
}

const LOOKS: Readonly<Record<string, string>> = {
  comment: "text-muted italic",
  "map-value-ind": "text-muted",
  "seq-item-ind": "text-muted",
  "block-scalar-header": "text-muted",
  "single-quoted-scalar": "text-good",
  "double-quoted-scalar": "text-good",
  alias: "text-wait",
  anchor: "text-wait",
  tag: "text-wait",
};

interface YamlTextProps {
  readonly label: string;
  readonly text: string;
  readonly marks?: readonly Mark[];
}

/**
 * Shows YAML with keys, texts and numbers in different colours. Lines are numbered, and each mark is below its line.
 */
export function YamlText({ label, text, marks = [] }: YamlTextProps) {
  const lines = useMemo(() => linesOf(tokensOf(text)), [text]);
  return (
    <section
      tabIndex={0}
      aria-label={label}
      className="max-h-[calc(100dvh-16rem)] overflow-auto rounded-lg border border-line bg-surface py-3 font-mono text-xs leading-5 whitespace-pre"
    >
      {lines.map((tokens, index) => (
        <div key={index} data-line={index + 1}>
          <div className="flex min-w-max hover:bg-raised">
            <span className="w-12 shrink-0 pr-4 text-right text-muted select-none">{index + 1}</span>
            <span className="pr-4">
              {tokens.map((token, at) => (
                <span key={at} className={token.className}>
                  {token.text}
                </span>
              ))}
            </span>
          </div>
          {marks
            .filter(({ line }) => line === index + 1)
            .map((mark, at) => (
              <MarkRow key={at} mark={mark} />
            ))}
        </div>
      ))}
    </section>
  );
}

function MarkRow({ mark: { stops, message } }: { readonly mark: Mark }) {
  const [Icon, look] = stops ? [CircleX, "bg-bad-tint text-bad"] : [TriangleAlert, "bg-raised text-wait"];
  return (
    <p className={`sticky left-0 flex w-full gap-2 py-1 pr-4 pl-12 font-sans text-sm ${look}`}>
      <Icon size={15} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{message}</span>
    </p>
  );
}

function tokensOf(text: string): readonly Token[] {
  const sources = [...new Lexer().lex(text)].filter((source) => !CONTROL.test(source));
  return sources.map((source, index) => {
    const type = CST.tokenType(source) ?? "scalar";
    const isKey = type === "scalar" && sources.slice(index + 1).find((next) => next.trim() !== "") === ":";
    return { text: source, className: isKey ? "text-accent font-medium" : lookOf(type, source) };
  });
}

/** Marks of the lexer for the beginning of a document and of a scalar, which are no part of the text. */
// eslint-disable-next-line no-control-regex
const CONTROL = /^[\u0002\u0018\u001f\ufeff]$/;

function lookOf(type: string, source: string): string {
  if (type === "scalar" && /^(-?[\d.]+(e[+-]?\d+)?|true|false|null)$/i.test(source)) return "text-live";
  return LOOKS[type] ?? "";
}

function linesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]];
  for (const { text, className } of tokens) {
    const [first = "", ...more] = text.split("\n");
    lines.at(-1)!.push({ text: first, className });
    for (const part of more) lines.push([{ text: part, className }]);
  }
  return lines.at(-1)!.every(({ text }) => text === "") ? lines.slice(0, -1) : lines;
}
