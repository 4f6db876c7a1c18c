import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  ALL_MEMBERS,
  LEAD_NAME,
  MAX_TEAM_MESSAGE_CHARS,
  type NewTeamMessage,
  type NewTeammate,
  type SentMessage,
  TEAM_NAME,
  type Team,
  type TeamInbox,
  type TeamMessage,
  type TeamsPort,
} from '../../contract/ports/teams.js'
import { quote } from '../../shared/quote.js'
import { makeFolder } from '../../system/make-folder.js'
import { formatIdentity } from '../../system/processes/process-identity.js'
import { Mailbox } from './mailbox.js'
import { OpenInbox } from './open-inbox.js'
import {
  isRunning,
  listTeamFolders,
  type MemberRecord,
  refuse,
  removeOldTeams,
  statusOf,
  TeamFile,
  type TeamRecord,
} from './team-file.js'
import {
  addMember,
  chooseRecipients,
  createUndeliveredError,
  isSameName,
  listNames,
  MAX_UNREAD_MESSAGES,
  removeMembers,
  requireTeammateName,
  updateMember,
} from './team-members.js'

export interface TeamsOptions {
  /** The folder of the project's teams. It belongs to the user, not to the project. */
  readonly folder: string
  readonly session: string
  /** Whether changes of teams must survive a power failure. Messages always do. Default: false. */
  readonly isDurable?: boolean | undefined
}

/** How often messages of other processes are looked for. Those of this process are noticed at once. */
const POLL_MS = 200
/** How old the team for display may be. */
const MAX_DISPLAY_AGE_MS = 1_000

/** The teams of a project, in files. */
export function createTeams(options: TeamsOptions): TeamsPort {
  return new Teams(options)
}

class Teams implements TeamsPort {
  readonly #options: TeamsOptions
  readonly #inboxes = new Map<string | undefined, OpenInbox>()
  readonly #mailboxes = new Map<string, Mailbox>()
  readonly #listeners = new Set<() => void>()
  #file: TeamFile | undefined
  #search: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #recentTeam: Team | undefined
  #readAt = 0
  #isClosed = false

  constructor(options: TeamsOptions) {
    this.#options = options
  }

  async current(): Promise<Team | undefined> {
    await this.open(undefined)
    const team = this.#file?.read()
    this.#recentTeam = team && this.#describe(team)
    this.#readAt = Date.now()
    return this.#recentTeam
  }

