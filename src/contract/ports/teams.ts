/** What a member of a team does now. `away`: its process has ended; messages wait until its session is resumed. */
export type MemberStatus = 'working' | 'idle' | 'away'

/** A member of a team: the main agent of a session, or a sub-agent of one. */
export interface TeamMember {
  readonly name: string
  readonly role: 'lead' | 'teammate'
  readonly status: MemberStatus
  /** The session that the member belongs to. */
  readonly session: string
  /** The sub-agent; undefined for the main agent of the session. */
  readonly agentId?: string
  /** The kind of the sub-agent, and a few words about its work. */
  readonly kind?: string
  readonly description?: string
  /** How many messages the member has not received. */
  readonly unreadCount: number
}

/** Named agents that work side by side and send each other messages. */
export interface Team {
  readonly name: string
  readonly description: string
  readonly members: readonly TeamMember[]
}

/** A message in the mailbox of a member. */
export interface TeamMessage {
  /** The same for a message that is sent again, and for all copies of a broadcast. */
  readonly id: string
  readonly team: string
  readonly from: string
  readonly to: string
  /** `message`: sent on purpose. `idle`: the last text of a teammate that now waits for messages. */
  readonly kind: 'message' | 'idle'
  readonly text: string
  /** A few words for people. */
  readonly summary?: string
  readonly isBroadcast?: true
  /** Milliseconds since 1970. */
  readonly at: number
  /** The position in the mailbox, from 1. */
  readonly index: number
  /** The position among the messages of this sender, from 1. */
  readonly sequence: number
}

/** A message to send. */
export interface NewTeamMessage extends Pick<TeamMessage, 'id' | 'text'> {
  /** The name of a member, or `*` for all others. */
  readonly to: string
  readonly kind?: TeamMessage['kind']
  readonly summary?: string
}

/** What is known about a message when it is in the mailboxes. */
export interface SentMessage {
  readonly id: string
  readonly recipients: readonly {
    readonly name: string
    readonly status: MemberStatus
    /** Earlier messages of the same sender that the recipient has not received yet. */
    readonly unreceivedIds: readonly string[]
  }[]
}

/** A sub-agent that becomes a member. */
export interface NewTeammate {
  readonly name: string
  readonly agentId: string
  readonly kind: string
  readonly description: string
}

/** The mailbox of one agent of this process. */
export interface TeamInbox {
  readonly name: string
  readonly team: string
  /** The member that leads the team. */
  readonly lead: string
  /** Aborted when the agent is no longer a member, for example because the team was deleted. */
  readonly ended: AbortSignal
  /** Whether messages wait. */
  readonly hasMail: boolean
  /** Returns the messages that were not acknowledged, oldest first; at most a few at once. */
  receive(): readonly TeamMessage[]
  /** Records that the messages are in the transcript of the agent, so that they are not received again. */
  acknowledge(messages: readonly TeamMessage[]): Promise<void>
  /** Resolves when messages wait, also if they arrived before, or when one of the signals is aborted. */
  waitForMail(signal: AbortSignal): Promise<void>
  setStatus(status: 'working' | 'idle'): Promise<void>
  /** Sends the last text of a teammate to the lead, then makes the teammate idle. */
  reportIdle(text: string): Promise<void>
  /** Removes the member and its mailbox. */
  leave(): Promise<void>
}

/**
 * The team of a session. Agents are identified by their agent id; the main agent has none. What is not possible fails with
 * a `ToolCallError` that says what to do.
 */
export interface TeamsPort {
  /** The team of this session; undefined if it has none. */
  current(): Promise<Team | undefined>
  /** The mailbox of an agent of this session; undefined if it is not a member. Cheap if there is no team. */
  open(agentId: string | undefined): Promise<TeamInbox | undefined>
  /** Creates a team that the main agent leads, or joins an existing one under `as`. */
  create(team: { readonly name: string; readonly description?: string; readonly as?: string }): Promise<Team>
  /** Adds a sub-agent. It takes the place of a member of this session with its name whose process has ended. Creates a team if the session has none. */
  addTeammate(teammate: NewTeammate): Promise<TeamInbox>
  /** Resolves when the message is on the disk. A message with an id that the mailbox has seen is not added again. */
  send(message: NewTeamMessage, agentId: string | undefined): Promise<SentMessage>
  /** Deletes the team with its mailboxes; a session that joined leaves it instead. Refuses while members work, unless they are to be stopped. */
  delete(options: { readonly stopsMembers: boolean }): Promise<{ readonly team: Team; readonly hasLeft: boolean }>
  /** The team as last read, for display. */
  showRecent(): Team | undefined
  /** Whether messages wait for the main agent. */
  readonly hasMail: boolean
  /** Calls the listener when a message for the main agent arrives. Returns a function that removes it. */
  onMail(listener: () => void): () => void
  /** Ends the work with the team in this process. The members stay in the team. */
  close(): Promise<void>
}

/** The name under which the creator of a team is a member of it. */
export const LEAD_NAME = 'team-lead'

/** The recipient that stands for all other members. */
export const ALL_MEMBERS = '*'

export const MAX_TEAM_MESSAGE_CHARS = 20_000

/** Names are also file names. */
export const TEAM_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,47}$/

/** Names that would be misunderstood. */
const RESERVED_NAMES: readonly string[] = [LEAD_NAME, 'lead', 'main', 'user', 'all', 'everyone']

/** Returns why a name cannot be that of a teammate. */
export function findTeammateNameProblem(name: string): string | undefined {
  if (!TEAM_NAME.test(name)) return 'Use up to 48 letters, digits, "-" and "_", beginning with a letter or digit.'
  return RESERVED_NAMES.includes(name.toLowerCase()) ? `The name "${name}" is reserved. Choose another one.` : undefined
}
