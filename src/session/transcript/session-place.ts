import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { safeFileName } from '../../results/result-file.js'
import { contentHash } from '../../shared/content-hash.js'
import { printable } from '../../shared/printable.js'
import { SessionError } from './session-error.js'

const ENDING = '.jsonl'

/** Where all sessions of a user are, a folder for each project. */
export function projectsRoot(home: string): string {
  return join(realOf(home), '.haft', 'projects')
}

/** Where the sessions of a project are kept: with the user, not with the project. */
export function projectFolder(home: string, projectRoot: string): string {
  const name = basename(projectRoot)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60)
  return join(projectsRoot(home), `${name}-${contentHash(Buffer.from(projectRoot)).slice(0, 16)}`)
}

/** The files of one session: its transcript, and beside it a folder with what does not belong into lines. */
export class SessionPlace {
  readonly folder: string
  readonly id: string

  constructor(folder: string, id: string) {
    if (!isSessionId(id)) throw new SessionError('bad_id', `"${printable(id.slice(0, 100))}" is no id of a session.`)
    this.folder = folder
    this.id = id
  }

  /** Of a transcript that lies anywhere. */
  static ofFile(path: string): SessionPlace {
    const name = basename(path)
    const id = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : name
    return new SessionPlace(realOf(dirname(resolve(path))), id)
  }

  get transcript(): string {
    return join(this.folder, `${this.id}${ENDING}`)
  }

  get lock(): string {
    return join(this.folder, `${this.id}.lock`)
  }

  /** Is there while lines are known that could not be written. */
  get gap(): string {
    return join(this.folder, `${this.id}.gap`)
  }

  get attached(): string {
    return join(this.folder, this.id)
  }

  /** Where long results go; those of a fork with the session it came from, because messages name the files. */
  results(owner = this.id): string {
    return join(this.folder, isSessionId(owner) ? owner : this.id, 'results')
  }

  agent(agentId: string): string {
    return join(this.attached, 'agents', `${safeFileName(agentId)}${ENDING}`)
  }
}

/** The id that a file of a project's folder is the transcript of. */
export function transcriptId(name: string): string | undefined {
  if (!name.endsWith(ENDING)) return undefined
  const id = name.slice(0, -ENDING.length)
  return isSessionId(id) ? id : undefined
}

/** Rules judge real paths, and what they are to let through has to have one. */
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    // It is not there yet, and then it is no link.
    return folder
  }
}

/** Characters that are safe in a file name everywhere, and cannot lead out of a folder. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

export function newSessionId(): string {
  return randomUUID()
}

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text)
}
