import { reachOf } from '../contract/tool/reach.js'
import type { CallFacts } from './call-facts.js'
import { protectedMention } from './protected-files.js'

/** Output to nowhere, or from one open stream to another, writes no file. */
const HARMLESS = /(?:\d|&)?>>?\s*\/dev\/null(?=[\s;|&)]|$)|\d?>&\d(?=[\s;|&)]|$)/g
const WRITES = />|\btee\b/
/** A key as `<Enter>` or `<C-c>`: none of them types a sign that a shell writes by, and one that does not exist is refused. */
const KEY = /^<(?:[A-Za-z0-9]+|[CMS]-[^>]+)>$/
/** A hidden name that is not all there yet, as `~/.bash*`. */
const HALF_A_NAME = /(?:^|[\s/=])\.[\w.-]*[*?[{$`]/

/**
 * Says why a command that was not understood must be asked about whatever allows it: nobody can tell what it writes,
 * so writing at all, or the name of a protected file, is enough.
 */
export function unresolvedWrite({ command, areFilesUnknown, input, place, tool }: CallFacts): string | undefined {
  if (command === undefined || !areFilesUnknown) return undefined
  const typesKeys = reachOf(tool).typesKeystrokes
  const isPlain = (text: string) => !typesKeys || !KEY.test(text)
  const whole = command.text.trim() === '' ? textsIn(input).filter(isPlain).join('\n') : command.text
  const text = whole.replace(HARMLESS, ' ')
  const mention = protectedMention(text, place.protectedPaths)
  if (mention !== undefined) return `the command is not understood and names ${mention}`
  if (HALF_A_NAME.test(text)) return 'the command is not understood and may name a protected file'
  return WRITES.test(text) ? 'the command is not understood and writes a file' : undefined
}

/** Every text of an input whose command stands under a name that nobody knows. */
function textsIn(input: unknown): readonly string[] {
  const texts: string[] = []
  JSON.stringify(input, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts
}
