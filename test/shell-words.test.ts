import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from 'unbash'
import { describe, expect, test } from 'vitest'
import { isAgreed } from '../src/shell/words/agreement.js'
import { expandHereDocument, expandValue, expandWords } from '../src/shell/words/expand-word.js'
import { HomeFolder, type Scope } from '../src/shell/words/scope.js'
import { isKnown, type ShellWord, toKnownWord } from '../src/shell/words/shell-word.js'
import { Variables } from '../src/shell/words/variables.js'
import { ShellScriptGenerator } from './lib/generate-shell-words.js'

/** With HAFT_LONG_TESTS set, millions of scripts are compared. */
const CASE_COUNT = process.env.HAFT_LONG_TESTS ? 2_200_000 : 16_000
const BATCH_SIZE = 4_000
const MAX_SUSPECTS = 50
const FIXED_SEED = 17
const RANDOM_SEED = Number(
  process.env.HAFT_WORDS_SEED ??
    (process.env.HAFT_LONG_TESTS === undefined ? 20_261_117 : Math.floor(Math.random() * 1e9)),
)
const HOME = '/home/nobody'

/** What a script passes to `p` and `h`: one list of words for each call. Undefined if the analysis does not understand a part of the script. */
type Calls = readonly (readonly ShellWord[])[] | undefined

const SCOPE: Scope = {
  folders: ['/'],
  home: new HomeFolder(HOME),
  // After `eval` any variable may be set.
  variables: new Variables(parse('eval "$x"'), { maxNodes: 100, maxDepth: 1 }),
  isTainted: false,
  depth: 0,
}
const LISTENER = { onScript: () => undefined, onProblem: () => undefined }

function listCalls(source: string): Calls {
  const script = parse(source)
  if ((script.errors?.length ?? 0) > 0 || !isAgreed(source, script)) return undefined
  const calls: (readonly ShellWord[])[] = []
  let isUnderstood = true
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Word') return
    if (node.type === 'Command') {
      const ownCalls = listCallsOfCommand(node)
      if (ownCalls === undefined) isUnderstood = false
      else calls.push(...ownCalls)
    } else if (node.type === 'For') {
      forEachChild(node, visit)
      forEachChild(node, visit)
    } else forEachChild(node, visit)
  }
  visit(script)
  return isUnderstood ? calls : undefined
}

function listCallsOfCommand({ name, args, redirects }: Command): Calls {
  const words = args.flatMap((arg) => (arg.type === 'Word' ? expandWords(arg, SCOPE, LISTENER) : []))
  if (args.some((arg) => arg.type !== 'Word')) return undefined
  switch (name?.text) {
    case undefined:
      return []
    case 'p':
      return redirects.every(isErrorSink) ? [words] : undefined
    case 'h':
      return words.length === 0 && redirects.length === 1 ? readInput(redirects[0]) : undefined
    case 'run': {
      const [script, ...more] = words
      return script !== undefined && more.length === 0 && isKnown(script) ? listCalls(script.text) : undefined
    }
    default:
      return undefined
  }
}

function readInput(input: Redirection | undefined): Calls {
  if (input?.type === 'HereDoc') {
    const { body, delimiter, operator } = input
    if (operator === '<<-' && body.text.includes('\t')) return undefined
    const isLiteral = delimiter?.quoted === true
    return [[isLiteral ? createLiteral(body.text) : { ...expandHereDocument(body, SCOPE, LISTENER), isQuoted: true }]]
  }
  if (input?.type !== 'HereString' || input.target === undefined) return undefined
  const word = expandValue(input.target, SCOPE, LISTENER)
  return [[isKnown(word) ? createLiteral(`${word.text}\n`) : { text: '…', knownLength: 0, spread: 'one' }]]
}

function isErrorSink(redirection: Redirection): boolean {
  if (redirection.type !== 'Redirect') return false
  const { descriptor, target } = redirection
  return descriptor?.type === 'FileDescriptor' && descriptor.value === 2 && target?.text === '/dev/null'
}

