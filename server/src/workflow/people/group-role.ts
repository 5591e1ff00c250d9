/**
 * The roles in a group. `viewer`: reads what is shared with the group. `member`: also shares with the group. `maintainer`:
 * also adds and removes viewers and members.
 */
export const GROUP_ROLES = ["viewer", "member", "maintainer"] as const;
export type GroupRole = (typeof GROUP_ROLES)[number];

/** Returns whether a role allows to share runs with the group. */
export function mayShareWith(role: GroupRole | undefined): boolean {
  return role === "member" || role === "maintainer";
}
