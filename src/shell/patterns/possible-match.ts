import type { CommandWord, SimpleCommand } from '../../contract/command.js'
import { isKnown, knownPartOf, mayBeOption, toKnownWord } from '../words/shell-word.js'
import { type CommandPattern, matchesPieces, type PatternWord } from './command-pattern.js'
import {
  familyOf,
  hasAttachedValue,
  isSameOption,
  namesProgram,
  shortOptionsOf,
  skipPresentLetters,
} from './option-names.js'
import { listOtherSpellings, withOptionDash } from './other-spellings.js'
import { meansSubcommand } from './subcommand-names.js'

/**
 * Whether a rule could match a command whose options are between or after the words of the rule, as in `docker --debug push`
 * or `rm x -rf`. An option, and the word after it, may be anywhere.
 */
export function mayMatchAroundOptions(rule: CommandPattern, { argv }: Pick<SimpleCommand, 'argv'>): boolean {
  const [program] = argv
  if (program === undefined || !isKnown(program) || !namesProgram(rule.words[0], program.text)) return false
  const pattern = withOptionDash(rule)
  return [argv, ...listOtherSpellings(argv)].some(
    (words) => mayFollow(pattern, words, 1) || mayFollowUnordered(pattern, words),
  )
}

/** Whether a command has the options of a rule anywhere and its operands in order: `kubectl -n prod delete` for `kubectl delete -n prod`. */
function mayFollowUnordered(pattern: CommandPattern, argv: readonly CommandWord[]): boolean {
  const { words } = pattern
  const program = programOf(pattern)
  const firstOption = words.findIndex(([start = ''], at) => at > 0 && start.startsWith('-'))
  if (firstOption === -1) return false
  const operands = words.filter(([start = ''], at) => !start.startsWith('-') && !isValueAt(words, at))
  if (!mayFollow({ ...pattern, words: operands, hasOpenEnd: true }, argv, 1)) return false
  return words.every((ruleWord, at) => {
    if (at === 0 || ruleWord[0]?.startsWith('-') !== true) return true
    const value = isValueAt(words, at + 1) ? words[at + 1] : undefined
    const letters = shortOptionsOf(program, argv, 1)
    if (value === undefined && skipPresentLetters([ruleWord], 0, letters) === 1) return true
    return argv.some((word, index) => {
      if (index === 0) return false
      if (value !== undefined && hasAttachedValue(program, ruleWord, value, word)) return true
      if (compareWord(program, ruleWord, word) === 'different') return false
      const nextWord = argv[index + 1]
      return value === undefined || (nextWord !== undefined && compareWord(program, value, nextWord) !== 'different')
    })
  })
}

/** Whether a word of a rule follows an option and may be its value. */
function isValueAt(words: readonly PatternWord[], at: number): boolean {
  const [before = ''] = words[at - 1] ?? []
  const [start = ''] = words[at] ?? []
  return at > 1 && words[at] !== undefined && before.startsWith('-') && !before.includes('=') && !start.startsWith('-')
}

/**
 * Whether a command that no table describes may run the command of a rule. An ordinary command of a project may only if it
 * names the program of the rule as its script or as an argument of its script. An unlisted program with plain names only may
 * if one of them is that program or its subcommand. Any other command may.
 */
