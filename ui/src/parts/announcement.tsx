import { useQuery } from "@tanstack/react-query";
import { announcement } from "../api/asks.ts";

/** Shows the administrator's message to all users. */
export function Announcement() {
  const { data: text } = useQuery(announcement);
  return (
    <div role="status" aria-live="polite">
      {text && (
        <p className="border-b border-line bg-tint px-3 py-1.5 text-center text-sm wrap-anywhere">{text}</p>
      )}
    </div>
  );
}
