import type { ToolCallError } from '../../contract/errors.js'
import { ALL_MEMBERS, findTeammateNameProblem, type SentMessage } from '../../contract/ports/teams.js'
import { quote } from '../../shared/quote.js'
import { type MemberRecord, refuse, type TeamRecord } from './team-file.js'

const MAX_MEMBERS = 20
/** Further messages are refused, so that a member that does not read cannot fill the disk. */
export const MAX_UNREAD_MESSAGES = 1_000

/** Returns the members that a message goes to. Throws if there are none, with the names of those that exist. */
export function chooseRecipients({ members }: TeamRecord, sender: string, to: string): readonly MemberRecord[] {
  const others = members.filter(({ name }) => !isSameName(name, sender))
  if (others.length === 0)
    throw refuse('You are the only member of the team. Start a teammate with Agent and a name first.')
  if (to === ALL_MEMBERS) return others
  const recipient = others.find(({ name }) => isSameName(name, to))
  if (recipient === undefined)
    throw refuse(
      `The team has no ${isSameName(to, sender) ? 'other ' : ''}member ${quote(to)}. Send to one of: ${listNames(others)}; or to "${ALL_MEMBERS}" for all of them.`,
    )
  return [recipient]
}

export function createUndeliveredError(
  fullNames: readonly string[],
  sentTo: SentMessage['recipients'],
  to: string,
): ToolCallError {
  if (fullNames.length === 0) return refuse(`The member ${quote(to)} has just left the team.`)
  const others = sentTo.length === 0 ? '' : ` Sent to: ${listNames(sentTo)}.`
  return refuse(
    `Not sent to ${fullNames.join(', ')}: ${MAX_UNREAD_MESSAGES} messages wait there already. Try again when some of them are received.${others}`,
  )
}

export function addMember(team: TeamRecord | undefined, member: MemberRecord): TeamRecord {
  if (team === undefined) throw refuse('The team was deleted by another session.')
  if (team.members.some(({ name }) => isSameName(name, member.name)))
    throw refuse(
      `The team "${team.name}" has a member ${quote(member.name)} already. Members: ${listNames(team.members)}. Choose another name.`,
    )
  if (team.members.length >= MAX_MEMBERS)
    throw refuse(`The team has ${team.members.length} members, the most that a team can have.`)
  return { ...team, members: [...team.members, member] }
}

export function updateMember(team: TeamRecord, name: string, update: Partial<MemberRecord>): TeamRecord {
  const members = team.members.map((member) => (isSameName(member.name, name) ? { ...member, ...update } : member))
  return { ...team, members }
}

export function removeMembers(team: TeamRecord, names: readonly string[]): TeamRecord {
  return { ...team, members: team.members.filter(({ name }) => !names.some((other) => isSameName(name, other))) }
}

export function requireTeammateName(name: string): void {
  const problem = findTeammateNameProblem(name)
  if (problem !== undefined) throw refuse(`${quote(name)} cannot be the name of a teammate. ${problem}`)
}

/** Names that differ only in letter case are the same, because they are file names. */
export function isSameName(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

export function listNames(members: readonly { readonly name: string }[]): string {
  return members.map(({ name }) => name).join(', ')
}
