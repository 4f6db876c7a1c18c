import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { MemberStatus, TeamMember } from '../../contract/ports/teams.js'
import { isRecord } from '../../shared/is-record.js'
import { withFileLock } from '../../system/file-lock.js'
import { hasEnded } from '../../system/processes/process-identity.js'
import { readRegularText } from '../../system/read-regular-file.js'
import { writeFileAtomically } from '../../system/write-file-atomically.js'

/** A member as the file of its team describes it. */
export interface MemberRecord extends Omit<TeamMember, 'status' | 'unreadCount'> {
  /** The process in which the member works; empty if that has closed its session. */
  readonly process: string
  readonly isIdle: boolean
}

/** The content of a team's file. */
export interface TeamRecord {
  readonly name: string
  readonly description: string
  readonly members: readonly MemberRecord[]
}

const MAX_TEAM_BYTES = 1024 * 1024
/** Teams that nobody used for longer are removed when another team is created. */
const MAX_TEAM_AGE_MS = 30 * 24 * 60 * 60 * 1000

/** The file of one team. Its folder also contains the mailboxes. */
export class TeamFile {
  readonly folder: string
  readonly #file: string
  readonly #isDurable: boolean

  constructor(folder: string, isDurable: boolean) {
    this.folder = folder
    this.#file = join(folder, 'team.json')
    this.#isDurable = isDurable
  }

  get exists(): boolean {
    return existsSync(this.#file)
  }

  /** Undefined if the team does not exist. Throws if its file is damaged: no part of it is guessed. */
  read(): TeamRecord | undefined {
    const read = readRegularText(this.#file, { maxBytes: MAX_TEAM_BYTES })
    if (read.kind === 'absent') return undefined
    const team = read.kind === 'found' ? parseTeam(read.content) : undefined
    if (team === undefined) throw refuse(`The team file ${this.#file} cannot be read. Move it away.`)
    return team
  }

  /** Reads, changes and writes the file under its lock. If the change returns undefined, nothing is written. */
  change(compute: (team: TeamRecord | undefined) => TeamRecord | undefined): Promise<TeamRecord | undefined> {
    return withFileLock(this.#file, async (checkLockHeld) => {
      const team = compute(this.read())
      if (team === undefined) return undefined
      await writeFileAtomically(this.#file, `${JSON.stringify(team)}\n`, {
        mode: 0o600,
        isDurable: this.#isDurable,
        beforeRename: checkLockHeld,
      })
      return team
    })
  }

  mailboxPath(name: string): string {
    return join(this.folder, `${name.toLowerCase()}.mail.jsonl`)
  }

  /** Removes the messages first: what is left if the process is killed in between is removed with the next use of the name. */
  removeMailbox(name: string): void {
    for (const path of [this.mailboxPath(name), `${this.mailboxPath(name)}.delivered`]) rmSync(path, { force: true })
  }

  /** Removes the file first: without it, other processes see that the team is deleted. */
  delete(): void {
    rmSync(this.#file, { force: true })
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Lists the folders of all teams of a project. */
export function listTeamFolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    // There are no teams yet.
    return []
  }
}

/** Removes teams that nobody used for a month and whose processes have ended. */
export function removeOldTeams(folder: string): void {
  for (const path of listTeamFolders(folder)) {
    const usedAt = statSync(join(path, 'team.json'), { throwIfNoEntry: false })?.mtimeMs
    if (usedAt === undefined || Date.now() - usedAt < MAX_TEAM_AGE_MS) continue
    const team = new TeamFile(path, false)
    try {
      if (!isRunning(team.read())) team.delete()
    } catch {
      // A damaged file may still be recovered by hand.
    }
  }
}

/** Whether a process works with the team. */
export function isRunning(team: TeamRecord | undefined): boolean {
  return team?.members.some((member) => statusOf(member) !== 'away') === true
}

export function statusOf({ process, isIdle }: MemberRecord): MemberStatus {
  if (process === '' || hasEnded(process)) return 'away'
  return isIdle ? 'idle' : 'working'
}

export function refuse(message: string): ToolCallError {
  return new ToolCallError('tool_failed', message)
}

function parseTeam(text: string): TeamRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value) || !Array.isArray(value.members) || !value.members.every(isMember)) return undefined
  const { name, description, members } = value
  return typeof name === 'string' && typeof description === 'string' ? { name, description, members } : undefined
}

function isMember(value: unknown): value is MemberRecord {
  if (!isRecord(value)) return false
  const { name, session, process, agentId = '', kind = '', description = '' } = value
  return (
    [name, session, process, agentId, kind, description].every((text) => typeof text === 'string') &&
    (value.role === 'lead' || value.role === 'teammate') &&
    typeof value.isIdle === 'boolean'
  )
}