function createLiteral(text: string): ShellWord {
  return { ...toKnownWord(text), isQuoted: true }
}

/** Whether the known words equal those of bash at the same positions. */
function matches(words: readonly ShellWord[], actualTexts: readonly string[]): boolean {
  const spreadAt = words.findIndex((word) => word.spread !== 'one')
  if (spreadAt === -1)
    return (
      words.length === actualTexts.length && words.every((word, index) => doesWordFit(word, actualTexts[index] ?? ''))
    )
  const tailLength = [...words].reverse().findIndex((word) => word.spread !== 'one')
  if (actualTexts.length < spreadAt + tailLength) return false
  const doesHeadFit = words.slice(0, spreadAt).every((word, index) => doesWordFit(word, actualTexts[index] ?? ''))
  const doesTailFit = words
    .slice(words.length - tailLength)
    .every((word, index) => doesWordFit(word, actualTexts[actualTexts.length - tailLength + index] ?? ''))
  const spreadWords = words.filter((word) => word.spread !== 'one')
  const middleTexts = actualTexts.slice(spreadAt, actualTexts.length - tailLength)
  const [spread] = spreadWords
  const arePrefixed =
    spreadWords.length > 1 ||
    spread?.spread !== 'prefixed' ||
    middleTexts.every((text) => text.startsWith(findPrefix(spread)))
  return doesHeadFit && doesTailFit && arePrefixed
}

function doesWordFit(word: ShellWord, actualText: string): boolean {
  const prefix = findPrefix(word)
  if (word.alternatives !== undefined) return word.alternatives.includes(actualText)
  return isKnown(word) ? isOtherTilde(word) || actualText === prefix : actualText.startsWith(prefix)
}

function findPrefix(word: ShellWord): string {
  const knownText = word.text.slice(0, word.knownLength)
  if (isOtherTilde(word)) return ''
  return word.isQuoted !== true && /^~(?:\/|$)/.test(knownText) ? HOME + knownText.slice(1) : knownText
}

/** `~name`, `~+` and `~-` are judged as unknown when they name a file. */
function isOtherTilde(word: ShellWord): boolean {
  return word.isQuoted !== true && /^~(?!\/|$)/.test(word.text)
}

const SCRIPT_PRELUDE = `
p() { printf '%s\\0' "$#" "$@"; }
h() { local text; IFS= read -r -d '' text; printf '1\\0%s\\0' "$text"; }
run() { eval "$1"; }
x='a  b*' y=c
set --
mapfile -d '' -t cases < cases
for ((index = START; index < \${#cases[@]}; index++)); do
  eval "\${cases[index]}"
  printf 'end\\0'
done
`

interface Outcome {
  readonly cases: number
  /** The number of scripts in which the analysis understood every word, so that they were compared. */
  readonly comparedCount: number
  readonly words: number
  /** The number of generated words that the analysis understands. */
  readonly understoodCount: number
  readonly disagreements: readonly string[]
}

function isWordUnderstood(word: string): boolean {
  const source = `p ${word}`
  return isAgreed(source, parse(source))
}

function compareWithBash(seed: number, count: number, locale: string): Outcome {
  const generator = new ShellScriptGenerator(seed)
  const cases = Array.from({ length: count }, () => generator.generateScript())
  const understoodCount = generator.words.filter((word) => isWordUnderstood(word)).length
  const outcome = evaluate(cases, runInBash(cases, locale))
  // A script with a syntax error can confuse the parser of bash for a later `eval`, so each suspect is run in a new shell.
  const suspectScripts = outcome.disagreements.slice(0, MAX_SUSPECTS)
  const confirmedDisagreements = suspectScripts.flatMap(
    (source) => evaluate([source], runInBash([source], locale)).disagreements,
  )
  return {
    cases: count,
    comparedCount: outcome.comparedCount,
    words: generator.words.length,
    understoodCount,
    disagreements: confirmedDisagreements.map((source) => describeCase(source, runInBash([source], locale)[0])),
  }
}

