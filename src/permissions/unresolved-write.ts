import type { CallFacts } from './call-facts.js'
import { protectedMention } from './protected-files.js'

/** Output to nowhere, or from one open stream to another, writes no file. */
const HARMLESS = /(?:\d|&)?>>?\s*\/dev\/null(?=[\s;|&)]|$)|\d?>&\d(?=[\s;|&)]|$)/g
const WRITES = />|\btee\b/
/** A hidden name that is not all there yet, as `~/.bash*`. */
const HALF_A_NAME = /(?:^|[\s/=])\.[\w.-]*[*?[{$`]/

/**
 * Says why a command that was not understood must be asked about whatever allows it: nobody can tell what it writes,
 * so writing at all, or the name of a protected file, is enough.
 */
export function unresolvedWrite({ command, areFilesUnknown, input, place }: CallFacts): string | undefined {
  if (command === undefined || !areFilesUnknown) return undefined
  const text = (command.text.trim() === '' ? textsIn(input) : command.text).replace(HARMLESS, ' ')
  const mention = protectedMention(text, place.protectedPaths)
  if (mention !== undefined) return `the command is not understood and names ${mention}`
  if (HALF_A_NAME.test(text)) return 'the command is not understood and may name a protected file'
  return WRITES.test(text) ? 'the command is not understood and writes a file' : undefined
}

/** Every text of an input whose command stands under a name that nobody knows. */
function textsIn(input: unknown): string {
  const texts: string[] = []
  JSON.stringify(input, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts.join('\n')
}
