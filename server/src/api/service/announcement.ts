import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { announce, ANNOUNCEMENT_MAX_LENGTH, endAnnouncement } from "#operations/service/announcement";
import { Refusal } from "#plumbing/errors";

const Announcement = Type.Object({
  announcement: Type.String({ description: "Text of the announcement. Empty without an announcement." }),
});

export const announceEndpoint = endpoint({
  operation: "announce",
  summary: "Say something to all users, on top of each page and in `/api/config`",
  access: "admin",
  needsBody: true,
  schema: {
    body: Type.Object({ announcement: Type.String({ maxLength: ANNOUNCEMENT_MAX_LENGTH }) }),
    response: { 200: Announcement },
  },
  async handle(context, request) {
    if (!request.body)
      throw new Refusal("malformed", "Nothing was announced: send JSON with the text as `announcement`.");
    const announcement = await announce(context, request.body.announcement);
    request.subject = { announcement };
    return { announcement };
  },
});

export const endAnnouncementEndpoint = endpoint({
  operation: "end-announcement",
  summary: "Remove the announcement",
  access: "admin",
  worksOnFullDisk: true,
  schema: { response: { 200: Announcement } },
  async handle(context) {
    await endAnnouncement(context);
    return { announcement: "" };
  },
});
