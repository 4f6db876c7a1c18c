import { plainWords } from './plain-words.js'
import { isPlainSedScript } from './sed-script.js'

/** A `sed -i` of one file that can be shown before it is done, because all it does is replace and delete text. */
export interface SedEdit {
  readonly file: string
  /** All arguments but `-i` and the file. */
  readonly args: readonly string[]
}

/** Takes apart `sed -i 's/a/b/' file`; undefined for any form that may do more, which is then a command like any other. */
export function parseSedEdit(command: string): SedEdit | undefined {
  const [program, ...words] = plainWords(command.trim()) ?? []
  if (program !== 'sed') return undefined
  const { isInPlace, flags, scripts, operands } = takeOptions(words) ?? {}
  if (isInPlace !== true || flags === undefined || scripts === undefined || operands === undefined) return undefined
  const [first, ...others] = operands
  const all = scripts.length > 0 ? scripts : first === undefined ? [] : [first]
  const files = scripts.length > 0 ? operands : others
  const [file] = files
  if (file === undefined || files.length !== 1 || !isOrdinaryName(file)) return undefined
  if (all.length === 0 || !all.every(isPlainSedScript)) return undefined
  return { file, args: [...flags, ...all.flatMap((script) => ['-e', script])] }
}

interface SedOptions {
  readonly isInPlace: boolean
  readonly flags: readonly string[]
  readonly scripts: readonly string[]
  readonly operands: readonly string[]
}

/** What each word without a value stands for; `-Ei` is both, while `-iE` is a copy of the file under another name. */
const PLAIN_OPTION = /^-(?:-in-place|-regexp-extended|[Ern]*i|[Ern]+)$/

/** Options come first here: whether they may come later depends on the environment. */
function takeOptions(words: readonly string[]): SedOptions | undefined {
  let isInPlace = false
  const flags: string[] = []
  const scripts: string[] = []
  let at = 0
  for (let word = words[at]; word !== undefined; word = words[at]) {
    if (word === '-e') scripts.push(words[++at] ?? '')
    else if (PLAIN_OPTION.test(word)) {
      isInPlace ||= word.endsWith('i') || word === '--in-place'
      flags.push(...flagsIn(word))
    } else break
    at += 1
  }
  const isEnded = words[at] === '--'
  const operands = words.slice(isEnded ? at + 1 : at)
  const isMixed = !isEnded && operands.some((operand) => operand.startsWith('-'))
  return isMixed ? undefined : { isInPlace, flags, scripts, operands }
}

function flagsIn(word: string): readonly string[] {
  if (word.startsWith('--')) return word === '--regexp-extended' ? ['-E'] : []
  return [...word.slice(1)].filter((letter) => letter !== 'i').map((letter) => (letter === 'n' ? '-n' : '-E'))
}

/** A name that begins with two slashes may be on another machine, which must not be touched before anybody was asked. */
function isOrdinaryName(file: string): boolean {
  return file !== '' && !file.startsWith('-') && !/^[\\/]{2}/.test(file) && !file.includes('\n')
}
