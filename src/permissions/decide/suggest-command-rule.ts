const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/**
 * Subcommands for which a rule covers any arguments. Subcommands that fetch or publish code are left out, so the suggested
 * rule covers only the exact command.
 */
const SUBCOMMANDS_BY_PROGRAM: Readonly<Record<string, ReadonlySet<string>>> = {
  git: toSet('add branch checkout cherry-pick commit merge mv restore rm stash status switch tag'),
  npm: toSet('ci ls run test'),
  pnpm: toSet('list run test'),
  yarn: toSet('list run test'),
  bun: toSet('run test'),
  cargo: toSet('bench build check clippy doc fmt run test'),
  go: toSet('build fmt generate mod test vet'),
  dotnet: toSet('build format restore test'),
  docker: toSet('build images inspect logs ps'),
  gh: toSet('issue pr release run'),
  uv: toSet('lock sync'),
  terraform: toSet('fmt plan validate'),
  mvn: toSet('clean compile package test verify'),
  gradle: toSet('assemble build check clean test'),
  './gradlew': toSet('assemble build check clean test'),
}
/** Subcommands whose next word names a script or action. A rule includes that word. */
const THREE_WORD_COMMANDS = toSet('npm-run pnpm-run yarn-run bun-run gh-issue gh-pr gh-release gh-run')
/** Programs whose first word names a target. A rule includes that word. */
const PROGRAMS_WITH_TARGETS = toSet('make gmake just')
/** Programs for which a rule covers any arguments. */
const WHOLE_PROGRAMS = toSet(
  'pytest tsc eslint prettier biome vitest jest mocha ava ruff mypy pyright black isort flake8 pylint rspec rubocop phpunit ' +
    'golangci-lint shellcheck hadolint mkdir touch',
)
const PYTHON_PROGRAM = /^python[0-9.]*$/
const PYTHON_MODULES = toSet('pytest unittest mypy ruff black isort flake8 pylint')

/** Programs that run another program, a text or their input as a command. No rule that names only them is narrow. */
const LAUNCHER_PROGRAMS = toSet(
  'sudo doas su env xargs parallel eval exec ssh watch nohup setsid script expect timeout nice ionice stdbuf time strace ' +
    'busybox flock at batch systemd-run chroot unshare command builtin source .',
)
const SHELLS_AND_INTERPRETERS =
  /^(?:(?:ba|da|z|k|mk|c|tc|fi|a)?sh|python[0-9.]*|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|pwsh)$/
const CODE_OPTION = /^(?:-[A-Za-z]*[ceErp]|--eval|--print|--command|eval)$/

const PLAIN_WORD = /^[A-Za-z0-9_][A-Za-z0-9_:./@-]*$/

/**
 * Returns the content of a rule as wide as the user is likely to mean: a known subcommand or target with any arguments,
 * otherwise the exact command. Never returns a prefix that could run any command; returns undefined if no narrow rule covers
 * the command.
 */
export function toRuleContent(words: readonly string[], { isExact = false } = {}): string | undefined {
  if (words.length === 0 || runsAnything(words)) return undefined
  const prefix = isExact ? undefined : findPrefix(words)
  return prefix === undefined ? quoteWords(words) : `${prefix}:*`
}

function runsAnything([program = '', ...args]: readonly string[]): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (LAUNCHER_PROGRAMS.has(name)) return true
  if (name === 'find' || name === 'fd') return args.some((arg) => /^-{1,2}(?:exec|ok|x|X)/.test(arg))
  return (
    SHELLS_AND_INTERPRETERS.test(name) && CODE_OPTION.test(args.find((arg) => arg.startsWith('-')) ?? args[0] ?? '')
  )
}

function findPrefix([program = '', secondWord = '', thirdWord = '']: readonly string[]): string | undefined {
  if (WHOLE_PROGRAMS.has(program)) return program
  const isTarget = PROGRAMS_WITH_TARGETS.has(program) && PLAIN_WORD.test(secondWord)
  if (isTarget) return `${program} ${secondWord}`
  if (PYTHON_PROGRAM.test(program)) {
    return secondWord === '-m' && PYTHON_MODULES.has(thirdWord) ? `${program} -m ${thirdWord}` : undefined
  }
  const subcommands = Object.hasOwn(SUBCOMMANDS_BY_PROGRAM, program) ? SUBCOMMANDS_BY_PROGRAM[program] : undefined
  if (subcommands?.has(secondWord) !== true) return undefined
  if (!THREE_WORD_COMMANDS.has(`${program}-${secondWord}`)) return `${program} ${secondWord}`
  return PLAIN_WORD.test(thirdWord) ? `${program} ${secondWord} ${thirdWord}` : undefined
}

/** Returns the command as the content of a rule. Undefined if a word contains a star, which would be a wildcard, or a newline. */
function quoteWords(words: readonly string[]): string | undefined {
  if (words.some((word) => /[*\n\r\0]/.test(word))) return undefined
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : quote(word))).join(' ')
}

function quote(word: string): string {
  return word.includes("'") ? `"${word.replace(/[\\"$`]/g, '\\$&')}"` : `'${word}'`
}
