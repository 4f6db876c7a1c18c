import type { TranscriptEntry } from './transcript-entry.js'

/** An entry on one line. Throws for what JSON cannot hold. */
export function entryLine(entry: TranscriptEntry): string {
  const line = JSON.stringify(entry)
  // Some readers of lines take these for the end of one.
  return line.includes('\u2028') || line.includes('\u2029') ? line.replace(/[\u2028\u2029]/g, escaped) : line
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`
}
