import type { SimpleCommand } from '../../contract/command.js'

const NAME_PRINTERS = /^(?:ls|dir|vdir|stat|du|tree|find|fd|fdfind|eza|exa|test|\[|readlink|realpath|basename|dirname)$/
/** Options that read the content of a file, such as a list of names. */
const READS_CONTENT = /from|file|^-X/

/** Whether a command prints names and sizes of files, but nothing of their content. */
export function printsOnlyNames({ words, possible }: SimpleCommand): boolean {
  const [program = '', ...args] = words
  return (
    possible === undefined &&
    NAME_PRINTERS.test(program) &&
    !args.some((text) => /^-/.test(text) && READS_CONTENT.test(text))
  )
}

/** Programs that check or build sources, but print nothing of other files. */
const SOURCE_TOOL =
  /^(?:eslint|oxlint|biome|stylelint|standard|standardx|xo|tsc|tslint|jest|vitest|mocha|ava|tap|tape|attw|cspell|markdownlint|npm-run-all2?|run-[sp]|tsd|tsgo|publint|knip|typedoc|rollup|webpack|esbuild|vite|napi|ruff|mypy|pylint|flake8|pytest)$/
const FORMATTER = /^(?:prettier|oxfmt|black|isort|gofmt)$/
/** Words before the program that a launcher runs: the launcher, variables and options. */
const LAUNCHER_WORD = /^(?:npx|yarn|pnpm|bunx|exec|run|cross-env|c8|nyc|dotenv)$|^-|^[A-Z_]+=/

/** Whether a command uses the sources below a folder that it is given, and prints no content of other files there. */
export function usesOnlySources({ words }: Pick<SimpleCommand, 'words'>): boolean {
  const program = words.find((word) => !LAUNCHER_WORD.test(word)) ?? ''
  if (FORMATTER.test(program)) return words.some((text) => /^(?:-[cwl]|--(?:check|write|list-different))$/.test(text))
  return SOURCE_TOOL.test(program)
}

/** Programs that send, pack or print whole folders. */
const TREE_COPYING_COMMAND =
  /(?:^|\/)(?:scp|rsync|zip|7z|7za|tar|cp|docker|podman|aws|npm|pnpm|yarn|cmake|gsutil|rclone|ack|ag|ugrep|pt|repomix|code2prompt|serve)$/

/** Whether a program uses everything in the folders that it is given. */
export function copiesTrees({ words }: SimpleCommand): boolean {
  return TREE_COPYING_COMMAND.test(words[0] ?? '')
}
