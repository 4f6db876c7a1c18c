import { randomUUID } from 'node:crypto'

/** Letters that are safe in a file name everywhere, and cannot lead out of a folder. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

export function newSessionId(): string {
  return randomUUID()
}

export function isSessionId(text: string): boolean {
  return PLAIN.test(text)
}
