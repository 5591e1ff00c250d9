import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { WithFile } from "./with-file.tsx";

const PLUGINS = [remarkGfm];
/** A remote picture would reveal the reader to its server, and the content security policy forbids it. */
const COMPONENTS: Components = {
  img: ({ alt }) => <span className="text-muted">[{alt ?? "picture"}]</span>,
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noreferrer" className="text-accent underline">
      {children}
    </a>
  ),
};

/** Renders Markdown. Embedded HTML is shown as text. */
export function MarkdownText({ text }: { readonly text: string }) {
  return (
    <div className="prose-reprise p-4">
      <Markdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </Markdown>
    </div>
  );
}

export function MarkdownPreview({ run, name }: { readonly run: string; readonly name: string }) {
  return (
    <WithFile run={run} name={name}>
      {(text) => <MarkdownText text={text} />}
    </WithFile>
  );
}
