import { useContact } from "../api/contact.ts";

/** Shows that the server does not respond. The page keeps its content, and continues automatically. */
export function ContactBanner() {
  const contact = useContact();
  return (
    <div role="status" aria-live="polite">
      {contact === "away" && (
        <p className="border-b border-line bg-tint px-3 py-1.5 text-center text-sm">
          The server does not respond. Reconnecting …
        </p>
      )}
    </div>
  );
}
