const toSet = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/))

/** Programs that check, test or build the sources of a project. */
const SOURCE_TOOLS = toSet(
  [
    'eslint oxlint biome stylelint standard standardx xo tslint cspell markdownlint markdownlint-cli2 publint attw knip depcruise',
    'tsc tsgo vue-tsc svelte-check flow tsd typedoc rollup webpack esbuild vite napi tsup tsdown unbuild babel swc terser',
    'jest vitest mocha ava tap tape borp uvu vows karma playwright cypress nyc c8 run-s run-p npm-run-all npm-run-all2',
    'ruff mypy pylint flake8 pyright pytest py.test tox nox rspec rubocop phpunit phpstan shellcheck hadolint golangci-lint cpplint',
    'make gmake ninja rake gulp grunt ant mvn gradle gradlew just nx turbo lerna',
  ].join(' '),
)

/** Programs that print the files that they are given, unless an option makes them check or rewrite these files. */
const FORMATTERS = toSet('prettier oxfmt black isort gofmt goimports rustfmt shfmt dprint')
const CHECKS_OR_REWRITES = /^(?:-[cwl]|--(?:check|write|list-different|diff|check-only|fix))$/

/** Subcommands that run scripts of the project, build it or install what it depends on. */
const PROJECT_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: toSet('run run-script test t tst start stop restart ci install i install-test it audit outdated ls list prune'),
  pnpm: toSet('run test t start build lint dev install i add audit outdated ls list why prune'),
  yarn: toSet('run test start build lint dev install add audit outdated list why'),
  bun: toSet('run test install i add build'),
  cargo: toSet('build b check c clippy doc d fmt test t bench run r clean'),
  go: toSet('build test vet run fmt mod'),
  dotnet: toSet('build test restore run'),
  deno: toSet('test lint fmt check task'),
}

/** Words before the program that a launcher runs: the launcher, variables and options. */
const LAUNCHER_WORD = /^(?:npx|bunx|pnpx|exec|cross-env|c8|nyc|dotenv|--)$|^-|^[A-Z_]+=/

/**
 * Whether a command uses the sources of the project below a folder that it is given, and neither prints, sends nor packs other
 * files there. What it runs or writes inside is not judged.
 */
export function isProjectTool(words: readonly string[]): boolean {
  const at = words.findIndex((word) => !LAUNCHER_WORD.test(word))
  const program = words[at] ?? ''
  if (FORMATTERS.has(program)) return words.some((text) => CHECKS_OR_REWRITES.test(text))
  if (SOURCE_TOOLS.has(program)) return true
  // `cmake -E copy` and scripts of CMake change any file.
  if (program === 'cmake') return !words.some((text) => /^-[EP]$|^--install/.test(text))
  const verbs = PROJECT_SUBCOMMANDS[program]
  if (verbs === undefined) return false
  const verb = words.slice(at + 1).find((word) => !word.startsWith('-')) ?? ''
  if (verbs.has(verb)) return true
  // `yarn eslint .` runs the tool.
  const toolAt = words.indexOf(verb, at + 1)
  return /^(?:yarn|pnpm)$/.test(program) && toolAt !== -1 && isProjectTool(words.slice(toolAt))
}

/** Options with which a tool changes the sources that it is given. */
const REWRITING_OPTION = /^(?:-[wi]|--(?:fix|write|apply|in-place|fix-.*|write=.*|fix=.*))$/

/** Whether a tool of the project may change the sources in the folders that it is given. */
export function rewritesSources(words: readonly string[]): boolean {
  return words.some((word) => REWRITING_OPTION.test(word)) || words.some((word) => FORMATTERS.has(word))
}
