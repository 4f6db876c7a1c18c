import type { CommandWord } from '../../contract/command.js'
import { toKnownWord } from '../words/shell-word.js'
import type { CommandPattern } from './command-pattern.js'
import { familyOf, isSameOption } from './option-names.js'

type Argv = readonly CommandWord[]

/** Returns other commands that do the same as this one, or that it includes: `npm run test` for `npm test`. */
export function listOtherSpellings(argv: Argv): readonly Argv[] {
  const [program, ...args] = argv
  if (program === undefined) return []
  const name = familyOf(program.text.slice(program.text.lastIndexOf('/') + 1).toLowerCase())
  if (name === 'tar') return [[program, ...withDash(args)]]
  if (name === 'make') return [[program, ...args.map(toTarget)]]
  if (name === 'git') return listGitSpellings(argv)
  return PACKAGE_MANAGERS.has(name) ? listScriptSpellings(argv) : []
}

/** Adds the dash that `tar` allows to omit: `tar -xf` for `tar xf`. */
function withDash([first, ...others]: Argv): Argv {
  if (first === undefined || !/^[A-Za-z]+$/.test(first.text)) return first === undefined ? [] : [first, ...others]
  return [{ ...first, text: `-${first.text}`, knownLength: first.knownLength + 1 }, ...others]
}

/** Returns a rule in which option letters have a dash: `tar -xf` for `tar xf`. */
export function withOptionDash(pattern: CommandPattern): CommandPattern {
  const [program, first, ...others] = pattern.words
  const isBundle = familyOf(program?.[0] ?? '') === 'tar' && first?.length === 1 && /^[A-Za-z]+$/.test(first[0] ?? '')
  if (!isBundle || program === undefined) return pattern
  return { ...pattern, words: [program, [`-${first[0]}`], ...others] }
}

/** Returns the target that a word of a make command names: `deploy` for `./deploy` and `.DEFAULT_GOAL=deploy`. */
function toTarget(word: CommandWord): CommandWord {
  const text = word.text.replace(/^\.DEFAULT_GOAL\s*[:?+]*=\s*/, '').replace(/^(?:\.?\/+)+(?=[^/]+$)/, '')
  return { ...word, text, knownLength: Math.max(0, word.knownLength - (word.text.length - text.length)) }
}

function listGitSpellings(argv: Argv): readonly Argv[] {
  const texts = argv.map(({ text }) => text)
  const letters = texts.filter((text) => /^-[A-Za-z]+$/.test(text)).join('')
  const isGiven = (letter: string, option: string) =>
    letters.includes(letter) || texts.some((text) => isSameOption('git', [option], text))
  if (texts.includes('push') && texts.some((text) => /^\+./.test(text))) return [[...argv, toKnownWord('--force')]]
  if (!texts.includes('branch') || !isGiven('f', '--force')) return []
  const pairs = [
    ['d', '--delete', '-D'],
    ['m', '--move', '-M'],
    ['c', '--copy', '-C'],
  ] as const
  return pairs.flatMap(([letter, long, both]) => (isGiven(letter, long) ? [[...argv, toKnownWord(both)]] : []))
}

const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun'])
const RUN = /^(?:run(?:-s.*)?|rum|urn)$/
/** Subcommands that run the script of the same name. */
const SCRIPT_COMMANDS: Readonly<Record<string, string>> = {
  test: 'test',
  t: 'test',
  tst: 'test',
  start: 'start',
  stop: 'stop',
  restart: 'restart',
}
/** Subcommands that run several others. */
const COMBINED_COMMANDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^restart$/, ['stop', 'start']],
  [/^(?:it|install-t.*)$/, ['install', 'test']],
  [/^(?:cit|sit|clean-install-test|install-ci-test)$/, ['ci', 'test']],
]

function listScriptSpellings(argv: Argv): readonly Argv[] {
  const isOperand = ({ text }: CommandWord, at: number) => at > 0 && !text.startsWith('-')
  const verbAt = argv.findIndex(isOperand)
  const verb = argv[verbAt]?.text ?? ''
  const [before, after] = [argv.slice(0, verbAt), argv.slice(verbAt + 1)]
  if (verbAt === -1) return []
  const withWords = (...texts: readonly string[]): Argv => [...before, ...texts.map(toKnownWord), ...after]
  const isNpm = argv[0]?.text === 'npm'
  const hasOwnCommand =
    !isNpm || Object.hasOwn(SCRIPT_COMMANDS, after.find(({ text }) => !text.startsWith('-'))?.text ?? '')
  if (RUN.test(verb)) return hasOwnCommand ? [[...before, ...after]] : []
  const combinedNames = COMBINED_COMMANDS.find(([names]) => names.test(verb))?.[1]
  if (combinedNames !== undefined)
    return combinedNames.flatMap((subcommand) => [
      withWords(subcommand),
      withWords('run', subcommand),
      withWords('run', verb),
    ])
  const script = SCRIPT_COMMANDS[verb] ?? (isNpm ? undefined : verb)
  return script === undefined ? [] : [withWords(script), withWords('run', script)]
}
