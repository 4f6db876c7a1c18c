import type { CommandWord } from '../../contract/command.js'
import { matchesPieces, type PatternWord } from './command-pattern.js'

/** For each long option, the short options that mean the same in most programs. */
const COMMON_LETTERS: Readonly<Record<string, string>> = {
  '--recursive': 'rR',
  '--force': 'f',
  '--no-verify': 'n',
  '--request': 'X',
  '--delete': 'dD',
  '--all': 'a',
  '--method': 'X',
  '--namespace': 'n',
  '--host': 'h',
  '--volumes': 'v',
}

/** For individual programs, the short options that mean the same as a long option. */
const LETTERS_BY_PROGRAM: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sed: { '--in-place': 'i', '--expression': 'e', '--file': 'f', '--quiet': 'n', '--silent': 'n' },
  tar: {
    '--extract': 'x',
    '--get': 'x',
    '--create': 'c',
    '--list': 't',
    '--append': 'r',
    '--update': 'u',
    '--file': 'f',
    '--directory': 'C',
    '--to-stdout': 'O',
    '--absolute-names': 'P',
    '--use-compress-program': 'I',
    '--files-from': 'T',
  },
  curl: {
    '--output': 'o',
    '--remote-name': 'O',
    '--upload-file': 'T',
    '--data': 'd',
    '--form': 'F',
    '--header': 'H',
    '--user': 'u',
    '--head': 'I',
    '--insecure': 'k',
    '--location': 'L',
    '--config': 'K',
    '--proxy': 'x',
  },
  wget: { '--output-document': 'O', '--mirror': 'm', '--execute': 'e', '--input-file': 'i' },
  git: {
    '--set-upstream': 'u',
    '--message': 'm',
    '--move': 'mM',
    '--patch': 'p',
    '--interactive': 'i',
    '--exec': 'x',
    '--all': 'aA',
    '--tags': 't',
    '--signoff': 's',
    '--gpg-sign': 'S',
  },
  npm: { '--global': 'g', '--save-dev': 'D', '--yes': 'y', '--call': 'c', '--workspace': 'w' },
  docker: {
    '--volume': 'v',
    '--publish': 'p',
    '--env': 'e',
    '--detach': 'd',
    '--interactive': 'i',
    '--tty': 't',
    '--user': 'u',
    '--tag': 't',
  },
  make: { '--file': 'f', '--makefile': 'f', '--directory': 'C', '--always-make': 'B', '--eval': 'E' },
  rsync: { '--archive': 'a', '--rsh': 'e', '--compress': 'z' },
  gzip: { '--decompress': 'd', '--stdout': 'c', '--keep': 'k' },
  grep: { '--regexp': 'e', '--file': 'f' },
  sort: { '--output': 'o' },
  ln: { '--symbolic': 's' },
  kill: { '--signal': 's' },
}

const SHORT_OPTIONS = /^-[A-Za-z0-9]+$/
const MIN_ABBREVIATION_CHARS = 3

/** Returns the letters of the short options that mean the same as a long option, which may be abbreviated. */
function lettersOf(program: string, option: string): string {
  if (option.length < MIN_ABBREVIATION_CHARS) return ''
  return [...Object.entries(COMMON_LETTERS), ...Object.entries(LETTERS_BY_PROGRAM[program] ?? {})]
    .map(([long, letters]) => (long.startsWith(option) ? letters : ''))
    .join('')
}

/** Returns the letters at the start of a word that may be short options, the last perhaps with an attached value. */
function clusterOf(text: string): string {
  return /^-([A-Za-z0-9]+)/.exec(text)?.[1] ?? ''
}

/** Whether an option is another spelling of the rule's option: abbreviated, with a value, or short instead of long. */
export function isSameOption(program: string, ruleWord: PatternWord, text: string): boolean {
  const [rule = ''] = ruleWord
  if (ruleWord.length > 1 || !rule.startsWith('-') || !text.startsWith('-')) return false
  const [option = ''] = text.split('=', 1)
  // Go programs accept long options with one dash and with two.
  if (rule.length > 3 && option.replace(/^-+/, '') === rule.replace(/^-+/, '')) return true
  if (rule.startsWith('--')) {
    if (option.length >= MIN_ABBREVIATION_CHARS && rule.startsWith(option)) return true
    const cluster = clusterOf(text)
    return [...lettersOf(program, rule)].some((letter) => cluster.includes(letter))
  }
  return rule.length === 2 && lettersOf(program, option).includes(rule.slice(1)) && option.startsWith('--')
}

