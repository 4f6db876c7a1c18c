import { open } from 'node:fs/promises'
import type { ListedSession } from '../../session/transcript/read/list-sessions.js'

const CHUNK_BYTES = 1024 * 1024
/** Characters around a match that are shown. */
const EXCERPT_CHARS = 80

/** A session that contains the text. */
export interface FoundSession {
  readonly id: string
  /** Undefined if only the title matches. */
  readonly excerpt: string | undefined
}

/**
 * Finds the sessions whose transcript contains a text, in any letter case. Names of tools are part of the transcript too.
 * Files are read in pieces, so that long sessions neither block the process nor fill its memory.
 */
export async function searchSessions(
  sessions: readonly ListedSession[],
  query: string,
  signal: AbortSignal,
): Promise<readonly FoundSession[]> {
  // The transcript contains the text as JSON.
  const needle = JSON.stringify(query).slice(1, -1).toLowerCase()
  const found: FoundSession[] = []
  for (const { id, path, title = '' } of sessions) {
    if (signal.aborted) break
    const excerpt = await findInFile(path, needle, signal).catch(() => undefined)
    if (excerpt !== undefined || title.toLowerCase().includes(query.toLowerCase())) found.push({ id, excerpt })
  }
  return found
}

async function findInFile(path: string, needle: string, signal: AbortSignal): Promise<string | undefined> {
  const handle = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    let previousEnd = ''
    for (let at = 0; !signal.aborted; ) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at)
      if (bytesRead === 0) return undefined
      // A character that is cut at the border is only lost in the excerpt.
      const text = previousEnd + buffer.toString('utf8', 0, bytesRead)
      const index = text.toLowerCase().indexOf(needle)
      if (index !== -1) return text.slice(Math.max(0, index - EXCERPT_CHARS), index + needle.length + EXCERPT_CHARS)
      previousEnd = text.slice(-needle.length)
      at += bytesRead
    }
    return undefined
  } finally {
    await handle.close()
  }
}