  async open(agentId: string | undefined): Promise<TeamInbox | undefined> {
    this.#search ??= this.#resume().catch((error) => {
      // The next call tries again.
      this.#search = undefined
      throw error
    })
    await this.#search
    const inbox = this.#inboxes.get(agentId)
    return inbox?.ended.aborted === false ? inbox : undefined
  }

  /** Finds the team of a resumed session. */
  async #resume(): Promise<void> {
    const { folder, session } = this.#options
    for (const path of listTeamFolders(folder)) {
      const file = this.#openFile(path)
      const member = tryRead(file)?.members.find((other) => other.session === session && other.agentId === undefined)
      if (member === undefined) continue
      await this.#enter(file, member)
      return
    }
  }

  async create({ name, description = '', as }: Parameters<TeamsPort['create']>[0]): Promise<Team> {
    if (!TEAM_NAME.test(name))
      throw refuse(
        `${quote(name)} cannot be the name of a team. Use up to 48 letters, digits, "-" and "_", beginning with a letter or digit.`,
      )
    const ownTeam = await this.current()
    if (ownTeam !== undefined)
      throw refuse(`This session belongs to the team "${ownTeam.name}". Delete or leave it first with TeamDelete.`)
    removeOldTeams(this.#options.folder)
    const file = this.#openFile(join(this.#options.folder, name.toLowerCase()))
    const existing = file.read()
    if (existing === undefined) return this.#found({ name, description, as })
    if (as !== undefined) return this.#join(file, as)
    if (!isRunning(existing)) return this.#found({ name: this.#chooseFreeName(name), description, as })
    throw refuse(
      `The team "${existing.name}" exists already. Members: ${listNames(existing.members)}. To join it, call TeamCreate with the name that you want to have in it; otherwise choose another team_name.`,
    )
  }

  async #found({ name, description, as = LEAD_NAME }: { name: string; description: string; as: string | undefined }) {
    if (as !== LEAD_NAME) requireTeammateName(as)
    const file = this.#openFile(join(this.#options.folder, name.toLowerCase()))
    makeFolder(file.folder)
    const lead = this.#createMember({ name: as, role: 'lead' })
    this.#openMailbox(file, as).create()
    await file.change((existing) => {
      if (existing !== undefined) throw refuse(`The team "${name}" was just created by another session. Try again.`)
      return { name, description, members: [lead] }
    })
    await this.#enter(file, lead)
    return this.#requireTeam()
  }

  async #join(file: TeamFile, as: string): Promise<Team> {
    requireTeammateName(as)
    const member = this.#createMember({ name: as, role: 'teammate' })
    this.#openMailbox(file, as).create()
    await file.change((team) => addMember(team, member))
    await this.#enter(file, member)
    return this.#requireTeam()
  }

  #chooseFreeName(name: string): string {
    for (let number = 2; ; number++) {
      const candidate = `${name.slice(0, 40)}-${number}`
      if (!this.#openFile(join(this.#options.folder, candidate.toLowerCase())).exists) return candidate
    }
  }

  async addTeammate({ name, ...teammate }: NewTeammate): Promise<TeamInbox> {
    requireTeammateName(name)
    if ((await this.current()) === undefined)
      await this.create({ name: `team-${this.#options.session.replace(/[^a-zA-Z0-9]/g, '').slice(0, 8)}` })
    const file = this.#requireFile()
    const member = this.#createMember({ name, role: 'teammate', ...teammate })
    this.#openMailbox(file, name).create()
    await file.change((team) => addMember(team && withoutEarlier(team, member), member))
    return this.#enter(file, member)
  }

  /** Opens the mailbox of a member that works in this process from now on. */
  async #enter(file: TeamFile, { name, agentId }: MemberRecord): Promise<OpenInbox> {
    this.#file = file
    const team = await file.change(
      (record) => record && updateMember(record, name, { process: formatIdentity(), isIdle: false }),
    )
    const mailbox = this.#openMailbox(file, name)
    const lead = team?.members.find(({ role }) => role === 'lead')?.name ?? LEAD_NAME
    const setStatus = async (status: 'working' | 'idle') => {
      if (this.#isClosed || inbox.ended.aborted) return
      await file.change((record) => record && updateMember(record, name, { isIdle: status === 'idle' }))
    }
    const inbox = new OpenInbox({
      ...{ name, mailbox, lead, setStatus, team: team?.name ?? '' },
      reportIdle: async (text) => {
        await this.send({ id: createMessageId(), to: lead, kind: 'idle', text }, agentId)
        await setStatus('idle')
      },
      leave: () => this.#leave(inbox, agentId),
      onWaiting: () => this.#timer?.ref(),
    })
    this.#inboxes.set(agentId, inbox)
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS)
    this.#poll()
    return inbox
  }

  async #leave(inbox: OpenInbox, agentId: string | undefined): Promise<void> {
    if (this.#isClosed || inbox.ended.aborted) return
    inbox.end()
    this.#inboxes.delete(agentId)
    const file = this.#requireFile()
    await file.change((team) => team && removeMembers(team, [inbox.name]))
    file.removeMailbox(inbox.name)
    this.#mailboxes.delete(file.mailboxPath(inbox.name))
  }

  async send(message: NewTeamMessage, agentId: string | undefined): Promise<SentMessage> {
    const sender = await this.open(agentId)
    const team = sender && this.#requireFile().read()
    if (sender === undefined || team === undefined)
      throw refuse(
        agentId === undefined
          ? 'This session has no team. Create one with TeamCreate, or give Agent a name to start a teammate.'
          : 'Only members of a team can send messages. Return what you want to say as your last message.',
      )
    const { id, to, text } = message
    if (text.length > MAX_TEAM_MESSAGE_CHARS)
      throw refuse(
        `The message has ${text.length} characters, and at most ${MAX_TEAM_MESSAGE_CHARS} can be sent. Write the text to a file and send its path.`,
      )
    const fullNames: string[] = []
    const sentTo: SentMessage['recipients'][number][] = []
    for (const member of chooseRecipients(team, sender.name, to)) {
      const mailbox = this.#openMailbox(this.#requireFile(), member.name)
      const earlierMail = mailbox.listUnread().filter(({ from }) => isSameName(from, sender.name))
      const outcome = await deliver(mailbox, message, { team: team.name, from: sender.name, to: member.name })
      if (outcome === 'full') fullNames.push(member.name)
      else if (outcome !== 'absent')
        sentTo.push({
          ...{ name: member.name, status: statusOf(member) },
          unreceivedIds: earlierMail.flatMap((other) => (other.id === id ? [] : [other.id])),
        })
      this.#notify(member.name)
    }
    if (fullNames.length > 0 || sentTo.length === 0) throw createUndeliveredError(fullNames, sentTo, to)
    return { id, recipients: sentTo }
  }

  async delete({ stopsMembers }: { readonly stopsMembers: boolean }): ReturnType<TeamsPort['delete']> {
    const own = await this.open(undefined)
    for (const inbox of [...this.#inboxes.values()]) await inbox.waitForReport()
    const team = await this.current()
    if (own === undefined || team === undefined) throw refuse('This session has no team.')
    const file = this.#requireFile()
    const isLead = isSameName(own.lead, own.name)
    const affected = team.members.filter(({ session }) => isLead || session === this.#options.session)
    const working = affected.filter(({ name, status }) => status === 'working' && !isSameName(name, own.name))
    if (working.length > 0 && !stopsMembers)
      throw refuse(
        `These teammates are still working: ${listNames(working)}. Wait for their messages, or call TeamDelete with stop_members to stop them.`,
      )
    // Aborts the signals of the inboxes, which end the teammates of this process. Others see that the file is gone.
    this.#endInboxes()
    if (isLead) file.delete()
    else {
      const names = affected.map(({ name }) => name)
      await file.change((record) => record && removeMembers(record, names))
      for (const name of names) file.removeMailbox(name)
    }
    this.#recentTeam = undefined
    return { team, hasLeft: !isLead }
  }

  showRecent(): Team | undefined {
    if (this.#file !== undefined && Date.now() - this.#readAt > MAX_DISPLAY_AGE_MS) {
      this.#readAt = Date.now()
      // Only for display: the next call of a tool reports why the team cannot be read.
      this.current().catch(() => undefined)
    }
    return this.#recentTeam
  }

  get hasMail(): boolean {
    return this.#inboxes.get(undefined)?.hasMail === true
  }

  onMail(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#timer)
    const names = Array.from(this.#inboxes.values(), ({ name }) => name)
    if (names.length === 0) return
    const setAway = (team: TeamRecord | undefined) =>
      team && names.reduce((record, name) => updateMember(record, name, { process: '' }), team)
    // If this fails, the other processes see that this one has ended.
    await this.#file?.change(setAway).catch(() => undefined)
  }

  /** Looks for messages of other processes, and whether the team still exists. */
  #poll(): void {
    if (this.#file?.exists !== true) this.#endInboxes()
    for (const inbox of this.#inboxes.values()) inbox.notify()
    this.#announceMail()
    const isAwaited = [...this.#inboxes.values()].some((inbox) => inbox.isAwaited)
    if (isAwaited) this.#timer?.ref()
    else this.#timer?.unref()
  }

  #notify(name: string): void {
    for (const inbox of this.#inboxes.values()) if (isSameName(inbox.name, name)) inbox.notify()
    this.#announceMail()
  }

  /** Tells the listeners once about each message: a session that must not continue now would be woken at each poll. */
  #announceMail(): void {
    if (this.#inboxes.get(undefined)?.hasNewMail() === true) for (const listener of this.#listeners) listener()
  }

  #endInboxes(): void {
    for (const inbox of this.#inboxes.values()) inbox.end()
    this.#inboxes.clear()
    this.#mailboxes.clear()
    this.#file = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #createMember(member: Pick<MemberRecord, 'name' | 'role'> & Partial<MemberRecord>): MemberRecord {
    return { ...member, session: this.#options.session, process: formatIdentity(), isIdle: false }
  }

  #describe({ name, description, members }: TeamRecord): Team {
    const file = this.#requireFile()
    const toMember = ({ process, isIdle, ...member }: MemberRecord) => ({
      ...member,
      status: statusOf({ process, isIdle, ...member }),
      unreadCount: this.#openMailbox(file, member.name).unreadCount,
    })
    return { name, description, members: members.map(toMember) }
  }

  async #requireTeam(): Promise<Team> {
    const team = await this.current()
    if (team === undefined) throw refuse('The team was deleted by another session.')
    return team
  }

  #requireFile(): TeamFile {
    if (this.#file === undefined) throw refuse('The team was deleted by another session.')
    return this.#file
  }

  #openFile(folder: string): TeamFile {
    return new TeamFile(folder, this.#options.isDurable ?? false)
  }

  #openMailbox(file: TeamFile, name: string): Mailbox {
    const path = file.mailboxPath(name)
    const mailbox = this.#mailboxes.get(path) ?? new Mailbox(path, this.#options.isDurable ?? false)
    this.#mailboxes.set(path, mailbox)
    return mailbox
  }
}

function deliver(
  mailbox: Mailbox,
  { id, to, text, kind = 'message', summary }: NewTeamMessage,
  address: Pick<TeamMessage, 'team' | 'from' | 'to'>,
): ReturnType<Mailbox['append']> {
  const mail = {
    ...{ id, ...address, kind, text, at: Date.now() },
    ...(summary !== undefined && { summary }),
    ...(to === ALL_MEMBERS && { isBroadcast: true as const }),
  }
  // The last text of a teammate must not get lost.
  return mailbox.append(mail, kind === 'idle' ? Number.POSITIVE_INFINITY : MAX_UNREAD_MESSAGES)
}

/** A teammate whose process has ended is replaced by one with its name, which gets the messages that wait for it. */
function withoutEarlier(team: TeamRecord, { name, session }: MemberRecord): TeamRecord {
  const earlier = team.members.find((member) => member.session === session && isSameName(member.name, name))
  return earlier !== undefined && statusOf(earlier) === 'away' ? removeMembers(team, [name]) : team
}

function createMessageId(): string {
  return `msg_${randomBytes(6).toString('hex')}`
}

/** A damaged file of another team must not keep this session from starting. */
function tryRead(file: TeamFile): TeamRecord | undefined {
  try {
    return file.read()
  } catch {
    return undefined
  }
}