export function mayRunCommand(
  pattern: CommandPattern,
  { argv, possible }: Pick<SimpleCommand, 'argv' | 'possible'>,
): boolean {
  if (startsByDesign(pattern, argv)) return true
  if (possible === undefined) return false
  if (possible.runsAnything === true) return true
  if (possible.programsAt === undefined) return false
  const [name] = pattern.words
  const { startedCommands = [], settingValues = [], linkedNames = [] } = possible
  if (startedCommands.some((words) => isStartedAs(pattern, words))) return true
  if (settingValues.some((value) => value.split(/[\s,:=]+/).some((text) => namesProgram(name, text)))) return true
  if (linkedNames.some((text) => namesProgram(name, text)) && argv.some((_, at) => mayFollow(pattern, argv, at + 1)))
    return true
  if (runsCode(argv, possible.programsAt) || mayRunScript(pattern, argv)) return true
  // A script may also be run as a program by itself.
  if (argv.some((word) => namesScriptOf(pattern, word))) return true
  // An unknown program may be another name for the denied one: `hub push`.
  const subcommand = pattern.words[1]
  const mayBeOtherName = possible.programsAt.includes(0) && subcommand?.length === 1 && !subcommand[0]?.startsWith('-')
  if (mayBeOtherName && argv.some((word, at) => at > 0 && word.text === subcommand[0])) return true
  return possible.programsAt.some((at) => {
    const text = argv[at]?.text ?? ''
    // In a cluster such as `-xerm`, the text after a letter may be its value.
    const values = /^-[^-]/.test(text)
      ? Array.from({ length: Math.min(text.length, MAX_CLUSTER_CHARS) }, (_, index) => text.slice(index + 2))
      : [text.replace(/^--[\w-]*=/, '')]
    if (values.some((value) => value !== '' && namesProgram(name, value)) && mayFollow(pattern, argv, at + 1))
      return true
    const gitWords = values.flatMap((value) => (/git-/.test(value) ? [[toKnownWord(value)]] : []))
    // A script may run one argument as a command line: `npm run x -- "git push"`.
    const parts = values.flatMap((value) => (/\s/.test(value) ? [value.split(/\s+/).map(toKnownWord)] : []))
    return [...parts, ...gitWords]
      .map((words) => words.flatMap(splitGitName))
      .some((words) =>
        words.some(
          (word, index) =>
            namesProgram(name, word.text) && mayFollow(pattern, [...words, ...argv.slice(at + 1)], index + 1),
        ),
      )
  })
}

const MAX_CLUSTER_CHARS = 64

/** Programs that tables describe completely, and the programs that do their work. */
const HELPERS: readonly (readonly [RegExp, string])[] = [
  [/^(?:zcat|gunzip|uncompress|zless|zmore)$/, 'gzip'],
  [/^z[ef]?grep$/, 'gzip grep'],
  [/^z(?:diff|cmp)$/, 'gzip diff cmp'],
  [/^xz[ef]?grep$/, 'xz grep'],
  [/^bz[ef]?grep$/, 'bzip2 grep'],
  [/^tar$/, 'gzip bzip2 xz zstd'],
]

/** Whether the program of a command starts the program of a rule by design, whatever its arguments are. */
function startsByDesign({ words }: CommandPattern, argv: readonly CommandWord[]): boolean {
  const program = familyOf(baseNameOf(argv[0]?.text ?? ''))
  const helpers = HELPERS.find(([names]) => names.test(program))?.[1].split(' ') ?? []
  // GNU tar opens an archive on another machine, such as `host:x.tar`, with a remote shell.
  const isRemote = program === 'tar' && argv.some(({ text }, at) => at > 0 && /^[^/]+:/.test(text))
  return [...helpers, ...(isRemote ? ['ssh', 'rsh'] : [])].some((helper) => namesProgram(words[0], helper))
}

/** Splits the word `git-push` into the two words that mean the same. */
function splitGitName(word: CommandWord): readonly CommandWord[] {
  const [, subcommand] = /(?:^|\/)git-([a-z-]+)$/.exec(word.text) ?? []
  return subcommand === undefined || !isKnown(word) ? [word] : [toKnownWord('git'), toKnownWord(subcommand)]
}

/** Whether a rule may match a command that a program starts by itself. Only the first words of that command are known. */
function isStartedAs({ words }: CommandPattern, startedWords: readonly string[]): boolean {
  return words
    .slice(0, startedWords.length)
    .every((ruleWord, at) =>
      at === 0
        ? namesProgram(ruleWord, startedWords[at] ?? '')
        : matchesPieces(ruleWord, startedWords[at] ?? '') || ruleWord[0]?.startsWith('-') === true,
    )
}

const INTERPRETER =
  /^(?:.*\/)?(?:(?:ba|da|z|k|a|mk|fi|tc|c)?sh|perl|python|ruby|php|lua|node|nodejs|deno|bun|tclsh|awk|gawk|mawk|sed|busybox)[\d.]*$/
const CODE_OPTION = /^-[A-Za-z]*[ceEprR]|^--?(?:eval|command|print|run|code|expression)/

