import { useContact } from "../api/contact.ts";

/** Says that the server does not respond. The page keeps what it shows, and continues by itself. */
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
