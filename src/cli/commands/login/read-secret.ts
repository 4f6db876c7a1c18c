import { EXIT, ExitError } from '../../io/exit.js'
import { writeError } from '../../io/standard-output.js'

const END = new Set(['\r', '\n', '\x04'])
const ERASE = new Set(['\x7f', '\b'])

/** Reads a line from the terminal without showing it. */
export async function readSecret(question: string): Promise<string> {
  const { stdin } = process
  writeError(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let secret = ''
  try {
    for await (const chunk of stdin)
      for (const character of String(chunk)) {
        if (character === '\x03') throw new ExitError(EXIT.interrupted, 'interrupted; nothing was stored.')
        if (END.has(character)) return secret
        secret = ERASE.has(character) ? secret.slice(0, -1) : secret + character
      }
    return secret
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    writeError('\n')
  }
}
