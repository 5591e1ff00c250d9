import type { ServerServices } from "#operations/service/services";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { deleteAnnouncement, maybeAnnouncement, putAnnouncement } from "#store/users/announcements";

export const ANNOUNCEMENT_MAX_LENGTH = 500;

/** Returns what the administrator says to all users, or an empty text. Pages show it, also before anyone signs in. */
export async function getAnnouncement({ db }: Pick<ServerServices, "db">): Promise<string> {
  return (await maybeAnnouncement(db)) ?? "";
}

/** Replaces the announcement. */
export async function announce(
  { db, clock }: Pick<ServerServices, "db" | "clock">,
  text: string,
): Promise<string> {
  const said = text.trim();
  if (said === "")
    throw new Refusal(
      "malformed",
      "Nothing was announced: the text is empty. DELETE removes an announcement.",
    );
  await putAnnouncement(db, said, clock.now());
  crashPoint("announcement-set");
  return said;
}

/** Removes the announcement, if any. */
export async function endAnnouncement({ db }: Pick<ServerServices, "db">): Promise<void> {
  await deleteAnnouncement(db);
  crashPoint("announcement-set");
}