/** Whether the arguments of a script or program are an interpreter with code, which may run any program. */
function runsCode(argv: readonly CommandWord[], programsAt: readonly number[]): boolean {
  return programsAt.some(
    (at) =>
      at > 0 &&
      INTERPRETER.test(argv[at]?.text ?? '') &&
      argv
        .slice(at + 1)
        .find(({ text }) => text !== '--')
        ?.text.match(CODE_OPTION) != null,
  )
}

const SCRIPT_RUNNER = /^(?:.*\/)?(?:run-[sp]|npm-run-all2?|concurrently|lerna|turbo|nx|wireit|rush)$/

/** Whether a program that runs scripts of `package.json` names the one that a rule such as `npm run deploy` is about. */
function mayRunScript({ words }: CommandPattern, [program, ...args]: readonly CommandWord[]): boolean {
  if (!SCRIPT_RUNNER.test(program?.text ?? '') || !/^(?:npm|pnpm|yarn|bun)$/.test(words[0]?.[0] ?? '')) return false
  const script = words.slice(1).find(([start = '']) => !/^(?:run|run-script)$|^-/.test(start))
  if (script === undefined) return words.length > 1
  return args.some(
    ({ text }) => /[*?{[]/.test(text) || text.split(/^[a-z]+:|\s+/).some((word) => matchesPieces(script, word)),
  )
}

/** Whether a word names, or may match, the script that a rule such as `python3 deploy.py` is about: another program may run it. */
function namesScriptOf({ words }: CommandPattern, word: CommandWord): boolean {
  const scripts = words.filter(isFileName)
  if (scripts.length === 0) return false
  const values = word.text.split(/[^\w.+/@~-]+/)
  return scripts.some((script) => {
    const name = baseNameOf(script[0] ?? '')
    if (values.some((value) => baseNameOf(value).endsWith(name))) return true
    return /[*?[{]/.test(word.text) && matchesNameByGlob(word.text, [name])
  })
}

/** Whether a glob may expand to the program of a rule. */
function matchesNameByGlob(glob: string, name: PatternWord): boolean {
  if (name.length > 1) return true
  const baseName = glob.slice(glob.lastIndexOf('/') + 1)
  const source = baseName.replace(/\{[^}]*\}|\[[!^]?\]?(?:\[[:=.][^\]]*\]|[^\]])*\]|[*?]|[^\w]/g, (token) =>
    token === '*' || token.startsWith('{') ? '.*' : token === '?' || token.startsWith('[') ? '.' : `\\${token}`,
  )
  return new RegExp(`^${source}$`).test(baseNameOf(name[0] ?? ''))
}

/** Whether a word of a rule is a lone star, which matches any words. */
function isAnyWord(ruleWord: PatternWord): boolean {
  return ruleWord.length > 1 && ruleWord.every((piece) => piece === '')
}

/** Whether the words starting at index `from` may contain the words of the rule in order, with options between them. */
function mayFollow(pattern: CommandPattern, argv: readonly CommandWord[], from: number): boolean {
  const { words, hasOpenEnd } = pattern
  const program = programOf(pattern)
  const letters = shortOptionsOf(program, argv, from)
  const isList = PROGRAMS_WITH_TARGETS.test(words[0]?.[0] ?? '')
  const search = { program, words, letters, hasOpenEnd, isList }
  let states = new Set([toState(1, false), toState(skipPresentLetters(words, 1, letters), false)])
  // `docker container exec` is `docker exec`.
  if (/^(?:container|image)$/.test(words[1]?.[0] ?? '')) states.add(toState(2, false))
  for (const word of argv.slice(from)) {
    const nextStates = new Set<number>()
    for (const state of states) if (takeWord(search, state, word, nextStates)) return true
    if (nextStates.size === 0) return false
    states = nextStates
  }
  return [...states].some((state) => state >> 1 >= words.length)
}

/** Returns the name of the program whose options a rule lists. */
function programOf({ words }: CommandPattern): string {
  const [name = ''] = words[0] ?? []
  return familyOf(name.slice(name.lastIndexOf('/') + 1))
}

interface Search {
  readonly program: string
  readonly words: readonly PatternWord[]
  /** The letters of all short options that the command has. */
  readonly letters: string
  readonly hasOpenEnd: boolean
  /** Whether the program accepts several targets, so any of them may follow others. */
  readonly isList: boolean
}

