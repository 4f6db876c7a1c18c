import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { toSafeFileName } from '../../../results/result-file.js'
import { toPrintable } from '../../../shared/printable.js'
import { toProjectFolderName } from '../../../shared/project-folder-name.js'
import { SessionError } from './session-error.js'

const TRANSCRIPT_EXTENSION = '.jsonl'

/** Returns the folder of all sessions of a user, with a subfolder for each project. */
export function getProjectsRoot(home: string): string {
  return join(realPathOf(home), '.haft', 'projects')
}

/** Returns the folder of a project's sessions. It is in the user's home, not in the project. */
export function getProjectFolder(home: string, projectRoot: string): string {
  return join(getProjectsRoot(home), toProjectFolderName(projectRoot))
}

/** The paths of one session: its transcript, and a folder beside it for long results and sub-agents. */
export class SessionPaths {
  readonly folder: string
  readonly id: string

  constructor(folder: string, id: string) {
    if (!isSessionId(id))
      throw new SessionError(
        'bad_id',
        `"${toPrintable(id.slice(0, 100))}" is not a valid session id. Use up to 100 letters, digits, - and _.`,
      )
    this.folder = folder
    this.id = id
  }

  /** Returns the paths of the session whose transcript has this path, in any folder. */
  static fromFile(path: string): SessionPaths {
    const name = basename(path)
    const id = name.endsWith(TRANSCRIPT_EXTENSION) ? name.slice(0, -TRANSCRIPT_EXTENSION.length) : name
    return new SessionPaths(realPathOf(dirname(resolve(path))), id)
  }

  get transcript(): string {
    return join(this.folder, `${this.id}${TRANSCRIPT_EXTENSION}`)
  }

  get lock(): string {
    return join(this.folder, `${this.id}.lock`)
  }

  /** Marker file that exists while some lines could not be written to the transcript. */
  get gap(): string {
    return join(this.folder, `${this.id}.gap`)
  }

  /** The folder beside the transcript, for long results and sub-agents. */
  get attached(): string {
    return join(this.folder, this.id)
  }

  /**
   * Returns the folder for long results. A fork uses the folder of its original, because messages refer to the files by path.
   */
  resultsFolderOf(owner = this.id): string {
    return join(this.folder, isSessionId(owner) ? owner : this.id, 'results')
  }

  agentPathOf(agentId: string): string {
    return join(this.attached, 'agents', `${toSafeFileName(agentId)}${TRANSCRIPT_EXTENSION}`)
  }
}

/** Returns the session id from the name of a transcript file. Undefined for other files. */
export function parseTranscriptId(name: string): string | undefined {
  if (!name.endsWith(TRANSCRIPT_EXTENSION)) return undefined
  const id = name.slice(0, -TRANSCRIPT_EXTENSION.length)
  return isSessionId(id) ? id : undefined
}

/** Returns the real path of a folder. Permission rules compare real paths, so session paths must not contain symbolic links. */
function realPathOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    // The folder does not exist yet, so it cannot be resolved.
    return folder
  }
}

/** Allows only characters that are safe in file names on every platform, and none that separate folders. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

export function createSessionId(): string {
  return randomUUID()
}

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text)
}
