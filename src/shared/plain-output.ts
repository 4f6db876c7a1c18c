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
/** Matches only from the first carriage return of a run: from each of them, a long run would take quadratic time. */
const LINE_END = /(?<!\r)\r+\n/g
/** The Unicode symbol for NUL. The symbols for the other control characters follow in the order of their codes. */
const FIRST_CONTROL_PICTURE = 0x2400
const DELETE_PICTURE = '\u2421'

/** The output of a command as plain text: without colours, and with only the last state of a progress bar. */
export function toPlainOutput(text: string): string {
  const withoutSequences = text.replace(ESCAPE_SEQUENCES, '')
  const lines = withoutSequences.includes('\r')
    ? withoutSequences.replace(LINE_END, '\n').split('\n').map(findLastState).join('\n')
    : withoutSequences
  return showControlCharacters(lines.includes('\b') ? removeOverstrikes(lines) : lines)
}

function findLastState(line: string): string {
  if (!line.includes('\r')) return line
  return line.split('\r').findLast((state) => state.trim() !== '') ?? ''
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

/** Other control characters are made visible, because they may matter and some receivers refuse them. */
function showControlCharacters(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (character) =>
    character === '\u007f' ? DELETE_PICTURE : String.fromCharCode(FIRST_CONTROL_PICTURE + character.charCodeAt(0)),
  )
}
