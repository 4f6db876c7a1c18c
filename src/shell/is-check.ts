import type { CommandAnalysis } from '../contract/command.js'

/**
 * Whether a command only runs checks, such as tests, a linter or a type checker, besides commands that only read. Only the
 * scheduler uses this, because checks in one message do not depend on each other. It grants no permission: a check runs code
 * of the project.
 */
export function isCheck({ commands, isUnparsed }: CommandAnalysis): boolean {
  const changingCommands = commands.filter(({ isReadOnly }) => !isReadOnly)
  return !isUnparsed && changingCommands.length > 0 && changingCommands.every(({ words }) => areWordsOfCheck(words))
}

/** Programs that always run checks. */
const CHECKING_PROGRAMS: ReadonlySet<string> = new Set([
  ...['eslint', 'oxlint', 'stylelint', 'tsc', 'vue-tsc', 'vitest', 'jest', 'mocha', 'ava', 'knip', 'depcruise'],
  ...['pytest', 'unittest', 'mypy', 'pyright', 'flake8', 'pylint', 'tox', 'nox', 'golangci-lint', 'staticcheck'],
  ...['shellcheck', 'rspec', 'rubocop', 'phpunit', 'phpstan', 'ctest'],
])

/** For each program, the first arguments with which it runs checks. */
const CHECKING_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  biome: ['check', 'lint', 'ci'],
  cargo: ['test', 'check', 'clippy', 'nextest'],
  cypress: ['run'],
  deno: ['test', 'lint', 'check'],
  dotnet: ['test'],
  go: ['test', 'vet'],
  mix: ['test'],
  node: ['--test'],
  playwright: ['test'],
  prettier: ['--check', '-c'],
  ruff: ['check'],
  swift: ['test'],
}

/** Programs that run tasks of the project by name. Every argument that is not an option names a task. */
const TASK_RUNNERS: ReadonlySet<string> = new Set(['make', 'just', 'task', 'rake', 'gradle', 'gradlew', 'mvn', 'mvnw'])
/** Programs that run one script of the project by name and pass it the remaining arguments. */
const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'composer'])

/** Words that may precede the program that performs the check. */
const COMMAND_PREFIXES: readonly (readonly string[])[] = [
  ...[['npx'], ['bunx'], ['npm', 'exec'], ['pnpm', 'exec'], ['yarn', 'exec'], ['bundle', 'exec']],
  ...[
    ['poetry', 'run'],
    ['uv', 'run'],
    ['pipenv', 'run'],
    ['python', '-m'],
    ['python3', '-m'],
  ],
]

const VALUED_OPTIONS: ReadonlySet<string> = new Set([
  ...['-C', '-w', '-F', '--prefix', '--workspace', '--filter', '--cwd', '--dir', '--directory'],
])
const CHANGING_OPTION = /^(?:--(?:fix|write|apply|update|snapshot-update)\b.*|-u)$/
const CHECK_NAME = /^(?:tests?|lint|check|type-?check|types|tsc|eslint|unit|e2e|spec|verify|t)(?:[:._-]|$)|[:._-]check$/
const CHANGING_NAME = /(?:^|[:._-])(?:fix|write|update|watch)(?:[:._-]|$)/

function areWordsOfCheck(words: readonly string[]): boolean {
  if (words.some((word) => CHANGING_OPTION.test(word))) return false
  const [program = '', ...args] = withoutPrefix(words)
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (CHECKING_PROGRAMS.has(name)) return true
  if (Object.hasOwn(CHECKING_ARGUMENTS, name)) return CHECKING_ARGUMENTS[name]?.includes(args[0] ?? '') === true
  const operands = operandsOf(args)
  if (TASK_RUNNERS.has(name)) return operands.length > 0 && operands.every(isCheckName)
  if (!SCRIPT_RUNNERS.has(name)) return false
  const [script = '', ...scriptArgs] = /^run(?:-script)?$/.test(operands[0] ?? '') ? operands.slice(1) : operands
  // Except for npm, these programs also run installed programs by name, as in `yarn eslint`.
  return isCheckName(script) || (name !== 'npm' && areWordsOfCheck([script, ...scriptArgs]))
}

function withoutPrefix(words: readonly string[]): readonly string[] {
  const prefix = COMMAND_PREFIXES.find((candidate) => candidate.every((word, index) => words[index] === word))
  if (prefix === undefined) return words
  const remainingWords = words.slice(prefix.length)
  const start = remainingWords.findIndex((word) => !/^(?:-y|--yes|--no-install|--)$/.test(word))
  return start < 0 ? [] : remainingWords.slice(start)
}

function operandsOf(args: readonly string[]): readonly string[] {
  return args.filter((word, index) => !word.startsWith('-') && !VALUED_OPTIONS.has(args[index - 1] ?? ''))
}

function isCheckName(name: string): boolean {
  return CHECK_NAME.test(name) && !CHANGING_NAME.test(name)
}