function describeCase(source: string, actualCalls: ActualCalls | undefined): string {
  return `${source}\nbash ${JSON.stringify(actualCalls)}\nhere ${JSON.stringify(listCalls(source))}`
}

/** Returns the calls of each script; undefined for one that ended the shell, as some errors do. */
function runInBash(cases: readonly string[], locale: string): readonly (ActualCalls | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), 'haft-words-'))
  try {
    writeFileSync(join(folder, 'cases'), cases.map((each) => `${each}\0`).join(''))
    const callsOfScripts: (ActualCalls | undefined)[] = []
    while (callsOfScripts.length < cases.length) {
      const { stdout } = spawnSync('bash', ['--norc', '--noprofile', '-c', SCRIPT_PRELUDE], {
        cwd: folder,
        env: { PATH: '/usr/bin:/bin', HOME, LC_ALL: locale, START: String(callsOfScripts.length) },
        stdio: ['ignore', 'pipe', 'ignore'],
        maxBuffer: 1 << 30,
      })
      callsOfScripts.push(...parseOutput(stdout.toString().split('\0')))
      if (callsOfScripts.length < cases.length) callsOfScripts.push(undefined)
    }
    return callsOfScripts
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The arguments of each call that bash made. */
type ActualCalls = readonly (readonly string[])[]

/** Returns the calls of each script that ran to its end. */
function parseOutput(output: readonly string[]): readonly ActualCalls[] {
  const scripts: ActualCalls[] = []
  let calls: (readonly string[])[] = []
  for (let at = 0; at < output.length; at += 1) {
    if (output[at] === 'end') {
      scripts.push(calls)
      calls = []
      continue
    }
    const length = Number(output[at])
    calls.push(output.slice(at + 1, at + 1 + length))
    at += length
  }
  return scripts
}

function evaluate(
  cases: readonly string[],
  actualCallsOfCases: readonly (ActualCalls | undefined)[],
): { readonly comparedCount: number; readonly disagreements: readonly string[] } {
  let comparedCount = 0
  const disagreements: string[] = []
  for (const [index, source] of cases.entries()) {
    const actualCalls = actualCallsOfCases[index]
    const calls = actualCalls === undefined ? undefined : listCalls(source)
    if (actualCalls === undefined || calls === undefined) continue
    comparedCount += 1
    const isEqual =
      calls.length === actualCalls.length && calls.every((call, at) => matches(call, actualCalls[at] ?? []))
    if (!isEqual) disagreements.push(source)
  }
  return { comparedCount, disagreements }
}

const hasBash = spawnSync('bash', ['-c', 'mapfile -d "" -t x < /dev/null'], { stdio: 'ignore' }).status === 0

describe.skipIf(!hasBash && process.env.HAFT_REQUIRE_PROGRAMS === undefined)('words of random scripts', () => {
  test.each([
    ['C.UTF-8', FIXED_SEED],
    ['C.UTF-8', RANDOM_SEED],
    ['C', RANDOM_SEED + 1],
  ])(
    'are those of bash, or unknown, in the locale %s with the seed %i',
    (locale, seed) => {
      const total = { cases: 0, comparedCount: 0, words: 0, understoodCount: 0 }
      for (let doneCount = 0; doneCount < CASE_COUNT / 3; doneCount += BATCH_SIZE) {
        const outcome = compareWithBash(seed + doneCount, BATCH_SIZE, locale)
        expect(outcome.disagreements.slice(0, 5)).toEqual([])
        total.cases += outcome.cases
        total.comparedCount += outcome.comparedCount
        total.words += outcome.words
        total.understoodCount += outcome.understoodCount
      }
      console.log(locale, total)
      expect(total.understoodCount / total.words).toBeGreaterThan(0.9)
    },
    process.env.HAFT_LONG_TESTS ? 3_600_000 : 120_000,
  )
})