/** Whether a word is an option with its value attached, as in `-XPOST`, which the rule writes as two words. */
export function hasAttachedValue(
  program: string,
  ruleWord: PatternWord,
  value: PatternWord,
  { text }: CommandWord,
): boolean {
  const [letter = ''] = ruleWord
  const [start = ''] = value
  if (ruleWord.length > 1 || value.length > 1 || !text.startsWith('-') || start === '') return false
  if (letter.startsWith('--') || letter.length > 2) return text === `${letter}=${start}`
  if (!/^-[A-Za-z]$/.test(letter)) return false
  const [option = ''] = text.split('=', 1)
  const isLong = text.endsWith(`=${start}`) && lettersOf(program, option).includes(letter.slice(1))
  return isLong || text.endsWith(`${letter.slice(1)}${start}`) || text.endsWith(`${letter.slice(1)}=${start}`)
}

/** Returns the letters of all short options, and of the short options that mean the same as a given long option. */
export function shortOptionsOf(program: string, argv: readonly CommandWord[], from: number): string {
  const letters = new Set<string>()
  for (let at = from; at < argv.length; at += 1) {
    const text = argv[at]?.text ?? ''
    for (const letter of text.startsWith('--') ? lettersOf(program, text) : clusterOf(text)) letters.add(letter)
  }
  if (letters.has('R')) letters.add('r')
  return [...letters].join('')
}

/** Skips words of the rule such as `-rf` if the command has all their letters, in any order or in several words. */
export function skipPresentLetters(words: readonly PatternWord[], from: number, letters: string): number {
  let nextIndex = from
  for (let word = words[nextIndex]; word !== undefined; word = words[nextIndex]) {
    const text = word.length === 1 ? (word[0] ?? '') : ''
    if (!SHORT_OPTIONS.test(text) || ![...text.slice(1)].every((letter) => letters.includes(letter))) break
    nextIndex += 1
  }
  return nextIndex
}

/** The suffix that the name of an interpreter may have: its version, and the machine that it was built for. */
const VERSION = '(?:[\\d.]*\\d[dmt]?)?(?:-dbg|-[a-z\\d_]+-linux-[a-z\\d]+)?'

/** Patterns for programs that have the same options and do the same, with the name that is used for all of them. */
const PROGRAM_FAMILIES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(python|perl|ruby|php|lua|node)(?:js)?${VERSION}$`), '$1'],
  [/^pip[\d.]*$/, 'pip'],
  [/^(?:[gmn]?awk|original-awk)$/, 'awk'],
  [/^(?:g|bsd)?tar$/, 'tar'],
  [/^[gb]?s?make$|^remake$/, 'make'],
  [/^(?:r?g?(?:vim?|view)(?:diff|tutor)?|nvim|n?ex|vimx|evim|eview)(?:\.\w+)?$/, 'vim'],
  [/^[ef]?grep$/, 'grep'],
  [/^wget2?$/, 'wget'],
  // GNU programs on other systems.
  [/^g(sed|rm|mv|cp|ln|dd|cat|tee|chmod|chown|find|xargs|env|sort|head|tail|install|truncate|timeout)$/, '$1'],
]

/** Returns the name that is used for a program and others that do the same: `python` for `python3.11`. */
export function familyOf(program: string): string {
  const family = PROGRAM_FAMILIES.find(([names]) => names.test(program))
  return family === undefined ? program : program.replace(...family)
}

/** Whether a word names the program of a rule: by its path, its base name, its base name in lower case or another name. */
export function namesProgram(name: PatternWord | undefined, text: string): boolean {
  if (name === undefined) return false
  const baseName = text.slice(text.lastIndexOf('/') + 1)
  const lowerName = baseName.toLowerCase()
  if (matchesPieces(name, text) || matchesPieces(name, baseName) || matchesPieces(name, lowerName)) return true
  const [rule = ''] = name
  if (name.length > 1 || baseName === '') return false
  if (!rule.includes('/')) return familyOf(rule) === familyOf(lowerName)
  return rule.slice(rule.lastIndexOf('/') + 1) === baseName
}