/** Programs that accept several targets, and `dd`, whose operands may have any order. */
const PROGRAMS_WITH_TARGETS =
  /^(?:.*\/)?(?:g?make|bmake|remake|ninja|just|task|rake|gulp|grunt|mvnw?|gradlew?|ant|sbt|scons|invoke|inv|mage|npm-run-all2?|run-[sp]|turbo|nx|lerna|doit|tox|nox|dd)$/

/** Encodes the index of the next word of the rule and whether the previous word was an option, whose value may follow. */
function toState(nextIndex: number, isAfterOption: boolean): number {
  return nextIndex * 2 + (isAfterOption ? 1 : 0)
}

/** Adds the states that are possible after one word of a command. Returns true if the rule may match whatever follows. */
function takeWord(
  { program, words, letters, hasOpenEnd, isList }: Search,
  state: number,
  word: CommandWord,
  nextStates: Set<number>,
): boolean {
  const ruleIndex = state >> 1
  const ruleWord = words[ruleIndex]
  if (ruleWord === undefined) return hasOpenEnd
  const isOtherName =
    isKnown(word) && meansSubcommand(words[0]?.[0] ?? '', ruleWord.length === 1 ? (ruleWord[0] ?? '') : '', word.text)
  const comparison = isOtherName ? 'equal' : compareWord(program, ruleWord, word)
  if (comparison === 'anything') return true
  const advance = (to: number) => {
    nextStates.add(toState(to, false))
    nextStates.add(toState(skipPresentLetters(words, to, letters), false))
  }
  if (comparison === 'equal') advance(ruleIndex + 1)
  const attachedWord = words[ruleIndex + 1]
  if (attachedWord !== undefined && hasAttachedValue(program, ruleWord, attachedWord, word)) advance(ruleIndex + 2)
  const isOption = mayBeOption(word)
  const mayBeSkipped =
    isOption ||
    isList ||
    /^(?:\+|container$|image$)/.test(word.text) ||
    state % 2 === 1 ||
    isAnyWord(ruleWord) ||
    ruleWord[0]?.startsWith('-') === true
  if (mayBeSkipped) nextStates.add(toState(ruleIndex, isOption && !word.text.includes('=')))
  return false
}

/** Compares a word of a rule with a word of a command. `anything` means that the word may expand to the rest of the rule. */
function compareWord(program: string, ruleWord: PatternWord, word: CommandWord): 'equal' | 'different' | 'anything' {
  if (isKnown(word)) {
    const isEqual =
      matchesPieces(ruleWord, word.text) ||
      isSameOption(program, ruleWord, word.text) ||
      isSameFile(ruleWord, word.text)
    return isEqual ? 'equal' : 'different'
  }
  const start = ruleWord[0] ?? ''
  const knownText = knownPartOf(word)
  const isPossible = start.startsWith(knownText) || (ruleWord.length > 1 && knownText.startsWith(start))
  if (word.spread === 'any') return 'anything'
  if (word.spread === 'prefixed' && isFileName(ruleWord) && matchesNameByGlob(word.text, [baseNameOf(start)]))
    return 'equal'
  // The files that a glob matches are checked separately: none may start with a dash.
  if (!isPossible || (word.spread === 'prefixed' && knownText === '' && start.startsWith('-'))) return 'different'
  return word.spread === 'one' ? 'equal' : 'anything'
}

/** Whether both words may name the same script: the folder is not compared, because a command may start anywhere. */
function isSameFile(ruleWord: PatternWord, text: string): boolean {
  if (!isFileName(ruleWord)) return false
  const name = baseNameOf(ruleWord[0] ?? '')
  const baseName = baseNameOf(text)
  // An interpreter may add the suffix, as in `node deploy` and `python3 -m deploy`.
  return baseName === name || (baseName !== '' && baseName === name.replace(/\.\w+$/, ''))
}

/** Whether a word of a rule is the name of a file with a suffix. */
function isFileName(ruleWord: PatternWord): boolean {
  const [rule = ''] = ruleWord
  return ruleWord.length === 1 && /^[\w./~-]*\.[A-Za-z]\w*$/.test(rule) && !rule.startsWith('-')
}

function baseNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
