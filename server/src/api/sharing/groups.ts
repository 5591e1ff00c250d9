import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { Message, oneOf, toUtcTime, utcTime } from "#api/http/document/schemas";
import {
  addGroupMember,
  createGroup,
  deleteGroup,
  getGroup,
  type ListedGroup,
  listGroups,
  removeGroupMember,
} from "#operations/sharing/groups";
import { Refusal } from "#plumbing/errors";
import { GROUP_ROLES } from "#workflow/people/group-role";

const GROUP = {
  name: Type.String(),
  owner_email: Type.String({ description: "The user who maintains the members, besides the administrator." }),
  member_count: Type.Integer(),
  created: utcTime(),
};

const GroupRecord = Type.Object(GROUP, { title: "Group" });

function groupRecord({ name, ownerEmail, memberCount, createdAtMs }: ListedGroup) {
  return { name, owner_email: ownerEmail, member_count: memberCount, created: toUtcTime(createdAtMs) };
}

const Role = oneOf(GROUP_ROLES, {
  title: "GroupRole",
  description:
    "`viewer`: reads what is shared with the group. `member`: also shares with it. `maintainer`: also adds and removes " +
    "viewers and members.",
});

const GROUP_PARAMS = Type.Object({ group: Type.String({ description: "The name of a group." }) });

const MEMBER_PARAMS = Type.Object({
  ...GROUP_PARAMS.properties,
  user: Type.String({ description: "UUID or e-mail address of a user." }),
});

export const listGroupsEndpoint = endpoint({
  operation: "list-groups",
  summary: "List the groups that the caller maintains or belongs to; for the administrator, all groups",
  access: "user",
  schema: { response: { 200: Type.Array(GroupRecord) } },
  handle: async (context, { caller }) => (await listGroups(context, caller)).map(groupRecord),
});

export const createGroupEndpoint = change({
  operation: "create-group",
  summary: "Make a group of users to share with: the caller is its owner and first maintainer",
  access: "user",
  needsBody: true,
  schema: {
    body: Type.Object({
      name: Type.String({ description: 'Letters, digits, ".", "_" and "-", at most 64.' }),
    }),
    response: { 201: Message },
  },
  async handle(context, request) {
    const { caller, body } = request;
    if (!body) throw new Refusal("malformed", "No name was given: send JSON with the name of the group.");
    const group = await createGroup(context, caller, body.name);
    request.subject = { group: group.name };
    return group;
  },
  toWire: ({ name }) => ({ message: `The group ${name} was made. Share with it as group:${name}.` }),
});

export const getGroupEndpoint = endpoint({
  operation: "get-group",
  summary: "Show a group and its members, to them, its owner and the administrator",
  access: "user",
  schema: {
    params: GROUP_PARAMS,
    response: {
      200: Type.Object({
        ...GROUP,
        members: Type.Array(Type.Object({ email: Type.String(), role: Role, added: utcTime() })),
      }),
    },
  },
  async handle(context, { caller, params }) {
    const { group, members } = await getGroup(context, caller, params.group);
    return {
      ...groupRecord(group),
      members: members.map(({ email, role, addedAtMs }) => ({ email, role, added: toUtcTime(addedAtMs) })),
    };
  },
});

export const deleteGroupEndpoint = change({
  operation: "delete-group",
  summary: "Delete a group: what was shared with it is no longer shared with its members",
  access: "user",
  worksOnFullDisk: true,
  schema: { params: GROUP_PARAMS, response: { 200: Message } },
  handle: (context, { caller, params }) => deleteGroup(context, caller, params.group),
  toWire: ({ name }) => ({ message: `The group ${name} was deleted.` }),
});

export const addMemberEndpoint = change({
  operation: "add-group-member",
  summary: "Add a user to a group, or change the user's role",
  access: "user",
  schema: {
    params: MEMBER_PARAMS,
    body: Type.Object({ role: Type.Optional(Role) }),
    response: { 200: Message },
  },
  handle: (context, { caller, params, body }) =>
    addGroupMember(context, caller, { ...params, role: body?.role }),
  toWire: ({ name, email, role }) => ({ message: `${email} is a ${role} of the group ${name}.` }),
});

export const removeMemberEndpoint = change({
  operation: "remove-group-member",
  summary: "Remove a user from a group; a member may also leave",
  access: "user",
  worksOnFullDisk: true,
  schema: { params: MEMBER_PARAMS, response: { 200: Message } },
  handle: (context, { caller, params }) => removeGroupMember(context, caller, params),
  toWire: ({ name, email }) => ({ message: `${email} is no longer a member of the group ${name}.` }),
});
