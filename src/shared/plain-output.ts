/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: this file removes control characters */

/** Terminal escape sequences. An unterminated sequence extends to the end of its line. */
const ESCAPE_SEQUENCES = new RegExp(
  [
    '\u001b[\\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\\\|\u009c)?',
    '(?:\u001b\\[|\u009b)[0-?]*[ -/]*[@-~]?',
    '\u001b[ -/]+[0-~]',
    '\u001b[0-~]',
  ].join('|'),
  'g',
)
/** The Unicode symbol for NUL. The symbols for the other control characters follow in the order of their codes. */
const FIRST_CONTROL_PICTURE = 0x2400
const DELETE_PICTURE = 0x2421
const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d

/** Longer texts, which only MCP servers send, are cleaned in a single pass: the event loop must not wait for more. */
const MAX_CLEANED_CHARS = 2_000_000

/** Returns the output of a command as plain text: without colours, and with only the last state of a progress bar. */
export function toPlainOutput(text: string): string {
  if (text.length > MAX_CLEANED_CHARS) return showControlCharacters(text)
  const withoutSequences = text.replace(ESCAPE_SEQUENCES, '')
  const lines = withoutSequences.includes('\r')
    ? withoutSequences.split('\n').map(findLastState).join('\n')
    : withoutSequences
  return showControlCharacters(lines.includes('\b') ? removeOverstrikes(lines) : lines)
}

/** Returns the last state of a line. Searches backwards, because a line can have millions of states. */
function findLastState(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end--
  if (!line.slice(0, end).includes('\r')) return line.slice(0, end)
  for (let start = end; end > 0; end = start) {
    start = line.lastIndexOf('\r', end - 1)
    const state = line.slice(start + 1, end)
    if (state.trim() !== '') return state
    if (start === -1) break
  }
  return ''
}

/** Removes characters that a backspace deletes: manual pages print each bold letter twice, with a backspace between. */
function removeOverstrikes(text: string): string {
  const characters: string[] = []
  for (const character of text) {
    if (character !== '\b') characters.push(character)
    else if (characters.at(-1) !== '\n') characters.pop()
  }
  return characters.join('')
}

/**
 * Makes other control characters visible, because they may matter and some receivers refuse them. Carriage returns become line
 * breaks.
 */
function showControlCharacters(text: string): string {
  if (!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return text
  // A replacement of each character by a pattern takes 30 times as long, and binary output has millions of them.
  const units = Buffer.from(text, 'utf16le')
  const codes = new Uint16Array(units.buffer, units.byteOffset, text.length)
  let length = 0
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0
    if (code === RETURN && codes[index + 1] === NEWLINE) continue
    codes[length++] = toVisibleCode(code)
  }
  return units.toString('utf16le', 0, length * 2)
}

function toVisibleCode(code: number): number {
  if (code === 0x7f) return DELETE_PICTURE
  if (code >= 0x20 || code === TAB || code === NEWLINE) return code
  return code === RETURN ? NEWLINE : FIRST_CONTROL_PICTURE + code
}
